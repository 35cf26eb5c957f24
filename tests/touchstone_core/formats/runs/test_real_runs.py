"""Real runs, and random ones, against independent implementations of the same order."""

import gzip
import json
import random
from array import array
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given
from hypothesis import strategies as st

from tests.shared_data import shared_data
from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import RANK_CONFLICT
from touchstone_core.formats.runs.runs import ParsedFile, ParsedRun, read_file
from touchstone_core.formats.text import decode
from touchstone_core.metrics.order import order
from touchstone_core.metrics.types import Floats
from touchstone_core.words import is_visible

RUNS = [
    "bm25_full_stem",
    "bm25_title_desc_stem_k09",
    "bm25_title_nostem",
    "bm25plus_full_nostem_b0",
    "lsa300_full",
    "rrf_bm25_lsa",
    "tfidf_full_bigram",
    "tfidf_title_char",
]


def read_bytes(data: bytes) -> ParsedRun:
    return read_run(decode(data, name="run", limit=1_000_000_000))


def as_lists(run: ParsedRun) -> dict[str, tuple[list[str], Sequence[float] | Floats | None]]:
    return {ranking.query: (ranking.documents, ranking.scores) for ranking in run.rankings}


@pytest.mark.parametrize("folder", ["esci_runs", "esci_small/runs"])
@pytest.mark.parametrize("name", RUNS)
def test_real_runs_hold_what_an_independent_parser_finds(folder: str, name: str):
    path = shared_data(folder) / f"{name}.trec"

    run = read_bytes(path.read_bytes())

    with path.open() as stream:
        expected = pytrec_eval.parse_run(stream)
    assert run.report.ok
    assert run.name == name
    assert {r.query: dict(zip(r.documents, r.scores or [], strict=True)) for r in run.rankings} == expected
    for ranking in run.rankings:
        scores = expected[ranking.query]
        by_bytes = sorted(scores, key=lambda document: (scores[document], document.encode()), reverse=True)
        assert ranking.documents == by_bytes


def test_trec_evals_own_run_is_read_whole():
    run = read_bytes((shared_data("trec_eval") / "results.test").read_bytes())

    assert (run.name, run.rows, len(run.rankings)) == ("STANDARD", 1500, 3)
    assert run.report.ok
    assert run.report.warnings.counts == {"equal scores in a query": 3}


def test_lines_with_more_than_six_columns_are_refused_one_by_one():
    run = read_bytes((shared_data("trec_eval") / "results.trunc").read_bytes())

    assert run.format == "trec"
    assert run.report.errors.counts["wrong number of columns"] > 0


def test_ranx_gives_the_same_run_as_json_and_as_trec():
    folder = shared_data("ranx")

    from_json = read_bytes((folder / "run.json").read_bytes())
    from_trec = read_bytes((folder / "run.trec").read_bytes())

    assert (from_json.format, from_trec.format) == ("json", "trec")
    assert as_lists(from_json) == as_lists(from_trec)
    assert as_lists(from_json)["q1"] == (["d3", "d2", "d1"], [0.3, 0.2, 0.1])


def test_runs_with_whole_scores_in_rank_order_have_no_warnings():
    for path in (shared_data("quepid_haystack") / "runs").glob("*.trec"):
        assert read_bytes(path.read_bytes()).report.warnings.counts == {}


def test_shuffling_or_packing_a_file_changes_no_ranking():
    data = (shared_data("esci_small") / "runs" / "bm25_full_stem.trec").read_bytes()
    lines = data.splitlines(keepends=True)
    random.Random(7).shuffle(lines)

    assert as_lists(read_bytes(gzip.compress(b"".join(lines)))) == as_lists(read_bytes(data))


IDS = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=6
).filter(is_visible)
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0]) | st.floats(allow_nan=False, allow_infinity=False)
RANKINGS = st.dictionaries(IDS, SCORES, min_size=1, max_size=9)


def in_a_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@given(st.dictionaries(IDS.filter(lambda query: not query.startswith("#")), RANKINGS, min_size=1, max_size=4))
@example({"0": {"'=": 0.0}})
def test_every_format_gives_the_order_that_the_measures_would_give(run: dict[str, dict[str, float]]):
    trec = "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, scores in run.items() for d, s in scores.items())
    table = "query\tdocument\tscore\n" + "".join(
        f"{in_a_cell(q)}\t{in_a_cell(d)}\t{s!r}\n" for q, scores in run.items() for d, s in scores.items()
    )

    by_format = {
        "trec": read_run(text_of(trec), format="trec"),
        "tsv": read_run(text_of(table), format="tsv"),
        "json": read_run(text_of(json.dumps(run))),
    }

    expected = {}
    for query, scores in run.items():
        documents = list(scores)
        indices = order(np.array(list(scores.values())), documents)
        expected[query] = [documents[index] for index in indices]
    for run_read in by_format.values():
        assert run_read.report.ok
        assert {ranking.query: ranking.documents for ranking in run_read.rankings} == expected
        single = {q: set(array("f", scores.values())) for q, scores in run.items()}
        assert all(r.tied == (len(single[r.query]) < len(r.documents)) for r in run_read.rankings)


def read_whole(folder: str, name: str) -> ParsedFile:
    path = shared_data(folder) / name
    return read_file(path.read_bytes(), name=path.name, limit=1_000_000_000)


@pytest.mark.parametrize(
    ("folder", "name", "format", "queries", "rows"),
    [
        ("quepid_haystack", "runs/haystack_no_vector.trec", "trec", 135, 1274),
        ("quepid_haystack", "runs/haystack_vector_2.trec", "trec", 135, 1350),
        ("quepid_haystack", "runs/haystack_with_vector.trec", "trec", 135, 1350),
        ("quepid_haystack", "static_queryset.csv", "csv", 1, 3),
        ("ranx", "run.json", "json", 2, 5),
        ("ranx", "run.trec", "trec", 2, 5),
        ("ranx", "nb_results.test", "trec", 3, 1500),
        ("trec_eval", "results.test", "trec", 3, 1500),
        ("esci_runs", "bm25_full_stem.trec", "trec", 147, 14165),
        ("esci_runs", "tfidf_title_char.trec", "trec", 150, 15000),
    ],
)
def test_real_files_hold_as_many_queries_and_documents_as_they_should(folder, name, format, queries, rows):
    file = read_whole(folder, name)

    (run,) = file.runs
    assert file.report.ok
    assert (file.format, len(run.rankings), run.rows) == (format, queries, rows)
    assert run.by_text == (name == "static_queryset.csv")


@pytest.mark.parametrize("name", ["bm25_full_stem", "lsa300_full", "tfidf_title_char"])
def test_ranks_that_break_ties_in_another_way_are_no_disagreement(name):
    """Of these runs 107, 32 and 41 queries have another order by ID within equal scores, and none by score."""
    path = shared_data("esci_runs") / f"{name}.trec"
    rows = [line.split() for line in path.read_text().splitlines()]
    by_rank = sorted((query, int(rank), float(score)) for query, _, _, rank, score, _ in rows)
    assert all(one[0] < other[0] or one[2] >= other[2] for one, other in pairwise(by_rank))

    assert RANK_CONFLICT not in read_whole("esci_runs", path.name).report.warnings.counts


@given(
    st.lists(
        st.tuples(st.sampled_from([1.0, 1.00000001, 2.0, 3.0]), st.integers(1, 5)), min_size=1, max_size=7
    )
)
def test_ranks_disagree_where_some_pair_of_documents_is_the_other_way_round(rows):
    text = "".join(f"q Q0 d{place} {rank} {score} t\n" for place, (score, rank) in enumerate(rows))
    single = [(np.float32(score), rank) for score, rank in rows]

    warnings = read_run(text_of(text)).report.warnings

    assert (RANK_CONFLICT in warnings.counts) == any(
        one[0] > other[0] and one[1] > other[1] for one in single for other in single
    )


@pytest.mark.parametrize(
    ("folder", "name", "message"),
    [
        ("trec_eval", "qrels.test", "has four columns, as judgments"),
        ("ranx", "qrels.trec", "has four columns, as judgments"),
        ("quepid_haystack", "case_qrels.txt", "has four columns, as judgments"),
        ("quepid_haystack", "haystack_docs.csv", "needs a column for query"),
        ("rre", "quepid_mock_rre.json", "holds judgments, not a run"),
        ("esci_opensearch", "esci_us_judgments.json", "holds judgments, not a run"),
        ("esci_opensearch", "judgment_after.json", "holds judgments, not a run"),
        ("esci_opensearch", "products.csv.gz", "needs a column for query"),
        ("chorus_ratings", "Broad_Query_Set_rated.csv", "holds judgments: it has a column “rating”"),
    ],
)
def test_real_files_of_something_else_are_refused_in_one_sentence(folder, name, message):
    with pytest.raises(FormatError, match=message):
        read_whole(folder, name)


def test_several_real_runs_in_one_file_are_split_into_what_they_were():
    paths = [shared_data("esci_runs") / f"{name}.trec" for name in RUNS]
    data = b"".join(path.read_bytes() for path in paths)

    file = read_file(data, name="all", limit=1 << 30, options=Options(several="split"))

    assert [run.name for run in file.runs] == RUNS
    for run, path in zip(file.runs, paths, strict=True):
        assert as_lists(run) == as_lists(read_bytes(path.read_bytes()))
        assert run.report.ok
