"""The tie table of the drill-down."""

import numpy as np
import pytest

from evaluation.explain.reports.tied_ranking import ranking_ties, tied_ranks
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.worked_query import work_out

SCALE = ScaleInfo(top_grade=3.0)


def ties(scores, grades, formula, unretrieved=()):
    judged = [grade for grade in grades if grade is not None] + list(unretrieved)
    return ranking_ties(scores, judged, work_out(grades, judged, formula, SCALE), formula, SCALE)


def test_the_table_has_every_measure_as_ordered_and_over_the_orders():
    """Tie c(1), a(3), cutoff 2, and d(2) judged: by ID descending .678762, by ID ascending .851959, expected .765361."""
    found = ties([1.0, 1.0], [1.0, 3.0], Formula(cutoff=2), [2.0])

    rows = {row.name: row for row in found.rows}
    assert list(rows) == ["DCG", "NDCG-local", "NDCG-recall", "NDCG-global", "NDCG-max"]
    row = rows["NDCG-global"]
    numbers = [cell.number for cell in (row.ordered, row.expected, row.least, row.greatest)]
    assert numbers == pytest.approx([0.678762, 0.765361, 0.678762, 0.851959], abs=1e-6)
    assert (row.measure, found.first_tie, found.undefined) == ("nDCG@2", 1, False)
    assert rows["DCG"].greatest.number == pytest.approx(3 + 1 / np.log2(3))


def test_a_spread_that_is_not_defined_is_a_dash():
    found = ties([2.0, 1.0, 1.0], [3.0, 2.0, 1.0], Formula(cutoff=2))

    local = found.rows[1]
    assert (local.ordered.text, local.expected.text, local.greatest.text) == ("1.0000", "–", "–")
    assert found.undefined


@pytest.mark.parametrize(
    ("scores", "grades", "formula"),
    [
        ([], [], Formula()),
        ([3.0, 2.0], [1.0, None], Formula()),
        ([3.0, 2.0, 2.0], [1.0, 2.0, 3.0], Formula(cutoff=1)),
        ([3.0, 2.0, 2.0], [1.0, 2.0, 3.0], Formula(cutoff=1, unjudged="condensed")),
    ],
)
def test_where_no_tie_matters_there_is_no_table(scores, grades, formula):
    assert ties(scores, grades, formula) is None


def test_a_tie_that_is_lifted_above_the_cutoff_matters():
    found = ties([3.0, 2.0, 2.0], [None, 2.0, 3.0], Formula(cutoff=1, unjudged="condensed"))

    assert (found.first_tie, found.rows[0].least.number, found.rows[0].greatest.number) == (2, 2.0, 3.0)


def test_every_rank_knows_with_which_it_is_tied():
    assert tied_ranks([5.0, 4.0, 4.0, 4.0, 1.0, 0.5, 0.5]) == ["", "2–4", "2–4", "2–4", "", "6–7", "6–7"]
    assert tied_ranks([]) == []
