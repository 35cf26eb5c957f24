"""The page that undoes an import of judgments, and what leads to it."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from judgments.files.actions import undoing
from judgments.files.actions.imports import Source, import_judgments
from judgments.files.reports.imports import OpenedFile
from judgments.models import Act, Batch, Judgment, Verb
from tests import factories as make
from tests.html import html_of
from tests.judgments.judging.actions.scene import LATER, Scene
from tests.judgments.working import forget_jobs
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    """A list whose three pairs were judged by the file wrong.csv, one of them by a rater before."""
    forget_jobs()
    scene = Scene(1, 3)
    pairs = list(scene.list.pairs.order_by("pk").select_related("query", "document"))
    scene.user = scene.rater()
    scene.pairs = pairs
    scene.judge(scene.user, pairs[0].pk, 1.0)
    records = [
        JudgmentRecord(
            line, pair.query.external_id, pair.document.external_id, "3", 3.0, rater=scene.user.username
        )
        for line, pair in enumerate(pairs)
    ]
    import_judgments(judgment_list=scene.list, file=OpenedFile(records), at=LATER, source=Source("wrong.csv"))
    scene.batch = Batch.objects.get()
    scene.page = reverse("batch", args=[scene.list.pk, scene.batch.pk])
    return scene


@pytest.fixture
def admin(scene, client):
    user = make.make_member(scene.query_set, "admin", username="anna")
    client.force_login(user)
    return client


def tiles(response):
    return dict(re.findall(r"<dt>(\w+)</dt><dd>([\d,]+)", html_of(response)))


def links_in(response, start, end):
    inside = re.search(rf"{start}.*?{end}", html_of(response))[0]
    return re.findall(r'<a [^>]*?href="([^"]+)"', inside)


def values():
    return list(Judgment.objects.order_by("pair").values_list("value", flat=True))


def test_the_page_says_what_undoing_would_do_and_does_nothing(scene, admin):
    scene.judge(scene.user, scene.pairs[2].pk, 0.0, at=LATER + timedelta(hours=1))

    response = admin.get(scene.page)

    assert tiles(response) == {"Withdrawn": "1", "Restored": "1", "Left": "1"}
    assert values() == [3, 3, 0]


def test_the_button_does_it_and_says_what_it_did(scene, admin):
    scene.judge(scene.user, scene.pairs[2].pk, 0.0, at=LATER + timedelta(hours=1))

    response = admin.post(scene.page, follow=True)

    assert response.redirect_chain == [(reverse("list", args=[scene.list.pk]), 302)]
    assert (
        "The import of wrong.csv was undone: 1 judgment withdrawn, 1 earlier answer restored, "
        "1 judgment left, because somebody changed or removed it since."
    ) in response.content.decode()
    assert values() == [1, 0]


def test_a_second_click_changes_nothing_and_says_so(scene, admin):
    admin.post(scene.page)

    response = admin.post(scene.page, follow=True)

    assert "Nothing was undone, because nothing of this import is left." in response.content.decode()
    assert "undone on" in response.content.decode()
    assert "Undo the import</button>" not in response.content.decode()
    assert Act.objects.filter(verb=Verb.UNDONE).count() == 1


def test_the_import_page_lists_earlier_imports_with_their_undo(scene, admin):
    page = reverse("import-judgments", args=[scene.list.pk])
    assert links_in(admin.get(page), "<h2>Earlier imports</h2>", "</section>") == [scene.page]

    admin.post(scene.page)

    assert "· undone" in html_of(admin.get(page))


def test_the_line_of_the_log_leads_to_the_undo(scene, admin):
    for name, key in (("list-log", scene.list.pk), ("query-set-log", scene.query_set.pk)):
        log = admin.get(reverse(name, args=[key]))
        assert scene.page in links_in(log, '<ol class="log"', "</ol>")


def test_the_log_does_not_say_that_a_rater_withdrew_what_an_undo_took(scene, admin):
    admin.post(scene.page)

    lines = html_of(admin.get(reverse("list-log", args=[scene.list.pk])))

    assert "<b>anna</b> undid the import of wrong.csv into list" in lines
    assert lines.count("lost an imported judgment to an undo:") == 3
    assert "withdrew the judgment" not in lines


def test_afterwards_a_link_leads_to_taking_out_the_pairs_that_the_file_brought(scene, admin):
    new = make.make_document(scene.query_set, "new")
    record = JudgmentRecord(1, scene.pairs[0].query.external_id, "new", "3", 3.0, rater="file")
    import_judgments(
        judgment_list=scene.list, file=OpenedFile([record]), at=LATER, source=Source("worse.csv")
    )
    batch = Batch.objects.latest("pk")
    page = reverse("batch", args=[scene.list.pk, batch.pk])
    (link,) = links_in(admin.get(page), "Queries, documents, pairs", "</li>")
    assert 'name="pair"' not in html_of(admin.get(link))  # it is judged
    admin.post(page)

    assert links_in(admin.get(page), "Pairs that it brought", "</a>") == [link]
    assert re.findall(r'name="pair" value="(\d+)"', html_of(admin.get(link))) == [str(new.pairs.get().pk)]
    admin.post(link, {"all": "1", "confirmed": "1"})

    assert not new.pairs.exists()
    assert scene.list.pairs.count() == 3


def test_the_batch_of_another_list_is_not_there(scene, admin):
    other = make.make_list(scene.query_set)

    assert admin.post(reverse("batch", args=[other.pk, scene.batch.pk])).status_code == 404
    assert values() == [3, 3, 3]


def test_a_large_undo_is_left_to_a_worker_once(scene, admin, monkeypatch):
    monkeypatch.setattr(undoing, "MOST_JUDGMENTS", 2)

    admin.post(scene.page)
    response = admin.post(scene.page, follow=True)

    assert values() == [3, 3, 3]
    assert "Waiting for a worker" in response.content.decode()
    assert [job.args["batch_id"] for job in jobs()] == [scene.batch.pk]
    jobs_page = admin.get(reverse("query-set-jobs", args=[scene.query_set.pk])).content.decode()
    assert f'<a href="{scene.page}">wrong.csv</a>' in jobs_page


def test_why_a_worker_undid_nothing_is_on_the_page_with_the_button(scene, admin):
    Batch.objects.update(failure="Something went wrong.")

    response = admin.get(scene.page)

    assert "Something went wrong." in response.content.decode()
    assert "Undo the import</button>" in response.content.decode()


def test_the_page_of_an_undo_that_has_ended_loads_anew(scene, admin):
    response = admin.get(scene.page, headers={"HX-Request": "true"})

    assert response.headers["HX-Refresh"] == "true"


def test_a_page_that_waits_already_gets_nothing(scene, admin):
    Batch.objects.update(requested_at=timezone.now())
    headers = {"HX-Request": "true", "HX-Trigger": "import-waiting"}

    assert admin.get(scene.page, headers=headers).status_code == 204


def jobs():
    return ProcrastinateJob.objects.filter(task_name="undo_batch")
