"""The main cause of a query that got worse or better, and its words."""

from math import log2

import numpy as np
import pytest

from touchstone_core.comparison.causes import (
    CauseInput,
    RelevantDocuments,
    cause_words,
    causes,
    causes_of_losses,
    words_of_cause,
    words_of_loss,
)
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ladder import LOSSES, ladder
from touchstone_core.metrics.scale import ScaleInfo

FORMULA = Formula(cutoff=2)
# On every query a, b and c are relevant, z is not, and u is unjudged.
GRADES = {"a": 3.0, "b": 2.0, "c": 1.0, "z": 0.0}


def cause_input(before, after, weights=None, *, with_pages=True, formula=FORMULA):
    """Of two runs; a page of None is a query that the run doesn't answer."""
    judgments = {str(at): GRADES for at in range(len(before))}
    rankings = [
        {str(at): list(page) for at, page in enumerate(pages) if page is not None}
        for pages in (before, after)
    ]
    runs = [join(judgments, of_run, ScaleInfo(top_grade=3))[1] for of_run in rankings]
    ladders = [ladder(run, formula) for run in runs]
    return CauseInput(
        queries=np.arange(len(before)) + 100,
        weights=np.array(weights or [1.0] * len(before)),
        values=np.array([one.ndcg("global") for one in ladders]),
        parts=np.array([[one.dcg, *map(one.loss, LOSSES)] for one in ladders]),
        answered=np.array([one.answered for one in ladders]),
        shown=np.array([one.shown for one in ladders]),
        judged=np.array([one.judged for one in ladders]),
        relevant=RelevantDocuments.of_runs(runs, formula) if with_pages else None,
    )


def causes_of(before, after, **others):
    of = cause_input(before, after, **others)
    return causes(of, 1, of.values[1] - of.values[0])


@pytest.mark.parametrize(
    ("before", "after", "cause", "worse", "better"),
    [
        ("azb", "zab", "order",
         "the first relevant document fell from rank 1 to 2", "the first relevant document rose from rank 2 to 1"),
        ("az", "ua", "order",
         "the first document known to be relevant fell from rank 1 to 2",
         "the first document known to be relevant rose from rank 2 to 1"),
        ("ab", "ba", "order", "relevant documents are in a worse order", "relevant documents are in a better order"),
        ("abz", "azzb", "depth", "1 fewer relevant document in the top 2", "1 more relevant document in the top 2"),
        ("abc", "uzabc", "depth", "2 fewer relevant documents in the top 2", "2 more relevant documents in the top 2"),
        # c is below rank 2 in one run only, but b alone left the page.
        ("ab", "azbc", "depth", "1 fewer relevant document in the top 2", "1 more relevant document in the top 2"),
        ("abc", "cz", "recall", "2 fewer relevant documents retrieved", "2 more relevant documents retrieved"),
        # b and c are missing from both.
        ("a", "z", "recall", "1 fewer relevant document retrieved", "1 more relevant document retrieved"),
        ("ab", None, "no results", "no results", "the baseline has no results"),
        ("ab", "", "no results", "no results", "the baseline has no results"),
        ("ab", "uv", "unknown",
         "unknown: no result on its page is judged", "unknown: no result on the baseline’s page is judged"),
    ],
)  # fmt: skip
def test_the_cause_is_the_step_that_lost_most(before, after, cause, worse, better):
    before, after = before.replace("zz", "zx"), after and after.replace("zz", "zx")

    (lost,) = causes_of([before], [after])["worse"]
    (gained,) = causes_of([after], [before])["better"]

    assert (lost["cause"], gained["cause"]) == (cause, cause)
    assert cause_words(lost, FORMULA, lost=True) == worse
    assert cause_words(gained, FORMULA, lost=False) == better


@pytest.mark.parametrize("after", ["ba", "zba", "zx", "uv", None])
def test_without_the_pages_the_words_have_no_counts(after):
    (lost,) = causes_of(["ab"], [after], with_pages=False)["worse"]

    words = cause_words(lost, FORMULA, lost=True)

    assert lost["relevant"] is None
    assert words
    assert not any(sign.isdigit() for sign in words.replace("rank 2", ""))


def test_relevant_documents_are_counted_where_they_are():
    of = cause_input(["zab", "ubxc"], ["a", None])

    assert of.relevant.first.tolist() == [[2, 2], [1, 0]]
    assert of.relevant.below.tolist() == [[1, 1], [0, 0]]
    assert of.relevant.missing.tolist() == [[1, 1], [2, 3]]
    assert of.relevant.of(np.array([False, True])).missing.tolist() == [[1], [3]]


@pytest.mark.parametrize(
    ("after", "depth", "worse", "better"),
    [
        # b is retrieved, but below the recall depth.
        ("axyb", 3, "1 fewer relevant document retrieved within the first 3 ranks",
         "1 more relevant document retrieved within the first 3 ranks"),
        ("axby", 3, "1 fewer relevant document in the top 2", "1 more relevant document in the top 2"),
    ],
)  # fmt: skip
def test_what_is_below_the_recall_depth_is_not_retrieved(after, depth, worse, better):
    formula = Formula(cutoff=2, depth=depth)

    (lost,) = causes_of(["ab"], [after], formula=formula)["worse"]
    (gained,) = causes_of([after], ["ab"], formula=formula)["better"]

    assert cause_words(lost, formula, lost=True) == worse
    assert cause_words(gained, formula, lost=False) == better


def test_relevant_documents_are_counted_within_the_recall_depth():
    of = cause_input(["xab"], ["xyabc"], formula=Formula(cutoff=2, depth=3))

    assert of.relevant.first.tolist() == [[2], [0]]
    assert of.relevant.below.tolist() == [[1], [1]]
    assert of.relevant.missing.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("depth", "where"),
    [
        (None, ""),
        (1, " at rank 1"),
        (10, " within the first 10 ranks"),
        (1000, " within the first 1,000 ranks"),
    ],
)
def test_what_never_came_has_the_recall_depth_in_its_words(depth, where):
    formula = Formula(cutoff=1, depth=depth)
    record = {"cause": "recall", "relevant": None}

    assert words_of_loss("recall", formula) == f"relevant documents are never retrieved{where}"
    assert words_of_cause("recall", formula) == f"relevant documents are no longer retrieved{where}"
    assert (
        cause_words(record, formula, lost=False)
        == f"relevant documents are retrieved{where} that weren’t before"
    )


def test_frequent_queries_come_first_and_only_those_that_changed():
    found = causes_of(["ab", "ab", "ab", "ba"], ["ba", "za", "ab", "ab"], weights=[9.0, 1, 5, 1])

    assert [one["query"] for one in found["worse"]] == [100, 101]
    assert [one["query"] for one in found["better"]] == [103]
    assert [one["traffic"] for one in found["worse"]] == [9 / 16, 1 / 16]


def test_queries_without_weights_count_the_same():
    found = causes_of(["ab", "ab"], ["ba", "za"], weights=[0.0, 0.0])

    assert [one["query"] for one in found["worse"]] == [101, 100]
    assert found["worse"][0]["traffic"] is None


def test_a_value_is_known_if_a_result_is_judged_or_none_is_shown():
    found = causes_of(["ab", "ab", "uv"], ["uv", None, "ab"])

    assert {one["query"]: one["known"] for one in found["worse"]} == {100: [True, False], 101: [True, True]}
    assert found["better"][0]["known"] == [False, True]


def test_a_measure_that_falls_while_no_step_does_has_no_cause():
    of = cause_input(["ab"], ["ab"])

    (lost,) = causes(of, 1, np.array([-0.5]))["worse"]

    assert cause_words(lost, FORMULA, lost=True) == "no step of the waterfall got worse"


D = 1 / log2(3)
IDEAL = 3 + 2 * D  # of every query: a and b, at cutoff 2


def test_each_cause_has_its_queries_and_what_they_take_from_the_mean_weighted_by_traffic():
    """Weights are 1 to 7, 28 in all. One query got better, and one is the same."""
    before = ["ab", "ab", "ab", "ab", "ab", "ba", "ab"]
    after = ["ba", "azb", "b", None, "uv", "ab", "ab"]

    found = causes_of(before, after, weights=[1.0, 2, 3, 4, 5, 6, 7])["lost"]

    assert [(one["cause"], one["queries"]) for one in found] == [
        ("unknown", 1),
        ("no results", 1),
        ("recall", 1),
        ("depth", 1),
        ("order", 1),
    ]
    assert [one["difference"] for one in found] == pytest.approx(
        [
            -5 / 28,
            -4 / 28,
            -3 * (1 + 2 * D) / IDEAL / 28,
            -2 * 2 * D / IDEAL / 28,
            -(1 - D) / IDEAL / 28,
        ]
    )


def test_a_cause_of_several_queries_counts_them_together_and_no_weights_count_the_same():
    """Two queries lose b below rank 2, one loses it altogether."""
    found = causes_of(["ab"] * 4, ["azb", "azb", "az", "ab"], weights=[0.0] * 4)["lost"]

    assert [(one["cause"], one["queries"]) for one in found] == [("depth", 2), ("recall", 1)]
    assert [one["difference"] for one in found] == pytest.approx([-2 * 2 * D / IDEAL / 4, -2 * D / IDEAL / 4])


def test_more_queries_than_are_named_count_for_their_cause():
    found = causes_of(["ab"] * 9, ["ba"] * 9)

    assert len(found["worse"]) == 5
    assert [(one["cause"], one["queries"]) for one in found["lost"]] == [("order", 9)]


def test_a_query_has_the_waterfall_of_both_runs_in_dcg_points():
    (lost,) = causes_of(["ab"], ["azb"])["worse"]

    # The ideal of max is 3 (1 + D).
    assert lost["ladders"] == [
        pytest.approx([3 + 2 * D, 0, 0, 0, D], abs=1e-12),
        pytest.approx([3, 0, 2 * D, 0, D], abs=1e-12),
    ]


def test_the_main_cause_is_that_of_a_run_alone_too():
    """Of what it loses, instead of how much more than the baseline."""
    losses = np.array([[0.1, 0.3, 0.2], [0.3, 0.3, 0.2], [0, 0, 0], [1, 2, 3], [1, 2, 3]])

    found = causes_of_losses(np.array([2, 2, 2, 2, 0]), np.array([1, 2, 2, 0, 0]), losses)

    assert found == ["depth", "order", "no step", "unknown", "no results"]


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        ("order", "relevant documents are in a worse order"),
        ("depth", "relevant documents fell below rank 10"),
        ("recall", "relevant documents are no longer retrieved"),
        ("no results", "no results"),
        ("unknown", "unknown: no result on its page is judged"),
        ("no step", "no step of the waterfall got worse"),
    ],
)
def test_the_words_of_a_cause_of_many_queries_have_no_counts(cause, words):
    assert words_of_cause(cause, Formula(cutoff=10)) == words
