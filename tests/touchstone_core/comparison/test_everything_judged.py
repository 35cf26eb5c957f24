"""Where all that the runs retrieved is judged nothing is unknown, and only where nothing is unknown is a verdict certain."""

import pytest

from tests.touchstone_core.comparison.worlds import said
from touchstone_core.comparison.coverage import Coverage
from touchstone_core.comparison.verdict import is_settled

GRADES = {"g": 3, "h": 2, "z": 0}
JUDGED = (GRADES, ["z", "g", "h"], ["g", "h", "z"])
UNKNOWN = "What unjudged documents could change is known for NDCG@10 only."


@pytest.mark.parametrize(
    "measure", ["AP", "RR", "nDCG@2", "nDCG(unjudged='condensed')@10", "Bpref", "nDCG@200"]
)
def test_where_everything_is_judged_a_further_measure_is_as_certain_as_ndcg(world, measure):
    queries = [JUDGED] * 40

    found, plain, todo = said(world, queries, measure, 10)

    assert (found.kind, found.headline, todo) == ("better", "Better", "Ship new.")
    assert "No unjudged result can turn that around." in plain.reasons
    assert found.details.endswith("Every document that these runs retrieved is judged.")


@pytest.mark.parametrize("measure", ["AP", "nDCG@2"])
@pytest.mark.parametrize(
    "query",
    [
        (GRADES, ["z", "g", "h", "u"], ["g", "h", "z", "u"]),  # an unjudged document changes the ideal
        (
            GRADES,
            ["z", "g", "h"],
            ["g", "h", "z"],
            ["u", "g", "h"],
        ),  # also one that only a third run retrieved
    ],
)
def test_a_single_unjudged_document_leaves_a_further_measure_unknown(world, measure, query):
    every_run_judged = [(*query[:3], *([["g", "h", "z"]] * (len(query) - 3)))] * 39

    found, plain, _ = said(world, [*every_run_judged, query], measure, 10)

    assert (found.kind, found.headline) == ("open", "Better on current judgments")
    assert UNKNOWN in plain.reasons


def test_a_query_that_may_get_a_value_leaves_a_further_measure_unknown(world):
    """Nothing is relevant in the last query so far; if u is, it counts, and the run doesn't show it."""
    left_out = ({"z": 0}, ["z", "u"], ["z"])

    found, _, _ = said(world, [*[JUDGED] * 40, left_out], "nDCG(zero='skip')@5", 10)
    without, _, _ = said(world, [*[JUDGED] * 40, ({"z": 0}, ["z"], ["z"])], "nDCG(zero='skip')@5", 10)

    assert (found.headline, without.headline) == ("Better on current judgments", "Better")


def test_equal_pages_settle_nothing_where_what_stands_below_moves_up(world):
    """Without u, the third document is on the page: h of the one run, z of the other. If u is judged, pages are equal."""
    queries = [(GRADES, ["u", "g", "h"], ["u", "g", "z"])] * 40

    found, _, _ = said(world, queries, "nDCG(unjudged='condensed')@2", 2)

    assert found.headline == "Worse on current judgments"


def test_recall_is_settled_as_deep_as_it_looks():
    """Its ideal is made of the retrieved documents within its depth; that of an average precision of all."""
    coverage = Coverage(1.0, 1.0, "top 50")

    assert is_settled(None, coverage, "recall")
    assert is_settled(None, coverage, "local")
    assert not is_settled(None, coverage, "AP@50")
    assert not is_settled(None, Coverage(1.0, 1.0, "top 50", left_out=True), "recall")
