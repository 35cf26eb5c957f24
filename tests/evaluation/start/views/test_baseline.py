"""How the latest runs stand against the baseline, on Home and on the first page of their query set."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from evaluation.models import Evaluation, Run
from tests import factories as make
from tests.evaluation.scored import change_grade, evaluate, make_grades, make_ranking, text_of

pytestmark = pytest.mark.django_db

SECOND = 1 / 1.584962500721156  # the discount of rank 2


@pytest.fixture
def judgment_list(client, query_set):
    client.force_login(make.make_member(query_set, "engineer"))
    return make.make_list(query_set, name="First pass")


@pytest.fixture
def runs(judgment_list):
    """One query. The baseline has its only good document at rank 2, the others at rank 1, 2 and nowhere."""
    query = make.make_query(judgment_list.query_set, "q")
    make_grades(judgment_list, query, {"a": 3, "b": 0})
    pages = {"production": ["b", "a"], "top": ["a"], "same": ["b", "a"], "none": ["b"]}
    runs = {}
    for day, (name, where) in enumerate(pages.items()):
        run = runs[name] = make.make_run(judgment_list.query_set, name=name, is_baseline=name == "production")
        Run.objects.filter(pk=run.pk).update(created_at=make.NOW + timedelta(days=day))
        make_ranking(run, query, where)
        evaluate(run, judgment_list)
    return runs


PAGES = pytest.mark.parametrize("where", ["home", "query-set"])


def rows_of(client, query_set, where):
    """By run, what stands beside its name, and the links there."""
    address = reverse(where, args=[query_set.pk] if where == "query-set" else [])
    section = text_of(client.get(address)).split("<h2>Latest runs</h2>")[1].split("</ul>")[0]
    rows = [row.split("</a>", 1) for row in section.split("<li>")[1:]]
    return {
        re.search("<b>(.*)</b>", name)[1]: (
            " ".join(re.sub("<[^>]*>", " ", beside).split()),
            re.findall('href="([^"]*)"', beside),
        )
        for name, beside in rows
    }


@PAGES
def test_each_run_says_its_difference_and_leads_to_the_comparison(
    client, query_set, judgment_list, runs, where
):
    found = rows_of(client, query_set, where)

    expected = {"top": f"+{1 - SECOND:.4f}", "same": "0.0000", "none": f"−{SECOND:.4f}"}
    for name, difference in expected.items():
        beside, (link,) = found[name]
        assert f"{difference} from production" in beside
        address = (
            f"{reverse('comparison', args=[judgment_list.pk])}?runs={runs['production'].pk}-{runs[name].pk}"
        )
        assert link == f"{address}&amp;on=global"
        compared = client.get(link.replace("&amp;", "&"))
        assert compared.status_code == 200
        assert name in text_of(compared)
    assert not any(word in " ".join(beside for beside, _ in found.values()) for word in ("better", "worse"))


@PAGES
def test_the_baseline_says_that_it_is_one(client, query_set, runs, where):
    beside, links = rows_of(client, query_set, where)["production"]

    assert "baseline" in beside
    assert "from" not in beside
    assert links == []


@PAGES
def test_without_a_baseline_nothing_is_said(client, query_set, runs, where):
    Run.objects.update(is_baseline=False)

    found = rows_of(client, query_set, where)

    assert not any("baseline" in beside or "from" in beside or links for beside, links in found.values())


@PAGES
def test_values_of_another_state_of_the_judgments_are_not_subtracted(
    client, query_set, judgment_list, runs, where
):
    change_grade(judgment_list, query_set.queries.get(), "b", 1)
    newest = evaluate(runs["top"], judgment_list)
    Evaluation.objects.filter(pk=newest.pk).update(computed_at=newest.computed_at + timedelta(minutes=1))

    assert not any("from" in beside for beside, _ in rows_of(client, query_set, where).values())


@PAGES
def test_the_baseline_may_be_older_than_all_runs_of_the_trend(client, query_set, runs, where, monkeypatch):
    monkeypatch.setattr("evaluation.scores.reports.sparklines.MOST_RUNS", 2)

    found = rows_of(client, query_set, where)

    assert f"−{SECOND:.4f} from production" in found["none"][0]
    assert Evaluation.objects.count() == 4
    assert "from" not in found["production"][0]
