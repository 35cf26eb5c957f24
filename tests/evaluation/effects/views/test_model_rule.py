"""The page of the consensus rule where the rule reads a model: what lacks, that it is asked for, what it says, what it changes."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from judgments.grades import reports
from judgments.grades.actions.model_fits import ask_for_fit, fit_now
from judgments.grades.sql.explanations import explanations
from judgments.models import ConsensusGrade, Judgment, ModelFit, Scale
from tests import factories as make
from tests.evaluation.scored import make_ranking
from tests.judgments.modelled import fill, first_pair, hold_better, make_modelled
from tests.judgments.working import taken_by_a_dead_worker
from tests.test_page_cost import MOST

pytestmark = pytest.mark.django_db
DAWID = {"rule": "ds-ordinal", "tie": "lower"}


@pytest.fixture
def few(client):
    """Forty pairs: too few."""
    return signed_in(client, make_modelled())


@pytest.fixture
def enough(client, monkeypatch):
    """The same list where forty pairs are held to be enough."""
    monkeypatch.setattr("touchstone_core.grades.dawid_skene.ENOUGH_PAIRS", 40)
    return signed_in(client, make_modelled())


def signed_in(client, judgment_list):
    client.force_login(make.make_member(judgment_list.query_set, "admin"))
    return judgment_list


def address(judgment_list, parameters="?rule=ds-ordinal&tie=lower"):
    return reverse("list-rule", args=[judgment_list.pk]) + parameters


def page(client, judgment_list, parameters="?rule=ds-ordinal&tie=lower", status=200):
    response = client.get(address(judgment_list, parameters))
    assert response.status_code == status
    return response


def test_a_list_with_too_little_says_what_lacks_and_does_not_offer_it(client, few):
    text = page(client, few, "").content.decode()

    assert "isn’t available" in text
    assert (
        "The model needs 300 pairs with two judgments or more, by raters who gave at least 20. This list has 40."
        in text
    )
    assert "ds-ordinal" not in text
    page(client, few, status=422)
    assert client.post(address(few, ""), DAWID).status_code == 422


def test_the_ordinal_variant_is_not_offered_where_grades_have_no_order(client, enough):
    Scale.objects.filter(pk=enough.scale_id).update(level="nominal")

    text = page(client, enough, "").content.decode()

    assert "ds-ordinal" not in text
    assert "ds-nominal" in text
    assert "isn’t available" not in text


def test_no_variant_is_offered_on_a_scale_without_fixed_grades(client):
    scale = Scale.objects.create(name="Slider", continuous=True, maximum=3)
    empty = signed_in(client, make.make_list(make.make_query_set(), scale=scale))

    assert "The scale has no fixed grades." in page(client, empty, "").content.decode()


def test_a_model_that_is_not_better_on_held_back_judgments_cannot_be_chosen(client, enough):
    fit_now(judgment_list=enough, rule="ds-ordinal")
    hold_better(enough)
    fit = ModelFit.objects.get()
    ModelFit.objects.update(comparison=fit.comparison | {"low": -0.01})

    html = page(client, enough).content.decode()

    assert "On held-back judgments" in html
    assert "So you can’t choose it." in html
    assert "Save this rule" not in html
    response = client.post(address(enough, ""), DAWID)
    assert response.status_code == 422
    assert "predict held-back judgments better" in response.content.decode()


def test_hardly_any_double_judgments_are_not_enough(client):
    """The model then says less than the grades themselves: of 400 pairs two have a second judgment."""
    rows = [(number, "ab"[number % 2], number % 4) for number in range(400)] + [(0, "b", 0), (1, "a", 1)]
    judgment_list = signed_in(client, fill(make.make_list(make.make_query_set()), rows))

    text = page(client, judgment_list, "").content.decode()

    assert (
        "The model needs 300 pairs with two judgments or more, by raters who gave at least 20. This list has 2."
        in text
    )


def test_before_the_first_fit_nothing_can_be_saved(client, enough):
    context = page(client, enough).context

    assert (context["model"].fit, "chosen" in context) == (None, False)
    response = client.post(address(enough, ""), DAWID)
    assert response.status_code == 422
    assert "The model hasn’t been computed yet." in response.content.decode()


def test_asking_makes_a_job_that_the_page_waits_for(client, enough):
    response = client.post(address(enough, ""), DAWID | {"action": "fit"})

    assert response.url == address(enough)
    assert ProcrastinateJob.objects.get().args == {"list_id": enough.pk, "rule": "ds-ordinal"}
    text = client.get(response.url).content.decode()
    assert "Waiting for a worker" in text
    assert "Compute the model" not in text


def test_while_nothing_has_changed_the_page_that_waits_stays_as_it_is(client, enough):
    client.post(address(enough, ""), DAWID | {"action": "fit"})
    text = client.get(address(enough)).content.decode()
    notice = re.search(r'id="(model-[\w-]+)" role="status"\s[^>]*hx-trigger="every 2s"', text)
    asks = {"HX-Request": "true", "HX-Trigger": notice[1]}

    waiting = client.get(address(enough), headers=asks)
    taken_by_a_dead_worker()
    running = client.get(address(enough), headers=asks)

    assert (waiting.status_code, waiting.content) == (204, b"")
    assert "Computing" in running.content.decode()


def test_a_part_of_the_page_is_enough_for_who_waits(client, enough):
    text = client.get(address(enough), headers={"HX-Request": "true"}).content.decode()

    assert text.strip().startswith('<div id="outcome"')


def test_asking_for_a_plain_rule_saves_it(client, enough):
    client.post(address(enough, ""), {"rule": "mean", "tie": "lower", "action": "fit"})

    enough.refresh_from_db()
    assert enough.rule == "mean"


def test_the_page_with_a_model_costs_the_same_for_more_pairs_and_raters(client, enough):
    make.make_run(enough.query_set)
    fit_now(judgment_list=enough, rule="ds-ordinal")
    hold_better(enough)
    page(client, enough)
    with CaptureQueriesContext(connection) as few:
        page(client, enough)
    more = make_modelled(pairs=60, query_set=enough.query_set)
    fit_now(judgment_list=more, rule="ds-ordinal")
    page(client, more)

    with CaptureQueriesContext(connection) as many:
        page(client, more)

    assert len(many) == len(few) <= MOST


def test_the_fit_is_shown_with_what_it_would_change_and_saving_does_that(client, enough):
    for name in ("one", "two"):
        run = make.make_run(enough.query_set, name=name)
        pair = first_pair(enough)
        make_ranking(run, pair.query, [pair.document.external_id])
    fit_now(judgment_list=enough, rule="ds-ordinal")
    hold_better(enough)

    shown = page(client, enough)

    assert shown.context["model"].usable
    assert not shown.context["model"].stale
    assert shown.context["habits"][0]["name"] == "zero"
    assert len(shown.context["effect"].rows) == 2
    assert shown.context["grade_effect"].changes.total > 0
    response = client.post(address(enough, ""), DAWID)
    assert response.status_code == 302
    explained = explanations(list(ConsensusGrade.objects.values_list("pair", flat=True))).values()
    assert sum("Dawid–Skene" in how for _, how in explained) == 40
    assert page(client, enough).context["grade_effect"].changes.total == 0


def test_a_rule_in_force_shows_its_model_without_being_asked(client, enough):
    fit_now(judgment_list=enough, rule="ds-ordinal")
    hold_better(enough)
    client.post(address(enough, ""), DAWID)

    context = page(client, enough, "").context

    assert context["model"].fit is not None
    assert "chosen" not in context


def test_a_rule_in_force_stays_though_judgments_become_too_few(client, enough, monkeypatch):
    fit_now(judgment_list=enough, rule="ds-ordinal")
    hold_better(enough)
    client.post(address(enough, ""), DAWID)
    monkeypatch.setattr("touchstone_core.grades.dawid_skene.ENOUGH_PAIRS", 300)

    assert "Not enough to trust it" in page(client, enough).content.decode()


def test_judgments_since_make_it_stale(client, enough):
    fit_now(judgment_list=enough, rule="ds-ordinal")
    hold_better(enough)
    Judgment.objects.filter(pair=first_pair(enough), rater__name="a").update(value=0)

    text = page(client, enough).content.decode()

    assert "Stale:" in text
    assert "Recompute the model" in text


def test_a_fit_that_is_due_later_is_told_beside_the_one_there_is(client, enough):
    fit_now(judgment_list=enough, rule="ds-ordinal")
    hold_better(enough)
    ask_for_fit(judgment_list=enough, rule="ds-ordinal")

    response = page(client, enough)

    assert "The model will be recomputed at" in response.content.decode()
    assert "grade_effect" in response.context


def test_a_failure_is_shown_in_words(client, enough):
    ModelFit.objects.create(
        query_set=enough.query_set, judgment_list=enough, rule="ds-ordinal", error="The disk is full."
    )

    text = " ".join(page(client, enough).content.decode().split())

    assert "The model could not be computed. The disk is full." in text
    assert "Compute the model" in text


def test_a_job_that_nobody_takes_is_said_to_lack_a_worker(enough):
    ask_for_fit(judgment_list=enough, rule="ds-ordinal", at_once=True)
    later = timezone.now() + 2 * reports.LONG_WAIT

    model = reports.model_of(enough, "ds-ordinal", reports.model_state(enough), now=later)

    assert (model.busy, model.work.unattended) == (True, True)


def test_raters_who_have_accounts_or_are_gone_are_named_as_such(enough):
    fit_now(judgment_list=enough, rule="ds-nominal")
    fit = ModelFit.objects.get()
    account = make.make_rater(enough.query_set, make.make_user("ann"))
    fit.habits[0]["rater"], fit.habits[1]["rater"] = account.pk, 10**9
    fit.save()

    model = reports.model_of(enough, "ds-nominal", reports.model_state(enough), now=timezone.now())

    assert {habit["name"] for habit in reports.habits(model)} == {
        "ann",
        "a rater who is gone",
        "c",
        "zero",
    }


def test_a_list_in_the_settings_is_not_offered_a_model(client, few):
    text = client.get(reverse("list-edit", args=[few.pk])).content.decode()

    assert "Dawid" not in text
