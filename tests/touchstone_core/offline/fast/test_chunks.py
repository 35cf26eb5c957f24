"""Where files are cut, and that nothing is lost there."""

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.formats.problems import FormatError
from touchstone_core.offline.fast.chunks import TAIL, read_chunks

ANY = 1 << 40


def chunks(path: Path, size: int, *, by_query: bool = False, limit: int = ANY):
    return list(read_chunks(path, name="run", limit=limit, size=size, by_query=by_query))


def first_words(data: bytes) -> list[bytes]:
    return [line.split()[0] for line in data.splitlines()]


@given(
    lines=st.lists(st.sampled_from(["q1 a", "q1 bcd", "q2 a", "q3", "", "# x"]), max_size=40),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    last=st.booleans(),
    size=st.integers(1, 60),
    by_query=st.booleans(),
    packed=st.booleans(),
)
def test_the_pieces_are_the_lines_of_the_file(tmp_path, lines, end, last, size, by_query, packed):
    content = (end.join(lines) + end * last).encode()
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(content) if packed else content)

    pieces = chunks(path, size, by_query=by_query)

    whole = content.decode().replace("\r\n", "\n").replace("\r", "\n")
    assert b"".join(chunk.data for chunk in pieces).decode() == whole + "\n" * (
        bool(whole) and whole[-1] != "\n"
    )
    assert all(chunk.data.endswith(b"\n") for chunk in pieces)
    line = 1
    for chunk in pieces:
        assert chunk.line == line
        line += chunk.data.count(b"\n")


@given(
    depths=st.lists(st.integers(1, 30), min_size=1, max_size=40),
    size=st.sampled_from([300, 1000, TAIL + 1000]),
    packed=st.booleans(),
)
def test_no_query_is_cut_that_fits_a_piece(tmp_path, depths, size, packed):
    rows = [f"q{query} {row}\n" for query, depth in enumerate(depths) for row in range(depth)]
    path = tmp_path / "run"
    path.write_bytes(gzip.compress("".join(rows).encode()) if packed else "".join(rows).encode())

    pieces = [set(first_words(chunk.data)) for chunk in chunks(path, size, by_query=True)]

    assert all(not one & other for one, other in pairwise(pieces))


def test_a_query_that_fills_the_end_of_a_piece_is_kept_whole(tmp_path: Path):
    path = tmp_path / "run"
    path.write_bytes(b"q1 a\n" * 10 + b"q2 a\n" * 50_000 + b"q3 a\n" * 10)

    pieces = chunks(path, TAIL + (1 << 10), by_query=True)

    assert pieces[0].data == b"q1 a\n" * 10


def test_a_long_line_makes_a_piece_longer(tmp_path: Path):
    content = b"q " + b"x" * 9_000_000 + b"\n" + b"q1 a\n" * 2_000_000
    path = tmp_path / "run"
    path.write_bytes(content)

    assert b"".join(chunk.data for chunk in chunks(path, 1 << 22)) == content


def test_a_file_above_the_limit_is_refused(tmp_path: Path):
    path = tmp_path / "run"
    path.write_bytes(b"q1 a\n" * 10)

    with pytest.raises(FormatError, match="run is larger than 49\xa0bytes"):
        chunks(path, 20, limit=49)
    assert chunks(path, 50, limit=50)
