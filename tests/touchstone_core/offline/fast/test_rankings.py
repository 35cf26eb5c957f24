"""Large runs, read in columns, against the plain reader: the same rankings and the same report."""

import gzip
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tests.shared_data import shared_data
from tests.touchstone_core.offline.fast.test_same_as_plain import contents
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import JoinedRanking
from touchstone_core.formats.runs.runs import read_file
from touchstone_core.offline import run_files
from touchstone_core.offline.fast.chunks import SIZE
from touchstone_core.offline.fast.rankings import read_clean_run
from touchstone_core.offline.run_files import count_names, read_run_file

LIMIT = 1_000_000_000
USUAL = Options()
GOOD = "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2.5 t\nq2 Q0 d1 1 0 t\n"


def in_columns(data: bytes, options: Options = USUAL, size: int = SIZE):
    return read_clean_run(data, name="run", limit=LIMIT, options=options, size=size)


def plain(data: bytes, options: Options = USUAL):
    return read_file(data, name="run", limit=LIMIT, options=options)


def assert_same(one, other):
    (run,), (same) = one.runs, other.runs
    assert (one.format, one.archive, one.report) == (other.format, other.archive, other.report)
    assert replace(run, rankings=[]) == replace(same[0], rankings=[])
    for ranking, expected in zip(run.rankings, same[0].rankings, strict=True):
        assert isinstance(ranking, JoinedRanking)
        assert ranking.joined == expected.joined
        for name in ("query", "documents", "size", "tied", "line"):
            assert getattr(ranking, name) == getattr(expected, name), name
        assert np.array_equal(ranking.scores, np.array(expected.scores))


@given(
    content=contents(6),
    size=st.sampled_from([SIZE, 40, 101]),
    order=st.sampled_from(["score", "double"]),
    queries=st.sampled_from(["", "id", "text"]),
    duplicates=st.sampled_from(["refuse", "first"]),
    several=st.sampled_from(["refuse", "split"]),
)
def test_what_is_read_in_columns_is_what_the_plain_reader_reads(content, size, **choices):
    data = ("q9 Q0 d 1 1 t\n" + content).encode()
    options = Options(**choices)

    file = in_columns(data, options, size)

    event("plain" if file is None else "in columns")
    if file is not None:
        assert_same(file, plain(data, options))


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace(" ", "\t"),
        "\ufeff" + GOOD,
        "# ir_metadata.start\n# platform:\n#   os: none\n# ir_metadata.end\n" + GOOD,
        "# a comment\n" + GOOD,
        "q1 Q0 a 1 1 t\nq1 Q0 b 2 1.00000001 t\nq2 Q0 a 1 0 t\nq2 Q0 b 2 -0.0 t\n",  # ties
        "q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 2 t\nq2 Q0 b 2 2 t\n",  # against the ranks
        "q1 Q0 é 1 1 tünde\n",
    ],
)
@pytest.mark.parametrize("size", [SIZE, 120])
def test_clean_files_are_read_in_columns(content: str, size: int):
    data = content.encode()
    file = in_columns(data, size=size)

    assert file is not None
    assert_same(file, plain(data))
    packed = in_columns(gzip.compress(data), size=size)
    assert packed is not None
    assert_same(packed, plain(data))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "# only a comment\n",
        "q1 Q0 d1 1 3 t\nq1 Q0 d1 2 2 t\n",  # a document twice
        "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 other\n",
        "q1 Q0 d1 1 3\nq1 Q0 d2 2 2\n",  # no tag
        "q1 Q0 d1 1 nan t\n",
        "q1 Q0 d1 one 3 t\n",
        "query Q0 document rank score tag\n" + GOOD,
        GOOD + "# a comment at the end\n",
        GOOD + "q3 Q0 d1\n",
        "query,document,score\nq1,d1,3\n",
        '{"q1": {"d1": 3}}',
    ],
)
def test_all_other_files_are_left_to_the_plain_reader(content: str):
    assert in_columns(content.encode(), size=SIZE) is None


@pytest.mark.parametrize(
    "content",
    [
        "q1 Q0 d1 1 3 t\nq2 Q0 d1 1 2 t\nq1 Q0 d2 2 2 t\n",  # its rows aren't adjacent
        "q1 Q0 d1 1 3 t\n# ir_metadata.start\n# notes\n# ir_metadata.end\nq2 Q0 d2 2 2 t\n",
    ],
)
def test_a_query_or_notes_in_a_later_piece_are_left_to_the_plain_reader(content: str):
    assert in_columns(content.encode(), size=20) is None


def test_other_encodings_are_left_to_the_plain_reader():
    assert in_columns("q1 Q0 é 1 1 t\n".encode("latin-1")) is None
    assert in_columns(GOOD.encode("utf-16")) is None


@pytest.mark.parametrize("name", ["esci_runs/bm25_full_stem.trec", "esci_runs/tfidf_title_char.trec"])
def test_real_runs_are_read_in_columns(name: str):
    data = shared_data(name).read_bytes()
    file = in_columns(data, size=50_000)

    assert file is not None
    assert_same(file, plain(data))


def test_only_large_runs_of_the_usual_order_are_read_in_columns(monkeypatch: pytest.MonkeyPatch):
    def is_joined(data: bytes, **choices):
        (run,) = read_run_file(data, name="run", limit=LIMIT, **choices).runs
        return isinstance(run.rankings[0], JoinedRanking)

    data = GOOD.encode()
    assert not is_joined(data)
    monkeypatch.setattr(run_files, "SMALL", len(data))
    assert is_joined(data)
    assert is_joined(gzip.compress(data))
    assert not is_joined(data, options=Options(order="rank"))
    assert not is_joined(data, encoding="utf-8")
    assert not is_joined(data + b"# the plain reader takes this\n")
    assert not is_joined(b"query,document,score\nq1,d1,3\n" * 9, options=Options(duplicates="first"))


def test_names_are_counted_once_whatever_text_they_stand_in():
    assert count_names(["d1\nd2", "d3", "d2\né"], ["é\nd9\nd1", "d2"]) == (4, 3)
    assert count_names(["d1"], []) == (1, 0)
    assert count_names([], ["d1"]) == (0, 0)


def test_a_large_file_that_nobody_can_read_is_refused_as_a_small_one_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run_files, "SMALL", 0)
    with pytest.raises(FormatError, match="run is empty"):
        read_run_file(b"\n", name="run", limit=LIMIT)
    with pytest.raises(FormatError, match="larger than"):
        read_run_file(GOOD.encode(), name="run", limit=10)
