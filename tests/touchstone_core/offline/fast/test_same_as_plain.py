"""The reader for large files against the plain one: the same arrays, the same errors, ties included."""

import gzip
import math
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.shared_data import shared_data
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.offline import files
from touchstone_core.offline.fast import columns
from touchstone_core.offline.fast.chunks import SIZE, WINDOW
from touchstone_core.offline.fast.probe import index_judgments, join
from touchstone_core.offline.fast.stream import read_parts
from touchstone_core.offline.fast.table import read_qrels_table, read_run_table
from touchstone_core.offline.file_scores import NOT_SAID

pytestmark = pytest.mark.sampled

LIMIT = 1_000_000_000
SCALE = ScaleInfo(top_grade=1e9)
PAGE_SIZE = 3


def plain(qrels: Path, run: Path):
    judged = files.read_judged_file(qrels, small=True, max_grade=SCALE.top_grade)
    return files.read_run_files(run, judged, small=True, page_size=PAGE_SIZE)[0]


def fast(qrels: Path, run: Path, size: int = SIZE):
    table = read_qrels_table(qrels, name=qrels.name, limit=LIMIT, size=size)
    refuse(qrels.name, table.report)
    judgments = index_judgments(table)
    parts_of_run = read_parts(run, judgments, name=run.name, limit=LIMIT, size=size, page_size=PAGE_SIZE)
    refuse(run.name, parts_of_run.report)
    judged_run, unjudged = join(parts_of_run.parts, judgments, SCALE)
    tied, conflicts = (
        sum(part.tied for part in parts_of_run.parts),
        sum(part.conflicts for part in parts_of_run.parts),
    )
    pages = {query: page for part in parts_of_run.parts for query, page in part.pages.items()}
    return files.RunFile(
        *(
            parts_of_run.tag or "run",
            run.name,
            tuple(table.names),
            judged_run,
            unjudged,
            tied,
            conflicts,
            parts_of_run.report,
        ),
        [pages.get(query, []) for query in table.names],
    )


def refuse(name: str, report: Report) -> None:
    if not report.ok:
        raise files.FileRefusedError(name, report)


def outcome(read, *arguments):
    """What a person sees of a file: the arrays, or the sentences that refuse it."""
    try:
        run = read(*arguments)
    except FormatError as error:
        return error.message
    except files.FileRefusedError as error:
        return [*sorted(error.sentences), str(error)]
    counts = {kind: count for kind, count in run.report.warnings.counts.items() if kind not in NOT_SAID}
    arrays = {name: value for name, value in asdict(run.run).items() if name != "scale"}
    pages = [list(page) for page in run.pages]
    return (run.name, run.queries, run.unjudged, run.tied, run.moved, counts, pages, arrays)


def assert_same(one, other):
    if isinstance(one, tuple) and isinstance(other, tuple):
        assert one[:-1] == other[:-1]
        for name, values in one[-1].items():
            assert np.array_equal(values, other[-1][name]), name
    else:
        assert one == other


ESCI = ["bm25_full_stem", "bm25plus_full_nostem_b0", "rrf_bm25_lsa", "tfidf_title_char"]
REAL = [
    ("trec_eval/qrels.test", "trec_eval/results.test"),
    ("trec_eval/qrels.test", "trec_eval/results.trunc"),
    ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
    ("ranx/nb_qrels.trec", "ranx/nb_results.test"),
    ("ranx/qrels.trec", "ranx/run.trec"),
    *[("esci_opensearch/qrels.esci_us_150.txt", f"esci_runs/{name}.trec") for name in ESCI],
]


@pytest.mark.parametrize(("qrels", "run"), REAL)
@pytest.mark.parametrize("size", [SIZE, 5_000])
def test_real_files_give_the_same_arrays(qrels: str, run: str, size: int):
    paths = shared_data(qrels), shared_data(run)

    arrays = outcome(plain, *paths)

    assert_same(outcome(fast, *paths, size), arrays)
    assert isinstance(arrays, tuple)


@pytest.mark.parametrize(
    "change", ["shuffled", "few scores", "crlf", "old mac", "gzip", "utf-16", "bom", "no tag"]
)
def test_changed_files_give_the_same_arrays(tmp_path: Path, change: str):
    qrels = shared_data("esci_opensearch/qrels.esci_us_150.txt")
    lines = shared_data("esci_runs/bm25_full_stem.trec").read_text().splitlines()
    if change == "shuffled":
        lines = [lines[place] for place in np.random.default_rng(1).permutation(len(lines))]
    if change == "few scores":
        lines = [" ".join([*line.split()[:4], str(int(float(line.split()[4]))), "t"]) for line in lines]
    if change == "no tag":
        lines = [" ".join(line.split()[:5]) for line in lines]
    end = {"crlf": "\r\n", "old mac": "\r"}.get(change, "\n")
    data = (end.join(lines) + end).encode({"utf-16": "utf-16", "bom": "utf-8-sig"}.get(change, "utf-8"))
    run = tmp_path / "run"
    run.write_bytes(gzip.compress(data) if change == "gzip" else data)

    results = outcome(plain, qrels, run)

    for size in (SIZE, 7_001):
        assert_same(outcome(fast, qrels, run, size), results)
    assert isinstance(results, tuple)


@pytest.mark.parametrize("shift", range(-3, 4))
@pytest.mark.parametrize(
    "row", ["q1  e1 1 2 t", "q1 Q0 e1 1 2 t", "q1 Q0 e1 1 2 t\n", "# a comment of six words"]
)
def test_an_oddity_is_seen_wherever_the_counting_stops(tmp_path: Path, row: str, shift: int):
    rows, place = [], 0
    while place < WINDOW - 60:
        rows.append(f"q1 Q0 d{place} 1 2 t\n")
        place += len(rows[-1])
    rows.append(f"q1 Q0 {'x' * (WINDOW - place - 15 + shift)} 1 2 t\n{row}\n")
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 d0 1\nq2 0 d1 1\n")
    run.write_text("".join(rows))

    assert_same(outcome(fast, qrels, run), outcome(plain, qrels, run))


@pytest.mark.parametrize(
    "query", ["#" + "q" * 3, "q" * 513, "é" * 300, "é" * 600, "e\u2028", "\u2013", "\u00a0x"]
)
def test_queries_that_are_odd_are_read_alike(tmp_path: Path, query: str):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(f"{query} 0 d0 1\nq2 0 d1 1\n")
    run.write_text(f"q2 Q0 d1 1 2 t\n{query} Q0 d0 1 2 t\n")

    assert_same(outcome(fast, qrels, run), outcome(plain, qrels, run))


@pytest.mark.parametrize(
    "rows",
    [
        "q1 7 1 12.5 5\nq1 0 2 11.5 5\nq1 9 3 10.5 5\n",
        "q1 0 1 12.5 5\nq2 0 1 11.5 5\n",
        "q1 0 1 12 5\nq2 0 1 11 5\n",
        "q1 0 d1 1 12.5\nq2 d2 2 11.5 t\n",
        "q2 d2 2 11.5 t\nq1 0 d1 1 12.5\n",
        "q1 Q0 7 1 12.5\nq2 Q0 7 1 11.5\n",
        "q1 Q0 7 1.5 12.5\nq2 Q0 7 1 11.5\n",
        "q1 d1 1 12.5\nq2 0 1 11.5\n",
        "query document rank score tag\nq1 7 1 12.5 5\nq2 0 2 11.5 5\n",
        "query document rank score\nq1 7 1 12.5\nq2 9 2 11.5\n",
        "query Q0 document rank score\nq1 Q0 7 1 12.5\nq2 Q0 7 1 11.5\n",
        "topic item place value\nq1 7 1 12.5\n",
    ],
)
@pytest.mark.parametrize("size", [SIZE, 20, 40])
def test_rows_that_lack_columns_are_read_alike(tmp_path: Path, rows: str, size: int):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 7 1\nq2 0 0 1\n")
    run.write_text(rows)

    assert_same(outcome(fast, qrels, run, size), outcome(plain, qrels, run))


@pytest.mark.parametrize(("comments", "size"), [("", SIZE), ("", 40), ("# one\n# two\n", SIZE)])
def test_names_of_columns_are_left_out_behind_comments_too(tmp_path: Path, comments: str, size: int):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(f"{comments}qid iter docid rel\nq1 0 7 1\nq2 0 0 1\n")
    run.write_text(f"{comments}qid Q0 docid rank score tag\nq1 Q0 7 1 12.5 t\nq2 Q0 0 1 11.5 t\n")

    arrays = outcome(plain, qrels, run)

    assert isinstance(arrays, tuple), arrays
    assert_same(outcome(fast, qrels, run, size), arrays)


@pytest.mark.parametrize("first", ["", "# a note\n", "#1 0 d 1\n"])
def test_rows_that_begin_with_a_hash_are_warned_of(tmp_path: Path, first: str):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(f"{first}q1 0 7 1\n#2 0 7 1\n")
    run.write_text("#1 Q0 d 1 12.5 t\n#no row\nq1 Q0 7 1 12.5 t\n#2 Q0 7 1 2 t\n")

    read = outcome(plain, qrels, run)

    assert read[5]["rows that begin with #"] == 2
    assert_same(outcome(fast, qrels, run), read)


@pytest.mark.parametrize("different", [1, 64])
def test_hashes_that_collide_change_nothing(monkeypatch: pytest.MonkeyPatch, different: int):
    paths = shared_data("trec_eval/qrels.test"), shared_data("trec_eval/results.test")
    hashes = columns.hashes
    monkeypatch.setattr(columns, "hashes", lambda *arguments: hashes(*arguments) % np.uint64(different))

    result = outcome(fast, *paths)

    assert_same(result, outcome(plain, *paths))
    assert isinstance(result, tuple)


@pytest.mark.parametrize(
    "queries",
    ["aaabbb", "ab", "abbbbbbbbb", "abababab", "aaaaaaaabbca", ""],
    ids=lambda queries: queries or "none",
)
@pytest.mark.parametrize("twice", [0, 1, 3])
def test_rows_that_stand_twice_are_found_in_queries_of_any_length(tmp_path: Path, queries: str, twice: int):
    """Adjacent or scattered, and also if a query's last rows are the ones that repeat its first ones."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    rows = [f"{query} Q0 d{place} 1 1 t" for place, query in enumerate(queries)]
    run.write_text("\n".join([*rows, *rows[-twice or len(rows) :], *rows[:twice], "z Q0 d 1 1 t\n"]))
    qrels.write_text("z 0 d 1\n")

    refused = outcome(plain, qrels, run)

    assert_same(outcome(fast, qrels, run), refused)
    assert isinstance(refused, tuple) == (not queries or not twice)


@pytest.mark.parametrize("grade", [1, 2])
def test_many_judgments_that_stand_twice_are_all_counted(tmp_path: Path, grade: int):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    documents = range(150)
    qrels.write_text("".join(f"q 0 d{document} 1\n" for document in documents))
    with qrels.open("a") as file:
        file.writelines(f"q 0 d{document} {grade}\n" for document in documents)
    run.write_text("q Q0 d1 1 2 t\n")

    assert_same(outcome(fast, qrels, run), outcome(plain, qrels, run))


WORDS = st.sampled_from(["q1", "q2", "d1", "d2", "d3", "D", '"d', "é", "1", "2", "0.5", "t", "Q0"])
ODD_WORDS = st.sampled_from(
    [
        "nan",
        "inf",
        "1e3",
        "-0",
        "0",
        ".5",
        "5.",
        "+1",
        "1_0",
        "1e999",
        "-",
        "#",
        "#x",
        "\u2028",
        "\x7f",
        "\x01",
        "\xa0",
        "d\x85",
        "ü" * 300,
        "d" * 513,
        "x\u200b",
    ]
)
SCORES = st.sampled_from(
    ["2", "1.5", "1.50", "1", "1.00000001", "0.99999999", "-3", "0", "-0.0", "1e-3", "1e300"]
)
RANKS = st.sampled_from(["1", "2", "3"])
BLANKS = st.sampled_from([" ", " ", " ", "\t", "  ", " \t "])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\r"])


@st.composite
def good_lines(draw, columns: int):
    words = [draw(st.sampled_from(["q1", "q2", "q3"])), "0", f"d{draw(st.integers(1, 40))}"]
    words += (
        [draw(RANKS), draw(SCORES), "t"]
        if columns == 6
        else [draw(st.sampled_from(["0", "1", "2", "-1", "0.5"]))]
    )
    return " ".join(words)


@st.composite
def odd_lines(draw, columns: int):
    words = draw(good_lines(columns)).split()
    for place in draw(st.lists(st.integers(0, columns - 1), max_size=1)):
        words[place] = draw(st.one_of(WORDS, ODD_WORDS))
    words = words[: draw(st.integers(columns - 2, columns))] + draw(st.lists(WORDS, max_size=1))
    return draw(st.sampled_from(["", "", " ", "# "])) + draw(BLANKS).join(words)


def contents(columns: int):
    good = st.lists(good_lines(columns), max_size=30).map(lambda lines: "\n".join(lines) + "\n")
    unique = st.lists(good_lines(columns), max_size=30, unique_by=lambda line: tuple(line.split()[:3:2])).map(
        lambda lines: "".join(f"{line}\n" for line in lines)
    )
    odd = st.lists(st.tuples(st.one_of(good_lines(columns), odd_lines(columns)), ENDS), max_size=12).map(
        lambda lines: "".join(line + end for line, end in lines)
    )
    return st.one_of(good, unique, unique, odd)


TWO_TAGS = "q1 Q0 d1 1 1 t\nq1 Q0 d1 1 1 other\nq2 Q0 d2 1 1 t\nq2 Q0 d2 1 1 t\n"


@given(qrels=contents(4), run=contents(6), size=st.sampled_from([SIZE, 40, 101]))
@example(qrels="q1 0 d1 1\n", run=TWO_TAGS, size=SIZE)
@example(qrels="q1 0 d1 1\n", run=TWO_TAGS, size=40)
def test_random_files_give_the_same_arrays_or_errors(tmp_path: Path, qrels: str, run: str, size: int):
    paths = tmp_path / "qrels", tmp_path / "run"
    # The first lines say what the files are, and the readers differ in nothing behind them.
    for path, text in zip(paths, ("q9 0 d 1\n" + qrels, "q9 Q0 d 1 1 t\n" + run), strict=True):
        path.write_bytes(text.encode())

    assert_same(outcome(fast, *paths, size), outcome(plain, *paths))


@given(score=st.floats(allow_nan=False, allow_infinity=False), digits=st.integers(0, 20))
def test_scores_are_read_to_the_last_bit(tmp_path: Path, score: float, digits: int):
    texts = [repr(score), f"{score:.{digits}e}", f"{score:.{digits}f}"]
    texts = [text for text in texts if math.isfinite(float(text))]  # rounded up beyond the greatest number
    path = tmp_path / "run"
    path.write_text("".join(f"q Q0 d{place} 1 {text} t\n" for place, text in enumerate(texts)))

    table = read_run_table(path, name="run", limit=LIMIT)

    assert table.number.tolist() == [float(text) for text in texts]
