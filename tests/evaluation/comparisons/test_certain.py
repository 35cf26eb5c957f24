"""What a comparison calls certain, where unjudged documents outside the pages could turn it (issue 11)."""

import numpy as np
import pytest

from evaluation.comparisons.actions.comparing import Question, compare_runs
from evaluation.comparisons.reports.comparison_page import comparison_page
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking, make_scale
from touchstone_core.comparison.ruling import Looks
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db


def compare(queries, formula):
    """The figures and the verdict of two runs; `queries` hold grades, the baseline's page and the candidate's."""
    judgment_list = make.make_list(make.make_query_set(), scale=make_scale(0, 1, 2, 3))
    runs = tuple(make.make_run(judgment_list.query_set) for _ in range(2))
    for grades, *pages in queries:
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, grades)
        for run, page in zip(runs, pages, strict=True):
            make_ranking(run, query, page)
    question = Question(judgment_list=judgment_list, version=None, runs=runs, formula=formula, on="global")
    figures = compare_runs(question=question, user=None, at=make.NOW).figures
    return figures, comparison_page(runs, "global", "", figures, [Looks()]).candidates[0]


def test_a_document_below_the_cutoff_lowers_what_is_at_least_reached():
    """d1 = 1 and d0 = 0 are judged and d2 isn't: if it is worth 3, the run that shows d1 first has 1 / 3."""
    queries = [({"d1": 1, "d0": 0}, ["d0", "d2"], ["d1", "d2"])] * 20

    figures, row = compare(queries, Formula(cutoff=1))

    for bound in figures["bounds"]:
        assert bound["low"]["recall"] >= bound["low"]["global"]
    assert (row.interval.low, row.interval.high) == ("0.3333", "1.0000")
    assert row.beside.bounds == "+0.3333 to +1.0000"
    assert row.beside.verdict.headline == "Better"


def test_better_on_ndcg_global_is_certain_in_ndcg_global():
    """The unjudged u is in front of g = 1 in 22 queries and behind it in 20; each page shows it at the same rank as the other.

    It takes no part in the difference, but in the ideal: NDCG-max is settled, NDCG-global is not.
    """
    grades = {"g": 1, "z": 0}
    up, down = (grades, ["u", "z"], ["u", "g"]), (grades, ["u", "g"], ["u", "z"])

    figures, row = compare([up] * 22 + [down] * 20, Formula(cutoff=2))

    (evidence,) = figures["evidence"]
    discount = 1 / np.log2(3)
    most, least = discount, discount / (3 + discount)
    assert evidence["low"] == evidence["high"] > 0
    assert evidence["global_low"] == pytest.approx((22 * least - 20 * most) / 42)
    assert evidence["global_high"] == pytest.approx((22 * most - 20 * least) / 42)
    assert evidence["any_low"] <= evidence["global_low"] < 0 < evidence["global_high"] <= evidence["any_high"]
    assert row.beside.verdict.kind != "better"
