"""The bytes that the quick reader is given, block by block."""

import pytest

from touchstone_core.formats.problems import FormatError
from touchstone_core.offline.fast.unpacking import read_blocks

TEXT = "q1 Q0 döcument-🥿 1 2.5 t\n" * 40


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("size", [64, 1001, 1_000_000])
def test_every_encoding_comes_as_utf_8_however_it_is_cut(tmp_path, encoding, size):
    path = tmp_path / "run"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path.write_bytes((mark + TEXT).encode(encoding))

    blocks = list(read_blocks(path, name="run", limit=10**6, size=size))

    assert b"".join(blocks).decode() == TEXT


@pytest.mark.parametrize("size", [64, 1_000_000])
def test_utf_16_that_ends_within_a_character_is_refused(tmp_path, size):
    path = tmp_path / "run"
    path.write_bytes(TEXT.encode("utf-16")[:-1])

    with pytest.raises(FormatError, match=r"run is not valid UTF-16\."):
        list(read_blocks(path, name="run", limit=10**6, size=size))
