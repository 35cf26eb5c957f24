"""The main cause of a query that got worse or better, and its words."""

import numpy as np
import pytest

from touchstone_core.comparison.causes import CauseInput, RelevantDocuments, cause_words, causes
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.scale import ScaleInfo

FORMULA = Formula(cutoff=2)
# On every query a, b and c are relevant, z is not, and u is unjudged.
GRADES = {"a": 3.0, "b": 2.0, "c": 1.0, "z": 0.0}


def cause_input(before, after, weights=None, *, with_pages=True):
    """Of two runs; a page of None is a query that the run doesn't answer."""
    judgments = {str(at): GRADES for at in range(len(before))}
    rankings = [
        {str(at): list(page) for at, page in enumerate(pages) if page is not None}
        for pages in (before, after)
    ]
    runs = [join(judgments, of_run, ScaleInfo(top_grade=3))[1] for of_run in rankings]
    ladders = [ladder(run, FORMULA) for run in runs]
    return CauseInput(
        queries=np.arange(len(before)) + 100,
        weights=np.array(weights or [1.0] * len(before)),
        values=np.array([one.ndcg("global") for one in ladders]),
        losses=np.array(
            [[one.loss(step) / one.ideal_max for step in ("order", "depth", "recall")] for one in ladders]
        ),
        answered=np.array([one.answered for one in ladders]),
        shown=np.array([one.shown for one in ladders]),
        judged=np.array([one.judged for one in ladders]),
        relevant=RelevantDocuments.of_runs(runs, FORMULA) if with_pages else None,
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
    assert cause_words(lost, 2, lost=True) == worse
    assert cause_words(gained, 2, lost=False) == better


@pytest.mark.parametrize("after", ["ba", "zba", "zx", "uv", None])
def test_without_the_pages_the_words_have_no_counts(after):
    (lost,) = causes_of(["ab"], [after], with_pages=False)["worse"]

    words = cause_words(lost, 2, lost=True)

    assert lost["relevant"] is None
    assert words
    assert not any(sign.isdigit() for sign in words.replace("rank 2", ""))


def test_relevant_documents_are_counted_where_they_are():
    of = cause_input(["zab", "ubxc"], ["a", None])

    assert of.relevant.first.tolist() == [[2, 2], [1, 0]]
    assert of.relevant.below.tolist() == [[1, 1], [0, 0]]
    assert of.relevant.missing.tolist() == [[1, 1], [2, 3]]
    assert of.relevant.of(np.array([False, True])).missing.tolist() == [[1], [3]]


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

    assert cause_words(lost, 2, lost=True) == "no step of the waterfall got worse"
