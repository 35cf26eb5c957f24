import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.metrics.refusals import refused
from touchstone_core.metrics.order import order

SCORES = st.sampled_from([-1.5, -0.0, 0.0, 1.0, 2.0]) | st.floats(allow_nan=False)
IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)


def ordered(scored, precision="single"):
    documents = list(scored)
    scores = np.array([scored[document] for document in documents], dtype=np.float64)
    indices = order(scores, documents, precision)
    return [documents[index] for index in indices]


@given(st.dictionaries(IDS, SCORES, max_size=12))
def test_higher_scores_come_first_and_ties_fall_to_the_greater_bytes(scored):
    expected = sorted(scored, key=lambda document: (scored[document], document.encode()), reverse=True)

    assert ordered(scored, "double") == expected


# Around 1, single precision has steps of 1.2e-7 above and of 6e-8 below.
CLOSE = st.sampled_from([1.0, 2.0, 3.0]) | st.integers(-30, 30).map(lambda step: 1 + step * 1e-8)


@given(st.dictionaries(st.text("abé9_☃", min_size=1, max_size=3), CLOSE, min_size=1, max_size=8))
def test_trec_eval_puts_every_document_at_the_same_rank(scored):
    ranking = ordered(scored)

    # The reciprocal rank of a single relevant document tells where trec_eval has put it.
    qrels = {document: {document: 1} for document in scored}
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(dict.fromkeys(scored, scored))

    for rank, document in enumerate(ranking, 1):
        assert evaluated[document]["recip_rank"] == pytest.approx(1 / rank)


def test_scores_that_differ_only_beyond_single_precision_are_a_tie_unless_double_is_chosen():
    assert ordered({"a": 1.00000001, "b": 1.0}) == ["b", "a"]
    assert ordered({"a": 1.00000001, "b": 1.0}, "double") == ["a", "b"]


def test_scores_beyond_single_precision_are_infinite_there_and_so_equal():
    assert ordered({"a": 1e300, "b": 1e200, "c": -1e300, "d": -1e200}) == ["b", "a", "d", "c"]


def test_without_scores_the_given_order_stands():
    assert order(None, ["b", "c", "a"]).tolist() == [0, 1, 2]


def test_no_document_is_an_order_too():
    assert order(np.array([]), []).tolist() == []


def test_a_score_that_is_no_number_is_refused():
    with refused("A retrieval score is not a number, so the ranking has no order."):
        order(np.array([1.0, np.nan]), ["a", "b"])


def test_every_document_needs_a_score():
    with refused("There are 1 scores for 2 documents."):
        order(np.array([1.0]), ["a", "b"])
