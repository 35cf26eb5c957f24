import bz2
import gzip
import io
import random
import re
import tracemalloc
import zlib

import pytest
import zstandard
from django.template.defaultfilters import filesizeformat
from hypothesis import given
from hypothesis import strategies as st

from tests.shared_data import shared_data
from tests.touchstone_core.formats.bombs import gigabyte
from touchstone_core.formats import text
from touchstone_core.formats.kinds import LONGEST_LINE, size_in_words
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.text import decode, kept_text

LIMIT = 1_000_000
UNSTORABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")


def content(data: bytes, **options: str | None) -> str:
    return decode(data, name="a.csv", limit=LIMIT, **options).content


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("é,ü\n".encode(), "utf-8"),
        ("é,ü\n".encode("utf-8-sig"), "utf-8"),
        ("é,ü\n".encode("utf-16"), "utf-16"),
        (b"\xff\xfe" + "é,ü\n".encode("utf-16-le"), "utf-16"),
        (b"\xfe\xff" + "é,ü\n".encode("utf-16-be"), "utf-16"),
    ],
)
def test_the_encoding_is_detected_and_the_byte_order_mark_is_gone(data: bytes, encoding: str):
    text = decode(data, name="a.csv", limit=LIMIT)

    assert (text.content, text.encoding, text.packing) == ("é,ü\n", encoding, "")


def test_latin_1_is_read_when_it_is_asked_for():
    assert content("é,ü".encode("latin-1"), encoding="latin-1") == "é,ü"


SPREADSHEET = "“Käse” – 5 €\n"


@pytest.mark.parametrize("before", [0, 30, (1 << 20) - 3, 3 << 20])
def test_windows_1252_is_found_wherever_its_first_letter_stands(before: int):
    data = b"x\n" * (before // 2) + SPREADSHEET.encode("cp1252")

    text = decode(data, name="a.csv", limit=1 << 23)

    assert text.content == "x\n" * (before // 2) + SPREADSHEET
    assert (text.encoding, text.is_guess) == ("cp1252", True)
    with kept_text(io.BytesIO(data), name="a.csv", limit=1 << 23) as text_in_file:
        assert (text_in_file.content, text_in_file.encoding, text_in_file.is_guess) == (
            text.content,
            "cp1252",
            True,
        )


def test_windows_1252_by_choice_is_no_guess():
    text = decode(SPREADSHEET.encode("cp1252"), name="a.csv", limit=LIMIT, encoding="cp1252")

    assert (text.content, text.is_guess) == (SPREADSHEET, False)


def test_what_latin_1_would_make_control_characters_of_is_refused_with_the_cure():
    with pytest.raises(FormatError, match=r"Line 2 .* choose that encoding") as refusal:
        content(b"a\n" + SPREADSHEET.encode("cp1252"), encoding="latin-1")

    assert refusal.value.line == 2


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbfa\nb\n\xe9\n", "é\nb\n".encode() + b"\xe9\n", b"a\nb\n\xe9 " + "é\n".encode()]
)
def test_damaged_utf_8_is_not_taken_for_windows_1252(data: bytes):
    with pytest.raises(FormatError, match=r"not valid UTF-8 on line 3, and other lines are") as refusal:
        content(data)

    assert refusal.value.line == 3


@pytest.mark.parametrize("encoding", [None, "cp1252"])
def test_bytes_that_no_encoding_has_are_refused_with_their_line(encoding):
    with pytest.raises(FormatError, match=r"Line 2 of .* neither UTF-8 nor Windows-1252") as refusal:
        content(b"a\nb\xe9\x81\n", encoding=encoding)

    assert refusal.value.line == 2


def test_bad_utf_8_after_a_mark_is_counted_from_the_start_of_the_file():
    with pytest.raises(FormatError, match="line 2") as refusal:
        content(b"\xef\xbb\xbf\n\xe9")

    assert refusal.value.line == 2


def test_broken_utf_16_is_refused():
    with pytest.raises(FormatError, match="not valid UTF-16"):
        content(b"\xff\xfea\0b")


def test_an_unknown_encoding_is_refused():
    with pytest.raises(FormatError, match="Unknown encoding ebcdic"):
        content(b"a", encoding="ebcdic")


@pytest.mark.parametrize("data", [b"a\nb\0c", "query,text".encode("utf-16-le")])
def test_nul_characters_are_refused_with_their_line(data: bytes):
    with pytest.raises(FormatError, match="holds a NUL character") as refusal:
        content(data)

    assert refusal.value.line == (2 if data.startswith(b"a\n") else 1)


def test_binary_data_is_refused_as_such():
    with pytest.raises(FormatError, match="holds binary data"):
        content(b"\x00\xff\x81\x00")


@pytest.mark.parametrize(
    ("magic", "kind"), [(b"PK\x03\x04", "zip"), (b"%PDF-1", "PDF"), (b"BZh9", "bzip2"), (b"PAR1", "Parquet")]
)
def test_other_kinds_of_files_are_named(magic: bytes, kind: str):
    with pytest.raises(FormatError, match=kind):
        content(magic + b"rest")


def test_an_old_spreadsheet_is_to_be_saved_as_csv():
    with pytest.raises(FormatError, match=r"is an old spreadsheet or office document\. Save it as CSV\.$"):
        content(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))


def test_line_ends_of_every_system_become_one():
    assert content(b"a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_gzip_is_unpacked_by_its_content_not_its_name():
    text = decode(gzip.compress(b"a,b\r\n") + gzip.compress(b"c,d\n"), name="a.csv", limit=LIMIT)

    assert (text.content, text.packing) == ("a,b\nc,d\n", "gzip")


@pytest.mark.parametrize("size", [0, 1, 10, 1023, 1024, 1536, 1 << 20, 10**6, 512 << 20, 1 << 30, 3 << 40])
def test_sizes_are_said_as_on_the_pages(size: int):
    assert size_in_words(size) == filesizeformat(size)


def test_a_gzip_bomb_is_refused_within_the_memory_of_the_limit():
    bomb = gzip.compress(bytes(200_000_000), 9)
    tracemalloc.start()

    with pytest.raises(FormatError, match=f"unpacks to more than {size_in_words(LIMIT)}"):
        content(bomb)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * LIMIT


def test_a_truncated_gzip_is_refused():
    with pytest.raises(FormatError, match="cut off"):
        content(gzip.compress(b"a,b\n" * 1000)[:-12])


@pytest.mark.parametrize(
    "damage", [b"\x1f\x8brubbish" * 9, gzip.compress(b"a" * 9, mtime=0)[:10] + b"\xff" * 30]
)
def test_a_damaged_gzip_is_refused(damage: bytes):
    with pytest.raises(FormatError, match=r"damaged|cut off"):
        content(damage)


def test_a_gzip_with_a_wrong_checksum_is_refused():
    packed = bytearray(gzip.compress(b"a,b\n"))
    packed[-8] ^= 1

    with pytest.raises(FormatError, match="damaged"):
        content(bytes(packed))


def test_a_corrupt_deflate_stream_is_refused():
    header = gzip.compress(b"")[:10]

    with pytest.raises(FormatError, match="damaged"):
        content(header + b"\x07" + zlib.compress(b"a"))


def test_a_file_above_the_limit_is_refused():
    with pytest.raises(FormatError, match=r"larger than 10\sbytes"):
        decode(b"a" * 11, name="a.csv", limit=10)


def test_a_very_long_line_is_refused_with_its_number():
    lines = b"short\n" * 3 + b"x" * (LONGEST_LINE + 1) + b"\nshort\n"

    with pytest.raises(FormatError, match=r"Line 4 of a.csv is longer") as refusal:
        decode(lines, name="a.csv", limit=2 * len(lines))

    assert refusal.value.line == 4


def test_lines_at_the_limit_pass():
    lines = (b"x" * LONGEST_LINE + b"\n") * 2 + b"y"

    assert len(decode(lines, name="a.csv", limit=2 * len(lines)).content) == len(lines)


def test_json_may_be_one_long_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text, "LONGEST_LINE", 10)

    assert content(b' {"q": ["a", "b", "c"]}').startswith(" {")


@given(st.text(UNSTORABLE), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.booleans())
def test_any_text_comes_back_from_any_encoding_packed_or_not(written: str, encoding: str, packed: bool):
    data = written.removeprefix("\ufeff").encode(encoding)
    kinds = (b"PK\x03\x04", b"%PDF", b"BZh", b"PAR1")
    data = gzip.compress(data) if packed else data

    if not data.startswith(kinds) and "\ufeff" not in written:
        assert content(data) == written


def test_real_gzip_is_unpacked():
    path = shared_data("esci_opensearch") / "products.csv.gz"

    text = decode(path.read_bytes(), name=path.name, limit=100_000_000)

    assert text.packing == "gzip"
    assert text.content.startswith("asin,title,")


def text_in_file(data, **options):
    """What a kept text holds: its start, its lines, and all of it."""
    with kept_text(io.BytesIO(data), name="a.csv", limit=options.pop("limit", 1 << 30), **options) as text:
        return text.start, list(text.lines()), text.content, text.encoding, text.packing


@given(st.text(UNSTORABLE), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.booleans())
def test_a_text_is_the_same_whether_it_is_kept_in_a_file_or_in_memory(
    written: str, encoding: str, packed: bool
):
    data = written.removeprefix("\ufeff").encode(encoding)
    data = bz2.compress(data) if packed else data
    try:
        expected = decode(data, name="a.csv", limit=1 << 30)
    except FormatError as error:
        with pytest.raises(FormatError, match=re.escape(error.message)):
            text_in_file(data)
        return

    start, lines, whole, *rest = text_in_file(data)

    assert start == whole == "".join(lines) == expected.content
    assert lines == list(expected.lines())
    assert rest == [expected.encoding, expected.packing]


def test_a_kept_text_is_read_piece_by_piece_and_from_its_beginning_each_time():
    lines = [f"line {number} \u00e9\n" for number in range(200_000)] + ["the last"]
    data = zstandard.compress("".join(lines).replace("\n", "\r\n").encode())

    with kept_text(io.BytesIO(data), name="a.csv", limit=1 << 30) as text:
        first, second = text.lines(), text.lines()
        assert next(first) == next(second) == lines[0]
        assert [*first][-1] == [*second][-1] == "the last"
        assert (text.packing, text.is_blank) == ("zstd", False)
        assert (1 << 20) - 1 <= len(text.start.encode()) <= 1 << 20  # a letter of two bytes is cut


def test_a_line_longer_than_a_piece_of_a_kept_text_is_whole():
    long = "\u00e9" * 3_000_000

    assert text_in_file(f"a\n{long}\nb".encode())[1] == ["a\n", f"{long}\n", "b"]


@pytest.mark.parametrize("packing", [bytes, gzip.compress, bz2.compress, zstandard.compress])
def test_what_is_wrong_far_behind_has_its_line_in_a_kept_text(packing):
    numbers = random.Random(1)
    good = "".join(f"good {numbers.random()}\n" for _ in range(100_000)).encode()
    for bad, message in (
        (b"\x81\n", "Line 100001 of a.csv holds bytes"),
        (b"a\0\n", "line 100001 holds a NUL"),
        (("x" * 10_000_001).encode(), "Line 100001 of a.csv is longer"),
    ):
        with pytest.raises(FormatError, match=message):
            text_in_file(packing(good + bad))
    with pytest.raises(FormatError, match=r"a\.csv"):
        text_in_file(packing(good), limit=len(good) - 1)


def test_utf_16_without_a_mark_is_read_on_request_and_half_a_character_refused():
    assert text_in_file("k\u00e4se\n".encode("utf-16-le"), encoding="utf-16")[2] == "k\u00e4se\n"
    with pytest.raises(FormatError, match="not valid UTF-16"):
        text_in_file("k\u00e4se".encode("utf-16")[:-1])


def test_blanks_only_are_no_content_however_many_there_are():
    with kept_text(io.BytesIO(b" \n" * 200_000), name="a", limit=1 << 30) as blank:
        assert blank.is_blank
    with kept_text(io.BytesIO(b" \n" * 200_000 + b"x"), name="a", limit=1 << 30) as late:
        assert not late.is_blank


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["gzip", "zstd", "bzip2", "zip"])
def test_a_packed_gigabyte_of_zeros_is_refused_with_little_memory(kind):
    data = gigabyte(kind, bytes(1 << 20))
    tracemalloc.start()

    with pytest.raises(FormatError, match="holds a NUL character"):
        text_in_file(data)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20
