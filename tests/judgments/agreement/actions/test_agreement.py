"""The agreement of a list is worked out once for each state of its judgments."""

from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from procrastinate.contrib.django.models import ProcrastinateJob

from judgments.agreement.actions import agreement as actions
from judgments.agreement.actions.adjudication import exclude_rater
from judgments.agreement.actions.agreement import AgreementPendingError, agreement_of, agreement_or_ask
from judgments.agreement.reports.agreement import steps_of
from judgments.agreement.reports.stored_agreement import compute_agreement, from_json
from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import OpenedFile
from judgments.files.reports.judgment_imports import Terms
from judgments.grades.actions.consensus import change_rule
from judgments.models import AgreementHeadline, AgreementResult, Gold, Judgment, Rater, Role
from tests import factories as make
from tests.judgments.agreed import Agreed
from tests.judgments.raters.actions.test_gold import gold_scene, holding_gold
from tests.judgments.refreshed import refresh_consensus
from tests.judgments.working import forget_jobs
from tests.shape import GROW, shape_of
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.grades.rules import Rule

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    """Thirty pairs of three queries; Ann and Bob judged all, Cy two."""
    scene = Agreed(queries=3, documents=10)
    scene.ann = scene.rater("ann", [0, 1, 2, 3, 3] * 6)
    scene.bob = scene.rater("bob", [0, 1, 3, 3, 3] * 5 + [0, 1, 2, 3, None])
    scene.cy = scene.rater("cy", [3, 3])
    refresh_consensus(judgment_list=scene.list)
    return scene


@pytest.fixture
def large(monkeypatch):
    forget_jobs()
    monkeypatch.setattr(actions, "AT_ONCE", 1)


def asked(scene, ask=agreement_of, without=None):
    given = {"judgment_list": scene.list, "steps": steps_of(scene.list.scale), "without": without}
    return ask(**given, at=make.NOW)


def test_the_layout_says_which_fields_are_stored(scene):
    scene.machine("gpt", [1, 2])
    result = asked(scene)

    assert (actions._LAYOUT, shape_of(result.figures)) == (5, "fe981f0b"), GROW


def made_anew(scene, what):
    before = asked(scene)
    what()
    return asked(scene).state != before.state


def of_judgments(queries):
    return [
        one["sql"]
        for one in queries
        if '"judgments_judgment"' in one["sql"] or "judgments_judgment " in one["sql"]
    ]


@pytest.mark.parametrize("role", [Role.ADMIN, Role.ENGINEER])
def test_a_second_view_reads_no_judgment(client, scene, role):
    client.force_login(scene.member(role))
    address = reverse("list-agreement", args=[scene.list.pk])
    first = client.get(address)
    with CaptureQueriesContext(connection) as few:
        second = client.get(address)
    scene.rater("dan", [1] * 30)
    scene.list.list_queries.update(judgments_revision=1)
    client.get(address)
    with CaptureQueriesContext(connection) as more:
        client.get(address)

    assert first.context["headline"] == second.context["headline"]
    assert of_judgments(few) == of_judgments(more) == []
    assert len(few) == len(more) <= 12


@pytest.mark.parametrize("scale", ["TREC 0–3", "Slider 0–100", "Binary"])
@pytest.mark.parametrize("left_out", [False, True])
def test_what_is_read_back_is_what_was_worked_out(scale, left_out):
    scene = Agreed(queries=3, documents=10, scale=make.preset(scale))
    ann = scene.rater("ann", [0, 1, 1] * 10)
    scene.rater("bob", [0, 1, 0, 0, 1] * 6)
    scene.rater("cy", [1, 1, None])
    scene.rater("dan", ["-"] * 29 + [1])
    steps, without = steps_of(scene.list.scale), [ann.pk] if left_out else []
    fresh = compute_agreement(scene.list, steps, without=without)

    stored = asked(scene, without=ann.pk if left_out else None)
    stored.refresh_from_db()
    read = from_json(stored.figures, scene.list, steps, without=without)

    assert (read.headline, read.uses, read.drift) == (fresh.headline, fresh.uses, fresh.drift)
    assert (read.counting_headline, read.counting_judgments) == (
        fresh.counting_headline,
        fresh.counting_judgments,
    )
    for name, values in asdict(fresh.by_query).items():
        np.testing.assert_array_equal(getattr(read.by_query, name), values)
    np.testing.assert_equal(read.alphas, fresh.alphas)
    assert read.raters.figures(read.alphas) == fresh.raters.figures(fresh.alphas)
    assert read.raters.table() == fresh.raters.table()
    assert read.raters.names == fresh.raters.names


def test_without_judgments_there_is_nothing_to_read_back():
    scene = Agreed()

    told = from_json(asked(scene).figures, scene.list, steps_of(scene.list.scale))

    assert (told.headline.pairs, told.raters.table(), told.drift.raters) == (0, [], [])


def test_a_judgment_that_comes_changes_or_goes_makes_it_anew(scene):
    user = scene.scene.rater()
    pair = scene.scene.claim(user)[0]

    assert made_anew(scene, lambda: scene.scene.judge(user, pair, 3))
    scene.list.refresh_from_db()
    assert made_anew(scene, lambda: scene.scene.judge(user, pair, 2))
    assert made_anew(scene, lambda: scene.scene.undo(user))
    assert made_anew(scene, lambda: scene.scene.undo(user))
    assert not made_anew(scene, lambda: None)


def test_an_answer_to_a_gold_pair_makes_it_anew_though_it_counts_toward_no_overlap():
    scene, chosen = gold_scene(gold_rate=50)
    user = scene.rater()
    drawn = holding_gold(scene, user, chosen)

    assert made_anew(scene, lambda: scene.judge(user, drawn))
    assert Judgment.objects.get().gold == Gold.TEST


def test_an_import_an_excluded_rater_and_a_changed_rule_make_it_anew(scene):
    admin = scene.member(Role.ADMIN)
    pair = scene.pairs[1]
    other = JudgmentRecord(2, pair.query.external_id, pair.document.external_id, "3", 3.0, rater="ann")

    def changes_one():
        import_judgments(
            judgment_list=scene.list, file=OpenedFile([other]), at=make.NOW, terms=Terms(rater_name="file")
        )

    assert made_anew(scene, changes_one)
    assert made_anew(
        scene,
        lambda: exclude_rater(judgment_list=scene.list, rater=scene.ann, user=admin, at=make.NOW),
    )
    assert made_anew(scene, lambda: change_rule(judgment_list=scene.list, rule=Rule.MEAN, tie="lower"))


def test_a_rater_who_counts_again_makes_it_anew_though_no_grade_changes(scene):
    exclusion = scene.list.exclusions.create(query_set=scene.query_set, rater=scene.cy, at=make.NOW)

    assert made_anew(scene, lambda: scene.list.exclusions.filter(pk=exclusion.pk).update(lifted_at=make.NOW))


def test_a_renamed_rater_has_the_new_name_at_once(client, scene):
    client.force_login(scene.member(Role.ADMIN))
    address = reverse("list-agreement", args=[scene.list.pk])
    client.get(address)
    Rater.objects.filter(pk=scene.ann.pk).update(name="anna")

    text = client.get(address).content.decode()

    assert "anna" in text
    assert ">ann<" not in text


def test_whoever_comes_second_finds_what_the_first_worked_out(scene, monkeypatch):
    """The second has looked before the first was done, waits for the lock, and looks again."""
    made = []
    counted = lambda *given, **more: made.append(given) or compute_agreement(*given, **more)  # noqa: E731
    wait = actions.locks.lock_agreement

    def first_is_quicker(list_id):
        monkeypatch.setattr(actions.locks, "lock_agreement", wait)
        asked(scene)

    monkeypatch.setattr(actions, "compute_agreement", counted)
    monkeypatch.setattr(actions.locks, "lock_agreement", first_is_quicker)

    asked(scene)

    assert len(made) == AgreementResult.objects.count() == 1


def test_each_rater_who_is_left_out_has_figures_of_one_state(scene):
    for without in (None, scene.ann.pk, None, scene.ann.pk):
        asked(scene, without=without)

    assert sorted(AgreementResult.objects.values_list("without", flat=True), key=str) == [scene.ann.pk, None]
    assert AgreementHeadline.objects.get().figures["pairs"] == 29


def test_a_large_list_is_left_to_a_worker(client, scene, large):
    client.force_login(scene.member(Role.ADMIN))
    address = reverse("list-agreement", args=[scene.list.pk])
    scene.list.list_queries.update(judgment_count=20)
    with CaptureQueriesContext(connection) as queries:
        waiting = client.get(address)
    again = client.get(address, headers={"HX-Request": "true", "HX-Trigger": "agreement-waiting"})
    job = ProcrastinateJob.objects.get()

    assert "Waiting for a worker" in waiting.content.decode()
    assert of_judgments(queries) == []
    assert again.status_code == 204
    actions.work_out_agreement(SimpleNamespace(job=job), **job.args)
    assert "Krippendorff’s alpha" in client.get(address).content.decode()


def test_while_a_worker_makes_it_anew_the_page_says_that_its_figures_are_old(client, scene, large):
    client.force_login(scene.member(Role.ADMIN))
    address = reverse("list-agreement", args=[scene.list.pk])
    asked(scene)
    assert "Computed on" in client.get(address).content.decode()
    scene.list.list_queries.update(judgments_revision=7, judgment_count=20)

    text = client.get(address).content.decode()
    table = client.get(address, {"table": "queries"})

    assert "judgments have changed since this was computed on" in text
    assert "The judgments haven’t changed since" not in text
    assert ProcrastinateJob.objects.count() == 1
    assert table.status_code == 200
    assert "judgments have changed" not in client.get(address).content.decode()


def test_where_a_worker_failed_the_request_does_it(scene, large):
    scene.list.list_queries.update(judgment_count=20)
    with pytest.raises(AgreementPendingError):
        asked(scene, agreement_or_ask)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET status = 'failed'")

    result, outdated = asked(scene, agreement_or_ask)

    assert (result.figures["headline"]["pairs"], outdated) == (29, False)


def test_a_list_that_was_deleted_meanwhile_is_no_error_of_the_job(scene):
    actions.work_out_agreement(SimpleNamespace(job=SimpleNamespace(id=1)), list_id=0, without=None, state="")
