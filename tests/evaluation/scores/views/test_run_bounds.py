"""A run's page says how much of its pages is judged, and between which values its means lie."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import strip_tags

from evaluation.scores.views import run as run_view
from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.api import Api
from tests.evaluation.scored import make_grades, make_ranking, text_of

pytestmark = pytest.mark.django_db

SECOND = 0.6309297535714575  # 1/log2(3), the discount of rank 2
ALL = 4.543559338088346  # the discounts of ten ranks together, 1/log2(2) to 1/log2(11)


@pytest.fixture
def run(judgment_list):
    """Two queries: `whole` finds its best document first; `open` finds it second, behind a document without a grade."""
    query_set = judgment_list.query_set
    run = make.make_run(query_set, name="bm25")
    for name, documents in (("whole", ["whole-a"]), ("open", ["X", "open-a"])):
        query = make.make_query(query_set, name)
        make_grades(judgment_list, query, {f"{name}-a": 3})
        make_ranking(run, query, documents)
    return run


def page(client, judgment_list, run, **parameters):
    return client.get(reverse("run", args=[judgment_list.pk, run.pk]), parameters)


def ranges(found):
    return [tile.range for tile in found.context["summary"]["tiles"]]


def between(low, high):
    return f"{sum(low) / 2:.4f} to {sum(high) / 2:.4f}"


def test_each_mean_stands_with_its_range_worked_out_by_hand(client, engineer, judgment_list, run):
    """The grade of X lies between 0 and 3, the top of the scale, and beside it anything may exist."""
    found = page(client, judgment_list, run)

    local = between([1, SECOND], [1, 1])  # X is worthless, or as good as the other one
    least = [1 / ALL, SECOND / ALL]  # ten documents of the top grade exist
    assert ranges(found) == [
        local,
        local,
        between(least, [1, 1]),
        between(least, [1 / ALL, (1 + SECOND) / ALL]),
        "",
        "",
    ]
    share = 1 - 1 / ALL / 2  # rank 1 of one of two pages is open
    said = " ".join(strip_tags(text_of(found)).split())
    assert f"Provisional: {100 * share:.1f} % of the weight of these pages is judged." in said


def test_programs_get_the_bounds_with_all_digits(client, engineer, judgment_list, run):
    of_file = page(client, judgment_list, run, format="json").json()
    answer = Api(engineer).get(f"lists/{judgment_list.pk}/runs/{run.pk}").json()

    of_api = answer["bounds"]
    assert (of_file["bounds"], of_file["coverage"]) == (of_api, answer["coverage"])
    assert of_api["low"] == pytest.approx(
        {
            "local": (1 + SECOND) / 2,
            "recall": (1 + SECOND) / 2,
            "global": (1 + SECOND) / ALL / 2,
            "max": (1 + SECOND) / ALL / 2,
        }
    )
    assert of_api["high"]["max"] == pytest.approx((2 + SECOND) / ALL / 2)
    assert answer["coverage"] == pytest.approx(1 - 1 / ALL / 2)


def test_where_all_is_judged_the_values_stand_alone(client, engineer, judgment_list, run):
    make_grades(judgment_list, judgment_list.query_set.queries.get(external_id="open"), {"X": 1})

    found = page(client, judgment_list, run)

    assert set(ranges(found)) == {""}
    assert "weight of these pages" not in text_of(found)
    assert page(client, judgment_list, run, format="json").json()["bounds"] is None


def test_a_formula_without_bounds_says_nothing_of_them(client, engineer, judgment_list, run):
    assert set(ranges(page(client, judgment_list, run, unjudged="condensed"))) == {""}


def test_of_many_grades_the_ranges_are_asked_for(client, engineer, judgment_list, run, monkeypatch):
    monkeypatch.setattr(run_view, "MOST_GRADES", 1)
    page(client, judgment_list, run)  # scores

    with CaptureQueriesContext(connection) as unasked:
        found = page(client, judgment_list, run)
    with CaptureQueriesContext(connection) as asked:
        shown = page(client, judgment_list, run, bounds=1)

    assert set(ranges(found)) == {""}
    assert 'href="?bounds=1"' in found.content.decode()
    assert all(ranges(shown)[:4])
    assert len(asked) == len(unasked) + 2 <= 15


def test_beside_further_measures_the_ranges_are_asked_for(client, engineer, judgment_list, run):
    assert set(ranges(page(client, judgment_list, run, measures="RR"))) == {""}
    assert all(ranges(page(client, judgment_list, run, measures="RR", bounds=1))[:4])


def test_in_a_version_its_own_grades_count(client, engineer, judgment_list, run):
    freeze_version(judgment_list=judgment_list)
    before = ranges(page(client, judgment_list, run, version=1))
    make_grades(judgment_list, judgment_list.query_set.queries.get(external_id="open"), {"X": 1})

    assert ranges(page(client, judgment_list, run, version=1)) == before
    assert all(before[:4])


def test_queries_that_the_formula_leaves_out_are_left_out(client, engineer, judgment_list, run):
    query = make.make_query(judgment_list.query_set, "missing")
    make_grades(judgment_list, query, {"missing-a": 3})
    counted = ranges(page(client, judgment_list, run))

    skipped = ranges(page(client, judgment_list, run, missing="skip"))

    assert skipped[0] == between([1, SECOND], [1, 1])
    assert counted[0] == f"{(1 + SECOND) / 3:.4f} to {2 / 3:.4f}"
