"""Whatever a file holds, reading it gives runs, or says in a sentence what is wrong."""

import bz2
import gzip
import io
import json

import polars as pl
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from tests.shared_data import shared_data
from tests.touchstone_core.formats.other_tools import (
    RANK_EVAL,
    SNAPSHOTS,
    evaluation_result,
    rre_evaluation,
    rre_report,
)
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.declarations import FORMATS
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.runs import check_file, read_file

LIMIT = 1 << 24


def parquet() -> bytes:
    stream = io.BytesIO()
    pl.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "score": [1.0, 0.5]}).write_parquet(stream)
    return stream.getvalue()


SEEDS = [
    b"# ir_metadata.start\n# a: b\n# ir_metadata.end\nq1 Q0 d1 0 -1e-3 t\nq1 Q0 d2 1 2 u\nq2 Q0 d1 1 1\n",
    b'query,document,rank,score\r\nq1,d1,1,2\r\nq1,"d,2",2,1\r\n',
    "query text\tdoc id\nü\td1\n".encode("utf-16"),
    SNAPSHOTS.encode(),
    json.dumps({"q1": {"d1": 1.5, "d2": 2}, "q2": ["a", 7]}).encode(),
    b'{"query": "q1", "results": [{"document": "d1", "score": 1}]}\n{"query": "q2", "results": ["d"]}\n',
    json.dumps(RANK_EVAL).encode(),
    json.dumps([evaluation_result("tv", ["d1"]), evaluation_result("tv", ["d1"], "c2")]).encode(),
    json.dumps(rre_report([rre_evaluation("fender", v1=["1"], v2=["2"])])).encode(),
    parquet(),
]
PACKINGS = [bytes, gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress]
OPTIONS = st.builds(
    Options,
    format=st.sampled_from(["", "", "", *FORMATS]),
    order=st.sampled_from(["score", "rank"]),
    duplicates=st.sampled_from(["refuse", "first"]),
    several=st.sampled_from(["refuse", "split"]),
    queries=st.sampled_from(["", "id", "text"]),
    trailing=st.sampled_from(["refuse", "skip"]),
)


def read_or_refuse(data: bytes, options: Options, encoding: str | None = None) -> None:
    """Holds what every answer promises, and that it can be stored."""
    refusal = None
    try:
        file = read_file(data, name="file", limit=LIMIT, options=options, encoding=encoding)
    except FormatError as error:
        refusal = error.message
    if refusal is not None:
        assert refusal.endswith(".")
        assert "\n" not in refusal
        return
    file = check_file(file, {"q1"}, texts={"star wars": {"q1"}}, unknown="skip")
    json.dumps(file.report.to_json()).encode()
    for sentence in file.report.errors.sentences():
        sentence.encode()
    for run in file.runs:
        assert run.no_known_query or file.report.ok <= run.report.ok  # such a run is left out
        if run.report.ok:
            run.name.encode()
        assert run.rows == sum(len(ranking.documents) for ranking in run.rankings)
        for ranking in run.rankings:
            assert len(set(ranking.documents)) == len(ranking.documents)
            assert ranking.scores is None or len(ranking.scores) == len(ranking.documents)
            "\n".join(ranking.documents).encode()


@given(data=st.binary(max_size=400), options=OPTIONS)
def test_any_bytes_are_read_or_refused(data, options):
    read_or_refuse(data, options)


@given(
    seed=st.sampled_from(SEEDS),
    packing=st.sampled_from(PACKINGS),
    cut=st.integers(min_value=0, max_value=2000),
    gone=st.integers(min_value=0, max_value=20),
    put=st.one_of(
        st.binary(max_size=6), st.sampled_from([b"\n", b"\x00", b",", b"{", b"nan", b"\xff\xfe", b'"'])
    ),
    options=OPTIONS,
    encoding=st.sampled_from([None, "latin-1", "utf-16"]),
)
@example(b"q2 Q0 d1 1\nq\n", bytes, 0, 0, b"", Options(), None)
@example(
    seed=b"q1 Q0 d1 1 1 t\nq2 Q0 d2 1 1 u\n",  # no query of the second run is known
    packing=bytes,
    cut=0,
    gone=0,
    put=b"",
    options=Options(several="split"),
    encoding=None,
)
def test_a_good_file_with_a_fault_in_it_is_read_or_refused(seed, packing, cut, gone, put, options, encoding):
    cut %= len(seed) + 1
    read_or_refuse(packing(seed[:cut] + put + seed[cut + gone :]), options, encoding)


@given(
    seed=st.sampled_from(SEEDS),
    packing=st.sampled_from(PACKINGS[1:]),
    cut=st.integers(min_value=0, max_value=2000),
    put=st.binary(max_size=3),
)
def test_a_fault_in_a_packed_file_is_refused_or_harmless(seed, packing, cut, put):
    packed = packing(seed)
    cut %= len(packed) + 1
    read_or_refuse(packed[:cut] + put + packed[cut + len(put) :], Options())


KEYS = [
    "details",
    "metric_score",
    "hits",
    "hit",
    "_id",
    "_score",
    "_source",
    "searchText",
    "documentIds",
    "corpora",
    "topics",
    "query-groups",
    "query-evaluations",
    "query",
    "results",
    "document",
    "score",
    "failures",
    "total",
    "value",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=3) | st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(content=JSON, options=OPTIONS)
def test_any_json_is_read_or_refused(content, options):
    read_or_refuse(json.dumps(content).encode(), options)


@given(lines=st.lists(JSON, max_size=4), options=OPTIONS)
def test_any_json_lines_are_read_or_refused(lines, options):
    read_or_refuse("\n".join(map(json.dumps, lines)).encode(), options)


CELLS = st.sampled_from(
    ["q1", "d1", "1", "-2e3", "nan", "", " ", '"', "é", "\x07", "star wars", "query", "document", "t"]
)


@given(
    rows=st.lists(st.lists(CELLS, max_size=7), max_size=6),
    delimiter=st.sampled_from([" ", "\t", ",", ";"]),
    header=st.sampled_from(
        ["", "query,document", "query text,doc id,rank,score", "query;document;score", "# c"]
    ),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    options=OPTIONS,
)
def test_any_rows_are_read_or_refused(rows, delimiter, header, end, options):
    read_or_refuse(end.join([header, *(delimiter.join(row) for row in rows)]).encode(), options)


FOLDERS = [
    "esci_opensearch",
    "quepid_haystack",
    "rre",
    "ranx",
    "trec_eval",
    "chorus_ratings",
    "tmdb_judgments",
]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_real_file_is_read_or_refused(folder):
    for path in sorted(shared_data(folder).rglob("*")):
        if path.is_file():
            read_or_refuse(path.read_bytes(), Options())
