"""Pairs to be judged from a file, by page."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judgments.files.reports.imports import ImportResult
from judgments.models import Judgment, Pair, Rater, Slot
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list(query_set):
    make.make_query(query_set, "q1")
    for name in ("d1", "d2"):
        make.make_document(query_set, name)
    return make.make_list(query_set, overlap=3)


def send(client, judgment_list, content):
    file = SimpleUploadedFile("pairs.csv", content.encode())
    return client.post(reverse("import-judgments", args=[judgment_list.pk]), {"file": file})["Location"]


def test_a_file_of_pairs_is_previewed_and_then_waits_for_the_raters(client, admin, judgment_list):
    url = send(client, judgment_list, "query,document\nq1,d1\nq1,d2\n")

    page = client.get(url)
    html = page.content.decode()
    assert page.context["reading"].result == ImportResult(0, 0, 0, pairs=2)
    assert "Pairs to judge" in html
    assert "Import 2 pairs</button>" in html
    assert "to be judged" in html
    assert "<dt>Unchanged</dt>" not in html

    done = client.post(url, {"action": "import"}, follow=True).content.decode()
    assert "pairs.csv: 2 pairs to judge added, 0 known." in done
    assert Pair.objects.count() == 2
    assert Slot.objects.filter(state="open").count() == 6
    assert not Judgment.objects.exists()
    assert not Rater.objects.exists()


def test_judgments_and_pairs_are_counted_apart(client, admin, judgment_list):
    url = send(client, judgment_list, "query,document,rater,grade\nq1,d1,ann,2\nq1,d2,,\n")

    html = client.get(url).content.decode()
    assert "Import 1 judgment and 1 pair</button>" in html

    done = client.post(url, {"action": "import"}, follow=True).content.decode()
    assert "1 new, 0 changed, 0 unchanged; 1 pair to judge added, 0 known." in done


def test_judgments_of_pairs_that_the_list_lacks_say_what_raters_get_to_do(client, admin, judgment_list):
    make.make_pair(
        judgment_list,
        judgment_list.query_set.queries.get(),
        make.make_document(judgment_list.query_set, "d0"),
    )
    url = send(
        client,
        judgment_list,
        "query,document,rater,grade\nq1,d0,ann,1\nq1,d1,ann,2\nq1,d1,bob,2\nq1,d2,ann,0\n",
    )

    page = client.get(url)
    words = " ".join(page.content.decode().split())

    assert "New in this list: 2 pairs of these judgments." in words
    assert "It asks for 3 raters per pair, so raters get 3 further judgments to give." in words
    client.post(url, {"action": "import"})
    new = Slot.objects.required().filter(pair__document__external_id__in=["d1", "d2"])
    assert new.count() == page.context["reading"].rater_work.judgments == 3


def test_enough_judgments_of_new_pairs_leave_nothing_to_do(client, admin, query_set, judgment_list):
    judgment_list.overlap = 1
    judgment_list.save()

    page = client.get(send(client, judgment_list, "query,document,rater,grade\nq1,d1,ann,2\n"))

    assert "New in this list: 1 pair of these judgments." in " ".join(page.content.decode().split())
    assert "further judgment" not in page.content.decode()


def test_a_file_without_a_known_grade_column_asks_for_it_or_has_it_left_out(client, admin, judgment_list):
    url = send(client, judgment_list, "query,document,points\nq1,d1,2\n")
    page = client.get(url).content.decode()
    assert "needs a column for grade" in page
    assert '<option value="points">' in page

    client.post(url, {"column-grade": "-"})
    assert client.get(url).context["reading"].result.pairs == 1
    client.post(url, {"column-grade": "points"})
    assert client.get(url).context["reading"].result == ImportResult(1, 0, 0)


def test_scores_beside_ranks_are_grades_only_where_somebody_says_so(client, admin, judgment_list):
    url = send(client, judgment_list, "query,document,rank,score\nq1,d1,1,2\n")
    page = client.get(url).content.decode()
    assert "A score beside a rank is the search system’s. If it is a run, upload it as a run." in page
    assert '<option value="score">' in page

    client.post(url, {"column-grade": "score"})
    assert client.get(url).context["reading"].result == ImportResult(1, 0, 0)


def test_the_page_says_how_pairs_are_written(client, admin, judgment_list):
    html = client.get(reverse("import-judgments", args=[judgment_list.pk])).content.decode()

    assert "is a pair to be judged" in html


def test_progress_by_query_shows_judgments_of_those_wanted(client, admin, judgment_list):
    url = send(client, judgment_list, "query,document,rater,grade\nq1,d1,ann,2\nq1,d2,,\n")
    client.post(url, {"action": "import"})

    html = " ".join(client.get(reverse("list", args=[judgment_list.pk])).content.decode().split())

    assert '<progress class="bar" max="6" value="1"' in html
    assert "1 of 6</progress>" in html


def test_a_file_of_pairs_can_be_judged_before_all_others(client, admin, judgment_list):
    url = send(client, judgment_list, "query,document\nq1,d1\n")
    assert "before all others" in client.get(url).content.decode()

    client.post(url, {"action": "import", "priority": "10"})

    assert Pair.objects.get().priority == 10
