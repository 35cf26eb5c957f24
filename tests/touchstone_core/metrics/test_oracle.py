"""Random judgments and runs, scored by trec_eval's own code (pytrec_eval).

It is kept from what stops it: queries without a judgment from 0, empty rankings, grades that are not whole. Scores
are small whole numbers, which it does not round to float32, so that there are many ties.
"""

import re

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.order import order

DOCUMENTS = [f"d{number}" for number in range(25)]
CUTOFFS = (1, 3, 5, 10, 30)
BINARY = {
    "map": "AP(rel=L)",
    "map_cut": "AP(rel=L)@{}",
    "P": "P(rel=L)@{}",
    "recall": "R(rel=L)@{}",
    "success": "Success(rel=L)@{}",
    "recip_rank": "RR(rel=L)",
    "Rprec": "Rprec(rel=L)",
    "bpref": "Bpref(rel=L)",
    "infAP": "infAP(rel=L)",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG@{}",
}

GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 4), min_size=1).filter(
    lambda grades: max(grades.values()) >= 0
)
SCORES = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-9, 9), min_size=1)
QUERIES = st.dictionaries(st.sampled_from(["q1", "q2", "topic-3"]), st.tuples(GRADES, SCORES), min_size=1)


@given(QUERIES, st.integers(1, 3))
def test_trec_eval_gives_every_query_the_same_values(queries, least):
    qrels = {query: grades for query, (grades, _) in queries.items()}
    run = {
        query: {document: float(score) for document, score in scores.items()}
        for query, (_, scores) in queries.items()
    }
    given_values = pytrec_eval.RelevanceEvaluator(qrels, names(), relevance_level=least).evaluate(run)
    rankings = {query: in_order(scores) for query, scores in run.items()}

    keys, joined = join(qrels, rankings, ScaleInfo(top_grade=4))

    for name in given_values[keys[0]]:
        expected = [given_values[query][name] for query in keys]
        assert measure(name, least).values(joined) == pytest.approx(expected, abs=1e-9), name


def names():
    cut = ",".join(map(str, CUTOFFS))
    return {f"{name}.{cut}" if "@" in text else name for name, text in BINARY.items()}


def measure(name, least):
    base, cutoff = re.fullmatch(r"(.*?)(?:_(\d+))?", name).groups()
    return parse(BINARY[base].format(cutoff).replace("=L", f"={least}"))


def in_order(scores):
    documents = list(scores)
    return [documents[index] for index in order(np.array(list(scores.values())), documents)]
