"""Marking gold pairs by page and by file, and what raters make of them."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judgments.models import GoldPair, Pair, Slot
from judgments.raters.actions.gold import mark_gold
from tests import factories as make
from tests.api import Api
from tests.html import html_of
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    scene = Scene(queries=2, documents=3, overlap=1)
    scene.admin = make.make_member(scene.query_set, "admin", username="ada")
    scene.pairs = list(Pair.objects.select_related("query", "document").order_by("pk"))
    client.force_login(scene.admin)
    return scene


def address(scene, name="list-gold"):
    return reverse(name, args=[scene.list.pk])


def mark(client, scene, pair, **data):
    return client.post(address(scene), {"action": "mark", "pair": pair.pk} | data)


def mark_all(scene, value=2.0):
    for pair in scene.pairs:
        mark_gold(judgment_list=scene.list, pair_id=pair.pk, value=value, user=scene.admin, at=make.NOW)


def upload(client, scene, text, name="gold.csv"):
    file = SimpleUploadedFile(name, text.encode())
    return client.post(address(scene, "list-gold-import"), {"file": file}, follow=True)


def line_of(pair, grade, *more):
    return ",".join([pair.query.external_id, pair.document.external_id, grade, *more])


def test_a_page_without_gold_pairs_says_how_to_begin(client, scene):
    assert "No gold pairs yet" in html_of(client.get(address(scene)))


def test_pairs_are_found_by_query_and_document_and_marked(client, scene):
    first = scene.pairs[0]
    page = client.get(address(scene), {"q": first.document.title})
    assert {one.pair.document_id for one in page.context["matches"]} == {first.document_id}
    assert f"?pair={first.pk}" in html_of(page)

    mark(client, scene, first, value="2.0", also=["3.0"], explanation=" It is the product. ")

    gold = GoldPair.objects.get()
    assert (gold.pair, gold.value, gold.also, gold.explanation) == (first, 2, [3], "It is the product.")
    assert gold.made_by == scene.admin
    assert not Slot.objects.filter(pair=first).exists()
    left = client.get(address(scene), {"q": first.query.external_id}).context["matches"]
    assert first not in [one.pair for one in left]


def test_a_search_without_words_shows_all_pairs(client, scene):
    page = client.get(address(scene), {"q": ""})

    assert [one.pair.pk for one in page.context["matches"]] == [pair.pk for pair in scene.pairs]
    assert client.get(address(scene)).context["matches"] == []
    marked = client.post(address(scene) + "?q=", {"pair": scene.pairs[0].pk, "value": "1.0"})
    assert marked["Location"] == address(scene) + "?q="


def test_the_search_stays_after_marking(client, scene):
    response = client.post(address(scene) + "?q=Title&agreed=1", {"pair": scene.pairs[0].pk, "value": "1.0"})

    assert response["Location"] == address(scene) + "?q=Title&agreed=1"


def test_a_consensus_grade_is_taken_as_the_right_one(client, scene):
    agreed, differing = scene.pairs[0].pk, scene.pairs[1].pk
    for rater in (scene.rater(), scene.rater()):
        scene.judge(rater, agreed, 3.0)
    scene.judge(scene.rater(), differing, 1.0)
    scene.judge(scene.rater(), differing, 3.0)

    page = client.get(address(scene), {"agreed": "1"})
    assert [one.pair.pk for one in page.context["matches"]] == [agreed]
    assert "Use Perfectly relevant" in html_of(page)
    form = client.get(address(scene), {"pair": agreed}).context["form"]
    assert form["value"].value() == "3.0"


def test_many_pairs_are_not_all_shown(client):
    scene = Scene(queries=1, documents=26)
    client.force_login(make.make_member(scene.query_set, "admin"))

    page = client.get(address(scene), {"q": "Title"})

    assert len(page.context["matches"]) == 25
    assert "There are more" in html_of(page)
    assert "No matching pairs" in html_of(client.get(address(scene), {"q": "nowhere"}))


def test_a_gold_pair_is_changed_and_removed(client, scene):
    first = scene.pairs[0]
    mark(client, scene, first, value="2.0", also=["3.0"], explanation="Why")
    form = client.get(address(scene), {"pair": first.pk}).context["form"]
    assert (form["value"].value(), form["also"].value(), form["explanation"].value()) == (
        "2.0",
        ["3.0"],
        "Why",
    )

    mark(client, scene, first, value="1.0")
    assert GoldPair.objects.get().value == 1
    client.post(address(scene), {"action": "remove", "pair": first.pk})

    assert not GoldPair.objects.in_use().exists()
    assert Slot.objects.filter(pair=first).count() == 1


@pytest.mark.parametrize("data", [{}, {"value": "9.0"}, {"value": "1.0", "also": ["9.0"]}, {"value": "x"}])
def test_a_grade_that_is_none_is_refused_with_the_form(client, scene, data):
    response = mark(client, scene, scene.pairs[0], **data)

    assert response.status_code == 422
    assert scene.pairs[0].document.title in html_of(response)
    assert not GoldPair.objects.exists()


def test_a_pair_of_another_list_cannot_be_marked(client, scene):
    other = Scene(queries=1, documents=1)
    foreign = Pair.objects.get(judgment_list=other.list)

    response = client.post(address(scene), {"pair": foreign.pk, "value": "1.0"}, follow=True)

    assert "This pair was removed from the list." in html_of(response)
    assert not GoldPair.objects.exists()


def test_on_a_scale_without_levels_the_grade_is_a_number(client):
    scale = make.make_query_set().scales.create(
        name="0–1", level="interval", continuous=True, maximum=1, step=0.01
    )
    scene = Scene(queries=1, documents=1, scale=scale)
    client.force_login(make.make_member(scene.query_set, "admin"))
    pair = Pair.objects.get()

    assert mark(client, scene, pair, value="1.5").status_code == 422
    assert mark(client, scene, pair, value="0.35").status_code == 302
    assert GoldPair.objects.get().value == 0.35


def test_a_gold_pair_that_most_raters_miss_is_suspect(client, scene):
    good, bad, few = scene.pairs[:3]
    for _ in range(3):
        rater = scene.rater()
        scene.judge(rater, good.pk, 2.0)
        scene.judge(rater, bad.pk, 0.0)
    scene.judge(rater, few.pk, 0.0)
    scene.judge(scene.rater(), good.pk, reason="language")
    mark_all(scene)

    rows = {row.gold.pair_id: row for row in client.get(address(scene)).context["rows"]}

    assert [rows[pair.pk].suspect for pair in (good, bad, few)] == [False, True, False]
    assert (rows[good.pk].hits, rows[good.pk].answers, rows[good.pk].cannot_judge) == (3, 3, 1)
    assert rows[bad.pk].counts == "3 × Irrelevant"
    assert html_of(client.get(address(scene))).count("<b>suspect</b>") == 1


def test_the_page_says_when_nobody_gets_gold_pairs_or_there_are_too_few(client, scene):
    mark_all(scene)
    assert "raters don’t get these pairs yet" in html_of(client.get(address(scene)))

    scene.list.onboarding = 10
    scene.list.save()

    assert "there are only 6" in html_of(client.get(address(scene)))


def test_a_file_marks_its_pairs(client, scene):
    first, second = scene.pairs[:2]
    text = "query,document,grade,comment\n" + "\n".join(
        [line_of(first, "2", "exact"), line_of(second, "Irrelevant", ""), line_of(first, "3", "")]
    )

    response = upload(client, scene, text)

    assert "2 pairs marked as gold." in html_of(response)
    gold = {one.pair_id: one for one in GoldPair.objects.all()}
    assert (gold[first.pk].value, gold[first.pk].also, gold[first.pk].explanation) == (2, [3], "exact")
    assert (gold[second.pk].value, gold[second.pk].made_by) == (0, scene.admin)
    assert not Slot.objects.filter(pair__in=gold).exists()


def test_a_file_changes_gold_pairs_and_brings_retired_ones_back(client, scene):
    first = scene.pairs[0]
    mark(client, scene, first, value="2.0")
    client.post(address(scene), {"action": "remove", "pair": first.pk})

    upload(client, scene, f"{first.query.external_id} 0 {first.document.external_id} 1\n", "gold.qrels")

    assert GoldPair.objects.in_use().get().value == 1


def test_a_file_with_faults_marks_nothing_and_says_where(client, scene):
    first = scene.pairs[0]
    text = "query,document,grade,reason\n" + "\n".join(
        [
            line_of(first, "2", ""),
            line_of(first, "7", ""),
            line_of(first, "", "language"),
            line_of(first, "", ""),
            "nowhere,d1,1,",
        ]
    )

    response = upload(client, scene, text)

    assert response.status_code == 422
    html = html_of(response)
    assert "4 problems" in html
    assert "Line 3" in html
    assert "should be a pair of this list" in html
    assert not GoldPair.objects.exists()


def test_a_grade_off_the_scale_offers_no_choice_that_gold_pairs_lack(client, scene):
    text = f"query,document,grade\n{line_of(scene.pairs[0], '-1')}\n{line_of(scene.pairs[1], '1.5')}\n"

    html = html_of(upload(client, scene, text))

    assert html.count("should be a grade of the scale") == 2
    assert "choose what a negative grade means" not in html
    assert "choose the nearest grade" not in html


@pytest.mark.parametrize("text", ["", "PK\x03\x04", "a\n" * 3])
def test_a_file_that_is_none_is_refused(client, scene, text):
    assert upload(client, scene, text).status_code == 422


def test_too_many_gold_pairs_are_refused(client, scene, monkeypatch, settings):
    monkeypatch.setattr("judgments.raters.reports.gold_files.MOST", 2)
    text = "query,document,grade\n" + f"{line_of(scene.pairs[0], '2')}\n" * 3

    assert "has more than 2 lines" in html_of(upload(client, scene, text))
    settings.UPLOAD_LIMIT = 5
    assert upload(client, scene, text).status_code == 413


def test_the_address_of_the_file_leads_back(client, scene):
    assert client.get(address(scene, "list-gold-import"))["Location"] == address(scene)
    assert client.post(address(scene, "list-gold-import"), {}).status_code == 422


def test_a_downloaded_file_marks_the_same_pairs_again(client, scene):
    """Explanations that a spreadsheet would run, and several correct grades, come back as they were."""
    first, second, third = scene.pairs[:3]
    mark(client, scene, first, value="2.0", also=["3.0", "0.0"], explanation='=1+1, she said: "no"\nand left')
    mark(client, scene, second, value="0.0")
    mark(client, scene, third, value="1.0")
    client.post(address(scene), {"action": "remove", "pair": third.pk})
    before = list(gold_facts(scene))

    response = client.get(address(scene, "gold-file"))
    text = b"".join(response.streaming_content).decode()
    GoldPair.objects.all().delete()
    upload(client, scene, text)

    assert response["Content-Disposition"].endswith('_gold.csv"')
    assert text.splitlines()[0] == "query,document,grade,comment"
    assert list(gold_facts(scene)) == before
    assert [facts[1:3] for facts in before] == [(2.0, [0.0, 3.0]), (0.0, [])]


@pytest.mark.parametrize("explanation", ["a\r\nb", "'\rb", "a\r\n\r\n# b", "'=x", "''="])
def test_an_explanation_comes_back_whatever_ends_its_lines(client, scene, explanation):
    mark(client, scene, scene.pairs[0], value="2.0", explanation=explanation)
    before = list(gold_facts(scene))

    text = b"".join(client.get(address(scene, "gold-file")).streaming_content).decode()
    GoldPair.objects.all().delete()
    upload(client, scene, text)

    assert list(gold_facts(scene)) == before


def test_a_file_has_no_longer_explanations_than_the_page_takes(client, scene):
    header, pair = "query,document,grade,comment\n", scene.pairs[0]

    refused = upload(client, scene, header + line_of(pair, "2", "x" * 2_001) + "\n")
    assert "Line 2, column comment" in html_of(refused)
    assert not GoldPair.objects.exists()

    upload(client, scene, header + line_of(pair, "2", "x" * 2_000) + "\n")
    assert len(GoldPair.objects.get().explanation) == 2_000


def gold_facts(scene):
    rows = GoldPair.objects.in_use().filter(judgment_list=scene.list).order_by("pair")
    return rows.values_list("pair", "value", "also", "explanation")


def test_the_page_offers_the_file_once_there_are_gold_pairs(client, scene):
    link = f'href="{address(scene, "gold-file")}"'
    assert link not in html_of(client.get(address(scene)))

    mark(client, scene, scene.pairs[0], value="2.0")

    assert link in html_of(client.get(address(scene)))


def test_a_gold_file_without_rows_is_refused(client, scene):
    sentence = "gold.csv holds no judgments that can be imported."

    assert upload(client, scene, "query,document,grade\n").context["file_form"].errors == {"file": [sentence]}
    response = Api(scene.admin).post(f"lists/{scene.list.pk}/gold/import", b"query,document,grade\n")
    assert (response.status_code, response.json()["detail"]) == (422, sentence)
