import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.order import order, tied_within
from tests.evaluation.metrics.refusals import refused

SCORES = st.sampled_from([-1.5, -0.0, 0.0, 1.0, 2.0]) | st.floats(allow_nan=False)
IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)


def ordered(scored):
    documents = list(scored)
    indices = order(np.array([scored[document] for document in documents], dtype=np.float64), documents)
    return [documents[index] for index in indices]


@given(st.dictionaries(IDS, SCORES, max_size=12))
def test_higher_scores_come_first_and_ties_fall_to_the_greater_bytes(scored):
    expected = sorted(scored, key=lambda document: (scored[document], document.encode()), reverse=True)

    assert ordered(scored) == expected


@given(
    st.dictionaries(
        st.text("abé9_☃", min_size=1, max_size=3), st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=8
    )
)
def test_trec_eval_puts_every_document_at_the_same_rank(scored):
    ranking = ordered(scored)

    # The reciprocal rank of a single relevant document tells where trec_eval has put it.
    qrels = {document: {document: 1} for document in scored}
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(dict.fromkeys(scored, scored))

    for rank, document in enumerate(ranking, 1):
        assert evaluated[document]["recip_rank"] == pytest.approx(1 / rank)


def test_scores_that_differ_only_beyond_float32_are_no_tie():
    assert ordered({"a": 1.00000001, "b": 1.0}) == ["a", "b"]


def test_without_scores_the_given_order_stands():
    assert order(None, ["b", "c", "a"]).tolist() == [0, 1, 2]
    assert not tied_within(None, 10)


def test_no_document_is_an_order_too():
    assert order(np.array([]), []).tolist() == []
    assert not tied_within(np.array([]), 10)


def test_a_score_that_is_no_number_is_refused():
    with refused("A retrieval score is not a number, so the ranking has no order."):
        order(np.array([1.0, np.nan]), ["a", "b"])


def test_every_document_needs_a_score():
    with refused("There are 1 scores for 2 documents."):
        order(np.array([1.0]), ["a", "b"])


@pytest.mark.parametrize(
    ("scores", "cutoff", "tied"),
    [
        ([3, 2, 1], 3, False),
        ([3, 3, 1], 1, True),
        ([3, 3, 1], 3, True),
        ([3, 2, 2, 1], 2, True),
        ([3, 2, 1, 1], 2, False),
        ([1, 3, 1, 2], 3, True),
        ([1], 10, False),
    ],
)
def test_a_tie_matters_inside_the_cutoff_and_across_it(scores, cutoff, tied):
    assert tied_within(np.array(scores, dtype=np.float64), cutoff) is tied
