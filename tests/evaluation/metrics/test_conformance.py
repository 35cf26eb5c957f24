"""Our values against those that the tools people use gave when they were run on the same cases.

Where a tool cannot take a case it says so (an error instead of a number) and nothing is compared.
"""

import json
import re

import numpy as np
import pytest

from evaluation.metrics.arrays import ScaleInfo, join
from evaluation.metrics.averages import mean
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.formula import GREATEST_CUTOFF, Formula
from evaluation.metrics.ladder import Ladder, ladder
from evaluation.metrics.order import order
from tests.evaluation.metrics.scenes import score
from tests.shared_data import ROOT, shared_data

CASES = ROOT / "conformance" / "cases.json"
NAMES = [case["name"] for case in json.loads(CASES.read_bytes())["cases"]] if CASES.exists() else ["(absent)"]

EXACT, SINGLE = 1e-9, 1e-5  # XGBoost computes in float32 in part, and gdeval prints five decimals


@pytest.fixture(scope="module")
def conformance():
    return json.loads((shared_data("conformance") / "cases.json").read_bytes())


@pytest.fixture
def case(conformance, request):
    found = next(case for case in conformance["cases"] if case["name"] == request.param)
    if "duplicates" in found["tags"]:
        pytest.skip("a document twice in a ranking is refused; a test of its own says so")
    return found


each_case = pytest.mark.parametrize("case", NAMES, indirect=True)


def in_order(case):
    """The ranking that score and id make."""
    scores = None if case["scores"] is None else np.array(case["scores"], dtype=np.float64)
    return [case["ranking"][index] for index in order(scores, case["ranking"])]


def tied(case):
    return case["scores"] is not None


def union(case):
    """The ranking with the judged documents that it lacks behind it, as the meta of the cases says."""
    return in_order(case) + sorted(set(case["judgments"]) - set(case["ranking"]))


def condensed(case):
    return [document for document in in_order(case) if case["judgments"].get(document, -1) >= 0]


def values(case, tool):
    """The measures that a tool gave numbers for, their cutoff left out of the name."""
    found = case["formula"] if tool == "formula" else case["expected"].get(tool, {})
    numbers = {name: value for name, value in found.items() if isinstance(value, int | float)}
    return {re.sub(r"(?<=[@_])\d+", "k", name): value for name, value in numbers.items()}


def check(given, name, ours, tolerance=EXACT):
    if name in given:
        assert ours == pytest.approx(given[name], abs=tolerance), name


def scored(case, ranking, cutoff=None, **choices) -> Ladder:
    return score(case["judgments"], ranking, Formula(cutoff=cutoff or case["k"], **choices))


@each_case
def test_the_plain_formulas_agree(case):
    given = values(case, "formula")
    linear, exponential = scored(case, in_order(case)), scored(case, in_order(case), gain="exp")

    check(given, "dcg_linear@k", linear.dcg[0])
    check(given, "ideal_dcg_linear@k", linear.ideal_global[0])
    check(given, "ndcg_linear@k", linear.ndcg("global")[0])
    check(given, "ndcg_linear", scored(case, in_order(case), GREATEST_CUTOFF).ndcg("global")[0])
    check(given, "dcg_exp@k", exponential.dcg[0])
    check(given, "ideal_dcg_exp@k", exponential.ideal_global[0])
    check(given, "ndcg_exp@k", exponential.ndcg("global")[0])
    check(
        given, "ndcg_jarvelin_kekalainen_b2@k", scored(case, in_order(case), discount="jk").ndcg("global")[0]
    )
    check(given, "judged@k(denominator min(k,n))", linear.judged_at_k[0])


@each_case
def test_trec_eval_agrees(case):
    # trec_eval reads a grade with atol(): .5 becomes 0.
    whole = case | {"judgments": {document: int(grade) for document, grade in case["judgments"].items()}}
    given, judged_only = values(case, "trec_eval-10.0"), values(case, "trec_eval-10.0 -J")
    uncut = scored(whole, in_order(case), GREATEST_CUTOFF)

    check(given, "ndcg_cut_k", scored(whole, in_order(case)).ndcg("global")[0])
    check(given, "ndcg", uncut.ndcg("global")[0])
    check(given, "dcg", uncut.dcg[0])
    check(given, "ideal_dcg", uncut.ideal_global[0])
    check(judged_only, "ndcg_cut_k", scored(whole, condensed(case)).ndcg("global")[0])
    check(judged_only, "ndcg", scored(whole, condensed(case), GREATEST_CUTOFF).ndcg("global")[0])


@each_case
def test_ir_measures_agrees(case):
    if "float32" in case["tags"]:
        pytest.skip("pytrec_eval keeps scores as float32 and sees a tie where there is none")
    given = values(case, "ir_measures-0.4.3")

    check(given, "nDCG@k", scored(case, in_order(case)).ndcg("global")[0])
    check(given, "nDCG", scored(case, in_order(case), GREATEST_CUTOFF).ndcg("global")[0])
    check(given, "nDCG(dcg='exp-log2')@k", scored(case, in_order(case), gain="exp").ndcg("global")[0], SINGLE)
    check(given, "nDCG(judged_only=True)@k", scored(case, condensed(case)).ndcg("global")[0])
    if not tied(case):  # its Judged breaks ties by ascending id, unlike its other measures
        check(given, "Judged@k", scored(case, in_order(case)).judged_at_k[0])


@each_case
def test_scikit_learn_agrees_where_nothing_is_tied(case):
    if tied(case):
        pytest.skip("scikit-learn averages over ties")
    given = values(case, "scikit-learn-1.9.1")

    check(given, "ndcg_score@k[retrieved]", scored(case, in_order(case)).ndcg("recall")[0])
    check(given, "ndcg_score@k[union]", scored(case, union(case)).ndcg("recall")[0])


@each_case
@pytest.mark.parametrize("tool", ["lightgbm-4.7.0", "xgboost-3.2.0"])
def test_the_boosters_agree_but_for_an_ideal_of_zero_which_they_call_one(case, tool):
    if tied(case) or "negative_grades" in case["tags"]:
        pytest.skip("ties fall as they are listed there, and a negative grade has a negative gain")
    given = values(case, tool)

    for mode, ranking in (("[retrieved]", in_order(case)), ("[union]", union(case))):
        exponential, linear = scored(case, ranking, gain="exp"), scored(case, ranking)
        zero = float(exponential.ideal_recall[0] == 0)
        check(given, f"ndcg@k{mode}", exponential.ndcg("recall")[0] + zero, SINGLE)
        check(given, f"ndcg@k(ndcg_exp_gain=false){mode}", linear.ndcg("recall")[0] + zero, SINGLE)
        check(given, f"ndcg@k-{mode}", exponential.ndcg("recall")[0], SINGLE)


@each_case
def test_ranklib_agrees(case):
    whole = case | {"judgments": {document: int(grade) for document, grade in case["judgments"].items()}}
    given = values(case, "ranklib-2.10.2-SNAPSHOT")
    listed = scored(whole, case["ranking"], gain="exp")

    check(given, "DCG@k[retrieved]", listed.dcg[0])
    check(given, "NDCG@k[retrieved]", listed.ndcg("recall")[0])
    check(given, "NDCG@k[qrel]", listed.ndcg("global")[0])


@each_case
def test_quepid_agrees(case):
    if "negative_grades" in case["tags"]:
        pytest.skip("a negative grade has a negative gain there")
    given = values(case, "quepid-f80322f(server-side)")
    listed = scored(case, case["ranking"], gain="exp")

    check(given, "nDCG_CUT@k", listed.ndcg("global")[0])
    check(given, "DCG@k", listed.dcg[0])
    check(given, "CG@k", scored(case, case["ranking"], discount="none").dcg[0])


@each_case
def test_pyntcireval_agrees(case):
    if "negative_grades" in case["tags"]:
        pytest.skip("it has no gain for a negative grade")
    given = values(case, "pyNTCIREVAL-0.0.3")

    check(given, "nDCG(J&K,b=2)@k", scored(case, case["ranking"], discount="jk").ndcg("global")[0])
    check(given, "MSnDCG@k", scored(case, case["ranking"]).ndcg("global")[0])


def test_a_document_twice_in_a_ranking_is_refused(conformance):
    case = next(case for case in conformance["cases"] if "duplicates" in case["tags"])

    with pytest.raises(MetricsError, match="stands twice"):
        scored(case, case["ranking"])


@pytest.mark.parametrize("tool", ["trec_eval-10.0 -c", "ir_measures-0.4.3"])
def test_several_queries_and_their_mean_agree(conformance, tool):
    compared = 0
    for case in conformance["multi_query_cases"]:
        if (given := case["expected"].get(tool)) is None or "mean" not in given:
            continue
        name = "ndcg_cut_10" if tool.startswith("trec_eval") else "nDCG@10"
        queries, run = join(case["qrels"], case["run"], ScaleInfo(top_grade=10))
        ndcg = ladder(run, Formula(cutoff=case["k"])).ndcg("global")

        assert mean(ndcg) == pytest.approx(given["mean"][name], abs=EXACT), case["name"]
        for query, value in zip(queries, ndcg, strict=True):
            check(given["per_query"].get(query, {}), name, value)
        compared += 1
    assert compared >= 4
