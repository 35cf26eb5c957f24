"""How the numbers of each tool in the conformance cases are reached, and where we differ from one and why.

Every number of every tool is accounted for: it is reproduced (REPRODUCED), or what it measures is something else
(OTHER), or the tool and we differ for a reason that is named (DIVERGENCES), and then we must differ indeed.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tests.shared_data import ROOT
from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.order import Precision, order
from touchstone_core.metrics.presets import PRESETS

CASES = ROOT / "conformance" / "cases.json"
EXACT, SINGLE = 1e-9, 1e-5  # XGBoost computes in float32 in part, and gdeval prints five decimals

Case = Mapping[str, Any]


def ordered(case: Case, precision: Precision = "single") -> list[str]:
    """As score and ID make it."""
    scores = None if case["scores"] is None else np.array(case["scores"], dtype=np.float64)
    return [case["ranking"][index] for index in order(scores, case["ranking"], precision)]


def in_double(case: Case) -> list[str]:
    """The same by scores in double precision, as trec_eval 10.0 compares them."""
    return ordered(case, "double")


def stable(case: Case) -> list[str]:
    """By score, and as listed where scores are equal."""
    scores = case["scores"] or [0] * len(case["ranking"])
    return [case["ranking"][index] for index in np.argsort(-np.array(scores), kind="stable")]


def ascending(case: Case) -> list[str]:
    """By score, and by ascending ID where scores are equal."""
    if case["scores"] is None:
        return list(case["ranking"])
    return [document for _, document in sorted(zip(-np.array(case["scores"]), case["ranking"], strict=True))]


def listed(case: Case) -> list[str]:
    """As the case lists it, for the tools that know no scores."""
    return list(case["ranking"])


def union(case: Case) -> list[str]:
    """With the judged documents that it lacks behind it, as the meta of the cases says."""
    return stable(case) + sorted(set(case["judgments"]) - set(case["ranking"]))


class Way(NamedTuple):
    """How to reach a tool's number: a measure or a preset (`k` for the cutoff), and what it is shown."""

    measure: str
    ranking: Callable[[Case], list[str]] = ordered
    tolerance: float = EXACT
    whole_grades: bool = False  # read with atol() or as an int: .5 becomes 0


def trec_eval(binary: str = "", graded: str = "") -> dict[str, Way]:
    measures = {
        "map": f"AP{binary}",
        "Rprec": f"Rprec{binary}",
        "bpref": f"Bpref{binary}",
        "recip_rank": f"RR{binary}",
        "P_k": f"P{binary}@k",
        "recall_k": f"R{binary}@k",
        "success_k": f"Success{binary}@k",
        "infAP": "infAP",
        "dcg": "DCG",
        "ideal_dcg": "IDCG",
        "ndcg": f"nDCG{graded}",
        "ndcg_cut_k": f"nDCG{graded}@k",
    }
    return {name: Way(measure, whole_grades=True) for name, measure in measures.items()}


def both_lists(name: str, measure: str, tolerance: float = EXACT) -> dict[str, Way]:
    return {
        f"{name}[retrieved]": Way(measure, stable, tolerance),
        f"{name}[union]": Way(measure, union, tolerance),
    }


IR_MEASURES = {
    name: Way(name)
    for name in (
        "nDCG@k",
        "nDCG",
        "nDCG(judged_only=True)@k",
        "P@k",
        "R@k",
        "AP",
        "AP@k",
        "RR",
        "Bpref",
        "infAP",
        "Rprec",
        "Success@k",
        "Judged@k",
        "Judged",
    )
}


def doubles(ways: Mapping[str, Way]) -> dict[str, Way]:
    """The ways of a tool that compares scores in double precision."""
    return {
        name: way._replace(ranking=in_double) if way.ranking is ordered else way for name, way in ways.items()
    }


REPRODUCED: Mapping[str, Mapping[str, Way]] = {
    "formula": doubles(
        {
            "dcg_linear@k": Way("DCG@k"),
            "ideal_dcg_linear@k": Way("IDCG@k"),
            "ndcg_linear@k": Way("nDCG@k"),
            "ndcg_linear": Way("nDCG"),
            "dcg_exp@k": Way("DCG(gain='exp')@k"),
            "ideal_dcg_exp@k": Way("IDCG(gain='exp')@k"),
            "ndcg_exp@k": Way("nDCG(gain='exp')@k"),
            "ndcg_jarvelin_kekalainen_b2@k": Way("jarvelin-kekalainen"),
            "elasticsearch_dcg_normalize@k": Way("elasticsearch", stable),
            "judged@k(denominator min(k,n))": Way("Judged@k"),
        }
    ),
    "trec_eval-10.0": doubles(trec_eval() | {"ndcg_cut_k": Way("trec-eval", whole_grades=True)}),
    "trec_eval-10.0 -l2": doubles(trec_eval(binary="(rel=2)")),
    "trec_eval-10.0 -J": doubles(trec_eval("(unjudged='condensed')", "(unjudged='condensed')")),
    "ir_measures-0.4.3": IR_MEASURES
    | {
        "nDCG(dcg='exp-log2')@k": Way("gdeval", in_double, SINGLE),
        "ERR@k": Way("ERR(max=4)@k", in_double, SINGLE),
        # Unlike its other measures, these two do not break ties by descending ID.
        "RR@k": Way("RR@k", ascending),
        "RBP(rel=1,p=0.8)": Way("RBP(rel=1,p=0.8)", stable),
    },
    "scikit-learn-1.9.1": both_lists("ndcg_score@k", "scikit-learn"),
    "lightgbm-4.7.0": both_lists("ndcg@k", "lightgbm"),
    "xgboost-3.2.0": both_lists("ndcg@k", "xgboost", SINGLE)
    | both_lists("ndcg@k(ndcg_exp_gain=false)", "nDCG(ideal='recall',zero=1)@k", SINGLE)
    | both_lists("ndcg@k-", "nDCG(gain='exp',ideal='recall')@k", SINGLE),
    "ranklib-2.10.2-SNAPSHOT": {
        "NDCG@k[retrieved]": Way("ranklib", listed, whole_grades=True),
        "NDCG@k[qrel]": Way("ranklib-qrel", listed, whole_grades=True),
        "DCG@k[retrieved]": Way("DCG(gain='exp')@k", listed, whole_grades=True),
        "ERR@k[retrieved]": Way("ERR(max=4)@k", listed, whole_grades=True),
        "RR@k[retrieved]": Way("RR@k", listed, SINGLE, whole_grades=True),
        "MAP[qrel]": Way("AP", listed, whole_grades=True),
    },
    "quepid-f80322f(server-side)": {
        "nDCG@k": Way("quepid", listed),
        "nDCG_CUT@k": Way("quepid-cut", listed),
        "nDCG(before 8.1)@k": Way("quepid-old", listed),
        "DCG@k": Way("DCG(gain='exp')@k", listed),
        "CG@k": Way("CG@k", listed),
        "ERR@k": Way("ERR(max=3)@k", listed),
        "RR@k": Way("RR@k", listed),
    },
    "pyNTCIREVAL-0.0.3": {
        "nDCG(J&K,b=2)@k": Way("jarvelin-kekalainen", listed),
        "MSnDCG@k": Way("nDCG@k", listed),
    },
}

OTHER = {
    ("formula", "judged@k(denominator k)"): "divides by k where the ranking is shorter",
    ("scikit-learn-1.9.1", "ndcg_score@k(ignore_ties)[retrieved]"): "breaks ties by reversed position",
    ("scikit-learn-1.9.1", "ndcg_score@k(ignore_ties)[union]"): "breaks ties by reversed position",
    ("ranklib-2.10.2-SNAPSHOT", "MAP[retrieved]"): "divides by the relevant documents retrieved",
    ("ranklib-2.10.2-SNAPSHOT", "P@k[retrieved]"): "divides by min(k, n)",
    ("quepid-f80322f(server-side)", "AP@k"): "divides by min(R, k, n)",
    ("quepid-f80322f(server-side)", "P@k"): "divides by min(k, n)",
}


QUEPID, RANKLIB, IR = "quepid-f80322f(server-side)", "ranklib-2.10.2-SNAPSHOT", "ir_measures-0.4.3"
EVERYTHING = ("*",)
NEGATIVE = ("negative_grade_at_top", "negative_minus_two", "negative_only")
TIED = (
    "tie_all_relevant_first_by_docno_asc",
    "tie_all_relevant_last_by_docno",
    "tie_two_groups",
    "random_03",
    "random_07",
)


class Divergence(NamedTuple):
    """Ours is another number for these names of a tool and these cases, or refused, and that is right."""

    tool: str
    names: tuple[str, ...]
    cases: tuple[str, ...]
    reason: str


DIVERGENCES = [
    *(
        Divergence(tool, EVERYTHING, ("duplicate_relevant_doc",), "a document twice in a ranking is refused")
        for tool in REPRODUCED
        if not tool.startswith("trec_eval")  # it refuses too
    ),
    Divergence(
        "scikit-learn-1.9.1",
        ("ndcg_score@k[retrieved]", "ndcg_score@k[union]"),
        TIED,
        "it averages over the orders of tied documents; a test below reproduces that",
    ),
    Divergence(
        "formula",
        ("elasticsearch_dcg_normalize@k",),
        (*NEGATIVE, "infap_pool_sample"),
        "a negative grade has a negative gain there",
    ),
    Divergence(
        "xgboost-3.2.0",
        ("ndcg@k(ndcg_exp_gain=false)[retrieved]", "ndcg@k(ndcg_exp_gain=false)[union]"),
        ("negative_grade_at_top", "negative_minus_two", "infap_pool_sample"),
        "a negative grade has a negative gain there",
    ),
    Divergence(
        QUEPID,
        ("nDCG@k", "nDCG_CUT@k", "nDCG(before 8.1)@k", "ERR@k"),
        (*NEGATIVE, "infap_pool_sample"),
        "a negative grade has a negative gain there",
    ),
    Divergence(QUEPID, ("DCG@k", "CG@k"), NEGATIVE, "a negative grade has a negative gain there"),
    Divergence(
        QUEPID,
        ("ERR@k",),
        ("large_grade_gap", "grades_0_to_4", "grade_above_four", "random_01", "random_03", "random_08"),
        "its scorer's scale ends at 3, and a grade above the top is refused here",
    ),
    Divergence(
        RANKLIB, ("ERR@k[retrieved]",), ("grade_above_four",), "it takes 4 for the top and turns negative"
    ),
    Divergence(QUEPID, ("RR@k",), ("float_grades_half",), "every grade above 0 counts as relevant there"),
    Divergence(
        RANKLIB,
        ("RR@k[retrieved]", "MAP[qrel]"),
        ("float_grades_half",),
        "the label .5 counts as relevant, while the same grade in the qrels is cut to 0: its MAP is 2",
    ),
]


def divergence(tool: str, name: str, case: Case) -> Divergence | None:
    for found in DIVERGENCES:
        if (
            found.tool == tool
            and case["name"] in found.cases
            and (found.names == EVERYTHING or name in found.names)
        ):
            return found
    return None


def expected(case: Case, tool: str) -> dict[str, float]:
    """The numbers that a tool gave, the cutoff left out of the names; where it gave an error there is none."""
    found = case["formula"] if tool == "formula" else case["expected"].get(tool, {})
    numbers = {name: value for name, value in found.items() if isinstance(value, int | float)}
    return {re.sub(r"(?<=[@_])\d+", "k", name): value for name, value in numbers.items()}


def ours(case: Case, way: Way) -> float:
    judgments = {
        document: int(grade) if way.whole_grades else grade for document, grade in case["judgments"].items()
    }
    scale = ScaleInfo(top_grade=max(judgments.values(), default=0))
    _, run = join({"q": judgments}, {"q": way.ranking(case)}, scale)
    if way.measure in PRESETS:
        return float(PRESETS[way.measure].values(run, case["k"])[0])
    return float(parse(way.measure.replace("@k", f"@{case['k']}")).values(run)[0])
