"""Whole files, scored from their text on, against what trec_eval and ir_measures printed for them."""

import csv
import re

import pytest

from tests.evaluation.real_files import ESCI_RUNS, read_qrels, read_run
from tests.shared_data import shared_data
from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.measure import parse

ESCI_MEASURES = {
    "ndcg_cut_10": parse("nDCG@10"),
    "map_l2": parse("AP(rel=2)"),
    "P_10_l2": parse("P(rel=2)@10"),
    "recip_rank_l2": parse("RR(rel=2)"),
}


@pytest.mark.parametrize("name", ESCI_RUNS)
def test_every_measure_of_every_query_is_the_expected_one(name):
    judgments = read_qrels(shared_data("esci_opensearch") / "qrels.esci_us_150.txt")
    with (shared_data("esci_runs") / "expected_per_topic.csv").open(newline="") as lines:
        rows = {row["query_id"]: row for row in csv.DictReader(lines) if row["run"] == name}

    queries, run = join(
        judgments, read_run(shared_data("esci_runs") / f"{name}.trec"), ScaleInfo(top_grade=3)
    )

    assert len(queries) == 150
    for column, measure in ESCI_MEASURES.items():
        values = dict(zip(queries, measure.values(run).tolist(), strict=True))
        expected = {query: float(rows[query][column]) if query in rows else 0.0 for query in queries}
        assert values == pytest.approx(expected, abs=1e-6), column


MEASURES = {
    r"ndcg": "nDCG",
    r"ndcg_cut_(\d+)": "nDCG@{}",
    r"map": "AP(rel=R)",
    r"map_cut_(\d+)": "AP(rel=R)@{}",
    r"P_(\d+)": "P(rel=R)@{}",
    r"recall_(\d+)": "R(rel=R)@{}",
    r"success_(\d+)": "Success(rel=R)@{}",
    r"recip_rank": "RR(rel=R)",
    r"Rprec": "Rprec(rel=R)",
    r"bpref": "Bpref(rel=R)",
    r"infAP": "infAP(rel=R)",
    r"rbp": "RBP(p=0.9)",
    r"rbp_resid": "RBPres(p=0.9)",
    r"unj_(\d+)": "Holes@{}",
}

# What trec_eval prints and we do not, by name and query, with the reason.
DIVERGENCES = {
    "out.test.aql": {
        ("rbp", "302"): "graded judgments make it read two variables that it never set",
        ("rbp", "303"): "the same",
        ("rbp", "all"): "their mean",
        ("unj_5", "303"): "a negative grade is a judgment to Judged and Holes, as it is to ir_measures",
        ("unj_10", "303"): "the same",
        ("unj_20", "303"): "the same",
        ("unj_5", "all"): "its mean",
        ("unj_10", "all"): "its mean",
        ("unj_20", "all"): "its mean",
    }
}


def read_as_ours(name, least):
    """The measure that trec_eval's name stands for; None where we have none."""
    for pattern, text in MEASURES.items():
        if match := re.fullmatch(pattern, name):
            return parse(text.format(*match.groups()).replace("=R", f"={least}"))
    return None


TREC_EVAL_OUTPUTS = [
    ("out.test.a", "qrels.test", "results.test", 1, None, 50),
    ("out.test.aq", "qrels.test", "results.test", 1, None, 200),
    ("out.test.aqc", "qrels.test", "results.trunc", 1, None, 200),
    ("out.test.aqcM", "qrels.test", "results.trunc", 1, 100, 200),
    ("out.test.aql", "qrels.rel_level", "results.test", 2, None, 200),
]


@pytest.mark.parametrize(("output", "qrels", "results", "least", "depth", "compared"), TREC_EVAL_OUTPUTS)
def test_trec_evals_own_test_files_give_its_printed_values(output, qrels, results, least, depth, compared):
    folder = shared_data("trec_eval")
    judgments = read_qrels(folder / qrels)
    rankings = {query: ranking[:depth] for query, ranking in read_run(folder / results).items()}
    top = max(max(grades.values()) for grades in judgments.values())
    queries, run = join(judgments, rankings, ScaleInfo(top_grade=top))

    differing, same = set(), 0
    for name, query, value in map(str.split, (folder / output).read_text().splitlines()):
        if (measure := read_as_ours(name, least)) is None:
            continue
        values = measure.values(run) / (int(name.removeprefix("unj_")) if name.startswith("unj_") else 1)
        ours = measure.mean(values) if query == "all" else values[queries.index(query)]
        if f"{ours:.4f}" == value:
            same += 1
        else:
            differing.add((name, query))

    assert differing == DIVERGENCES.get(output, {}).keys()
    assert same + len(differing) == compared
