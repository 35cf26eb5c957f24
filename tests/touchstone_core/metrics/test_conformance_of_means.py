"""Means over several queries, as the tools gave them: with and without the queries that a run does not answer."""

import json

import pytest

from tests.shared_data import shared_data
from tests.touchstone_core.metrics.conformance import EXACT, SINGLE
from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.measure import Measure, parse


@pytest.fixture(scope="module")
def cases():
    return json.loads((shared_data("conformance") / "cases.json").read_bytes())["multi_query_cases"]


MULTI_NAMES = {
    "map": "AP",
    "recip_rank": "RR",
    "P_10": "P@10",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "MRR @10": "RR@10",
    "NDCG@10": "nDCG@10",
    "MAP@10": "AP@10",
    "Recall@10": "R@10",
    "MRR@10": "RR@10",
    "nDCG(dcg='exp-log2')@10": "nDCG(gain='exp')@10",
    "ERR@10": "ERR(max=4)@10",
    "ndcg@10": "nDCG@10",
    "ndcg_burges@10": "nDCG(gain='exp')@10",
    "mrr": "RR",
}
MULTI_OTHER = {"num_q", "gm_map"}  # a count, and a geometric mean

# Whether a tool leaves out a judged query that the run does not answer.
LEAVES_OUT = {
    "trec_eval-9.0.8": True,
    "trec_eval-9.0.8 -c": False,
    "trec_eval-10.0": True,
    "trec_eval-10.0 -c": False,
    "pytrec_eval-terrier-0.5.11": True,
    "ir_measures-0.4.3": False,
    "ir_measures-0.4.3 (gdeval)": False,
    "ir_measures-0.4.3 (msmarco)": False,
    "ir_measures-0.4.3 (judged)": False,
    "ranx-0.3.21": True,
    "ranx-0.3.21 make_comparable=True": False,
    "beir-ef83d29": True,
    "beir-ef83d29 evaluate_custom mrr": False,
    "ms_marco_eval.py (official)": False,
}
MULTI_DIVERGENCES = {
    ("trec_eval-9.0.8", "query_with_empty_result_list"): "an empty ranking cannot be written in its file",
    (
        "ms_marco_eval.py (official)",
        "query_without_relevant_documents",
    ): "its reference names relevant documents only, so that the query does not exist",
    (
        "ms_marco_eval.py (official)",
        "query_without_relevant_and_missing_from_run",
    ): "its reference names relevant documents only, so that the query does not exist",
}


@pytest.mark.parametrize("tool", LEAVES_OUT)
def test_several_queries_and_their_mean_agree(cases, tool):
    diverged = {name for name_of_tool, name in MULTI_DIVERGENCES if name_of_tool == tool}
    tolerance = SINGLE if "beir" in tool or "gdeval" in tool else EXACT  # they round to five decimals
    for case in cases:
        given = case["expected"][tool]
        if "mean" not in given:
            continue
        queries, run = join(case["qrels"], case["run"], ScaleInfo(top_grade=4))
        agree = []
        for name, value in given["mean"].items():
            if name in MULTI_OTHER:
                continue
            measure = parse(MULTI_NAMES.get(name, name))
            left_out = Measure(
                measure.name,
                measure.cutoff,
                (*measure.parameters, ("missing", "skip" if LEAVES_OUT[tool] else 0)),
            )
            values = left_out.values(run)
            agree.append(left_out.mean(values) == pytest.approx(value, abs=tolerance))
            for query, number in zip(queries, values, strict=True):
                found = given.get("per_query", {}).get(query, {})
                assert name not in found or number == pytest.approx(found[name], abs=tolerance)
        assert all(agree) == (case["name"] not in diverged), case["name"]
        assert agree
