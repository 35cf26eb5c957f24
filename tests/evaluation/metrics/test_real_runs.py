"""Whole files, scored from their text on, against what trec_eval and ir_measures printed for them."""

import csv
from collections import defaultdict

import numpy as np
import pytest

from evaluation.metrics.arrays import ScaleInfo, join
from evaluation.metrics.averages import mean
from evaluation.metrics.formula import GREATEST_CUTOFF, Formula
from evaluation.metrics.ladder import ladder
from evaluation.metrics.order import order
from tests.shared_data import shared_data

ESCI_RUNS = [
    "bm25_full_stem",
    "bm25_title_desc_stem_k09",
    "bm25_title_nostem",
    "bm25plus_full_nostem_b0",
    "lsa300_full",
    "rrf_bm25_lsa",
    "tfidf_full_bigram",
    "tfidf_title_char",
]


def read_qrels(path):
    judgments: dict[str, dict[str, float]] = defaultdict(dict)
    for query, _, document, grade in map(str.split, path.read_text().splitlines()):
        judgments[query][document] = float(grade)
    return judgments


def read_run(path):
    scored: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, document, _, score, *_ = line.split()
        scored[query][document] = float(score)
    return {query: in_order(found) for query, found in scored.items()}


def in_order(scored):
    documents = list(scored)
    return [documents[index] for index in order(np.array(list(scored.values())), documents)]


@pytest.mark.parametrize("name", ESCI_RUNS)
def test_ndcg_global_of_every_query_is_the_expected_one(name):
    judgments = read_qrels(shared_data("esci_opensearch") / "qrels.esci_us_150.txt")
    with (shared_data("esci_runs") / "expected_per_topic.csv").open(newline="") as lines:
        expected = {
            row["query_id"]: float(row["ndcg_cut_10"]) for row in csv.DictReader(lines) if row["run"] == name
        }

    queries, run = join(
        judgments, read_run(shared_data("esci_runs") / f"{name}.trec"), ScaleInfo(top_grade=3)
    )
    ndcg = dict(zip(queries, ladder(run, Formula()).ndcg("global").tolist(), strict=True))

    assert len(ndcg) == 150
    assert ndcg == pytest.approx(expected | dict.fromkeys(ndcg.keys() - expected.keys(), 0), abs=1e-6)


@pytest.mark.parametrize(
    ("output", "qrels", "results"),
    [
        ("out.test.aq", "qrels.test", "results.test"),
        ("out.test.aqc", "qrels.test", "results.trunc"),
        ("out.test.aql", "qrels.rel_level", "results.test"),
    ],
)
def test_trec_evals_own_test_files_give_its_printed_values(output, qrels, results):
    folder = shared_data("trec_eval")
    printed = [line.split() for line in (folder / output).read_text().splitlines()]
    queries, run = join(read_qrels(folder / qrels), read_run(folder / results), ScaleInfo(top_grade=4))

    compared = 0
    for measure, query, value in printed:
        if measure != "ndcg" and not measure.startswith("ndcg_cut_"):
            continue
        cutoff = GREATEST_CUTOFF if measure == "ndcg" else int(measure.removeprefix("ndcg_cut_"))
        ndcg = ladder(run, Formula(cutoff=cutoff)).ndcg("global")
        ours = mean(ndcg) if query == "all" else ndcg[queries.index(query)]
        assert f"{ours:.4f}" == value, (measure, query)
        compared += 1
    assert compared == 10 * (len(queries) + 1)
