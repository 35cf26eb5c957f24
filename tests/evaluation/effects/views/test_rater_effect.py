"""Each rater left out of the grades: what the page foretells is what excluding the rater does."""

import csv
from io import StringIO

import pytest
from django.urls import reverse

from evaluation.effects.reports import effects as reports
from evaluation.models import Evaluation
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.models import ConsensusGrade, Gold, Rater
from judgments.raters.reports.leave_one_out import raters_who_count, without_each
from tests import factories as make
from tests.evaluation.scored import make_ranking
from tests.judgments.refreshed import refresh_consensus
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db

GIVEN = {
    ("q1", "a"): (3, 0, 0),
    ("q1", "b"): (0, 1, 2),
    ("q2", "c"): (None, 2, None),
    ("q2", "d"): (1, None, 3),
}


@pytest.fixture
def judgment_list(client):
    """Three raters: without the first, “b” is better than “a”; “c” has one judgment."""
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="Main", rule="mean")
    raters = [make.make_rater(judgment_list.query_set) for _ in range(3)]
    for (name, document), values in GIVEN.items():
        query = judgment_list.query_set.queries.filter(external_id=name).first()
        query = query or make.make_query(judgment_list.query_set, name)
        pair = make.make_pair(judgment_list, query, make.make_document(judgment_list.query_set, document))
        for rater, value in zip(raters, values, strict=True):
            if value is not None:
                make.make_judgment(pair, rater, value=value)
    refresh_consensus(judgment_list=judgment_list)
    make.make_run(judgment_list.query_set, name="without rankings")
    for name, documents in (("one", "abcd"), ("two", "badc")):
        run = make.make_run(judgment_list.query_set, name=name)
        for query, own in (("q1", documents[:2]), ("q2", documents[2:])):
            make_ranking(run, judgment_list.query_set.queries.get(external_id=query), list(own))
    client.force_login(make.make_member(judgment_list.query_set, "admin", username="boss"))
    return judgment_list


def page(client, judgment_list, **query):
    return client.get(reverse("rater-effect", args=[judgment_list.pk]), query)


def exclude(judgment_list, rater):
    judgment_list.exclusions.create(query_set=judgment_list.query_set, rater=rater, at=make.NOW)
    refresh_consensus(judgment_list=judgment_list)


@pytest.mark.parametrize("rule", ["median", "mean", "trimmed", "majority"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_excluding_a_rater_does_what_is_foretold(client, judgment_list, rule, place):
    judgment_list.rule = rule
    judgment_list.save(update_fields=["rule"])
    refresh_consensus(judgment_list=judgment_list)
    rater = Rater.objects.order_by("pk")[place]
    before = dict(ConsensusGrade.objects.values_list("pair__document__external_id", "value"))
    found = page(client, judgment_list).context["effects"]
    effect = next(one for one in found.raters if one.rater.rater_id == rater.pk)
    foretold = {
        run.pk: (mean, change) for (run, mean), change in zip(found.runs, effect.changes, strict=True)
    }

    exclude(judgment_list, rater)

    after = dict(ConsensusGrade.objects.values_list("pair__document__external_id", "value"))
    differ = [name for name in before if before[name] != after.get(name)]
    assert len(differ) == effect.grades.changed + effect.grades.removed
    assert effect.grades.removed == sum(after.get(name) is None for name in differ)
    runs = list(judgment_list.query_set.runs.all())
    bring_up_to_date(ScoringRequest(judgment_list, runs, Formula()))
    for evaluation in Evaluation.objects.filter(run__in=runs):
        mean, change = foretold[evaluation.run_id]
        assert evaluation.ndcg_global == pytest.approx(mean + change, abs=1e-12)


def test_comparisons_that_turn_are_named(client, judgment_list):
    first = Rater.objects.earliest("pk")
    judgment_list.judgments.exclude(pair__query__external_id="q1").delete()
    judgment_list.rule = "majority"
    judgment_list.tie = "higher"
    judgment_list.save()
    judgment_list.judgments.filter(pair__document__external_id="a").exclude(rater=first).last().delete()
    refresh_consensus(judgment_list=judgment_list)

    response = page(client, judgment_list, rater=first.pk)

    (one,) = response.context["effects"].raters
    ((turn),) = one.turns
    assert (turn.better.name, turn.worse.name) == ("one", "two")
    assert turn.was > 0 > turn.now
    assert (response.context["one_rater"].rater_id, response.context["more"]) == (first.pk, 0)


def test_decided_pairs_and_practice_stay_out_of_it(judgment_list):
    first = Rater.objects.earliest("pk")
    pair = judgment_list.pairs.get(document__external_id="a")
    judgment_list.judgments.filter(pair__document__external_id="b").update(gold=Gold.PRACTICE)
    judgment_list.adjudications.create(
        query_set=judgment_list.query_set, pair=pair, value=1, cause="slip", at=make.NOW
    )
    refresh_consensus(judgment_list=judgment_list)

    found = without_each(judgment_list, [first.pk])[first.pk]

    assert found.values.tolist() == [3.0]


def test_excluded_raters_are_left_out_already(client, judgment_list):
    first, *others = Rater.objects.order_by("pk")
    exclude(judgment_list, first)

    assert {one.rater_id for one in raters_who_count(judgment_list)} == {one.pk for one in others}
    assert page(client, judgment_list, rater=first.pk).context["one_rater"] is None


@pytest.mark.parametrize("table", ["runs", "comparisons"])
def test_tables_are_files_too(client, judgment_list, table):
    rows = list(csv.DictReader(StringIO(page(client, judgment_list, table=table).getvalue().decode())))

    expected = {"runs": {"rater", "run", "change"}, "comparisons": {"rater", "better", "worse"}}
    assert all(row.keys() >= expected[table] for row in rows)
    assert len(rows) == 9 or table == "comparisons"
    assert page(client, judgment_list, table="others").status_code == 404


def test_of_a_long_list_fewer_raters_are_left_out_at_once(client, judgment_list, monkeypatch):
    monkeypatch.setattr(reports, "AT_ONCE", 1)

    context = page(client, judgment_list).context

    assert (len(context["effects"].raters), context["more"]) == (1, 2)
    assert reports.raters_at_once(0, 0) == 1


def test_without_runs_or_judgments_the_page_says_so(client):
    judgment_list = make.make_list(make.make_query_set())
    client.force_login(make.make_member(judgment_list.query_set, "admin"))

    nobody = page(client, judgment_list).content.decode().split('<section class="empty">')[1]
    assert "Nobody has judged yet" in nobody
    assert f'href="{reverse("list", args=[judgment_list.pk])}"' in nobody
    query, document = make.make_query(judgment_list.query_set), make.make_document(judgment_list.query_set)
    make.make_judgment(
        make.make_pair(judgment_list, query, document), make.make_rater(judgment_list.query_set), value=1
    )
    assert "No runs yet" in page(client, judgment_list).content.decode()
    assert page(client, judgment_list, table="runs").status_code == 404
