"""Packed run files: every packing, cut off, damaged, too large, and never more memory than is needed to see it."""

import bz2
import gzip
import io
import random
import tarfile
import tracemalloc
import zipfile

import pytest
import zstandard

from tests.touchstone_core.formats.bombs import gigabyte
from touchstone_core.formats.packing import FREE_LINES, is_packed, packing, stem, unpack
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.runs import read_file
from touchstone_core.formats.text import decode, kept_text

TEXT = b"".join(b"q%d Q0 d%d 1 2.5 t\n" % (number // 10, number * 7919) for number in range(800))
LIMIT = 1 << 31


def zip_of(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()


PACKINGS = {
    "gzip": gzip.compress(TEXT),
    "zstd": zstandard.ZstdCompressor().compress(TEXT),
    "bzip2": bz2.compress(TEXT),
    "zip": zip_of(("runs/", b""), ("runs/run.trec", TEXT), ("__MACOSX/._run.trec", b"\0")),
}


@pytest.mark.parametrize("kind", PACKINGS)
def test_every_packing_is_known_by_its_first_bytes_and_unpacked(kind):
    assert packing(PACKINGS[kind]) == kind
    assert unpack(PACKINGS[kind], name="run", limit=LIMIT) == TEXT


def test_a_plain_file_stays_as_it_is_within_the_limit():
    assert unpack(TEXT, name="run", limit=len(TEXT)) == TEXT
    with pytest.raises(FormatError, match="run is larger than 1"):
        unpack(TEXT, name="run", limit=len(TEXT) - 100)


@pytest.mark.parametrize("kind", ["gzip", "zstd", "bzip2"])
def test_pieces_that_were_packed_one_after_the_other_are_one_file(kind):
    assert unpack(PACKINGS[kind] * 3, name="run", limit=LIMIT) == TEXT * 3


@pytest.mark.parametrize("kind", ["gzip", "zstd", "bzip2"])
@pytest.mark.parametrize("cut", [12, 40])
def test_a_packed_file_that_is_cut_off_is_refused(kind, cut):
    with pytest.raises(FormatError, match=f"run is cut off: the {kind} data ends too early"):
        unpack(PACKINGS[kind][:-cut], name="run", limit=LIMIT)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("gzip", b"\x1f\x8bnothing of the kind"),
        ("zstd", b"\x28\xb5\x2f\xfdnothing of the kind"),
        ("bzip2", b"BZhnothing of the kind"),
        ("zip", PACKINGS["zip"][:-30]),
        ("zip", zip_of(("run", TEXT), method=zipfile.ZIP_STORED).replace(b"d7919", b"d7918")),
    ],
)
def test_a_damaged_packed_file_is_refused(kind, data):
    with pytest.raises(FormatError, match=f"run is damaged: it starts as {kind} but cannot be unpacked"):
        unpack(data, name="run", limit=LIMIT)


@pytest.mark.parametrize("kind", PACKINGS)
def test_what_unpacks_to_more_than_the_limit_is_refused(kind):
    with pytest.raises(FormatError, match="run unpacks to more than 1"):
        unpack(PACKINGS[kind], name="run", limit=1 << 10)


def test_archives_of_several_files_or_none_are_refused():
    with pytest.raises(FormatError, match=r"zip archive of 2 files\. Use one with a single file"):
        unpack(zip_of(("a", TEXT), ("b", TEXT)), name="run", limit=LIMIT)
    with pytest.raises(FormatError, match="zip archive of 0 files"):
        unpack(zip_of(), name="run", limit=LIMIT)


@pytest.mark.parametrize(
    "page",
    [
        b"<!DOCTYPE html>\n<html><head><title>Sign in</title>",
        b"\xef\xbb\xbf\n<HTML lang=en>\n<BODY>Not found",
    ],
)
def test_a_web_page_is_none_of_our_files(page):
    with pytest.raises(FormatError, match=r"^queries\.txt is a web page \(HTML\)\."):
        decode(page, name="queries.txt", limit=LIMIT)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_one_file_is_no_tar_archive(pack):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("grades.qrels"), io.BytesIO())
    with pytest.raises(FormatError, match=r"^grades\.tar is a tar archive\. Unpack it"):
        decode(pack(archive.getvalue()), name="grades.tar", limit=LIMIT)


def test_queries_about_html_are_queries():
    queries = b"<html> tag\n<!doctype html> or not\n"

    assert decode(queries, name="queries.txt", limit=LIMIT).content == queries.decode()


def test_a_spreadsheet_is_told_apart_from_an_archive():
    with pytest.raises(FormatError, match=r"run is a spreadsheet or an office document\. Save it as CSV"):
        unpack(
            zip_of(("[Content_Types].xml", b"<x/>"), ("xl/workbook.xml", b"<x/>")), name="run", limit=LIMIT
        )


def test_an_archive_with_a_password_or_an_unknown_method_is_refused():
    entry = bytearray(zip_of(("run", TEXT), method=zipfile.ZIP_STORED))
    central = entry.rindex(b"PK\x01\x02")
    entry[6] = entry[central + 8] = 1
    with pytest.raises(FormatError, match="with a password"):
        unpack(bytes(entry), name="run", limit=LIMIT)

    entry[6] = entry[central + 8] = 0
    entry[8] = entry[central + 10] = 97
    with pytest.raises(FormatError, match="packed in a way that we can’t read"):
        unpack(bytes(entry), name="run", limit=LIMIT)


def test_what_was_packed_twice_is_refused():
    with pytest.raises(FormatError, match=r"run is packed twice\. Unpack it once"):
        unpack(gzip.compress(PACKINGS["zip"]), name="run", limit=LIMIT)


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["gzip", "zstd", "bzip2"])
@pytest.mark.parametrize(
    ("letter", "message"),
    [
        (b"\0", "line 1 holds a NUL character"),
        (b"a", "Line 1 of run is longer than 10,000,000 characters|more than 100 times its size"),
    ],
)
def test_a_packed_gigabyte_of_one_letter_is_refused_before_it_is_unpacked(kind, letter, message):
    data = gigabyte(kind, letter * (1 << 20))
    tracemalloc.start()

    with pytest.raises(FormatError, match=message):
        read_file(data, name="run", limit=LIMIT)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 << 20


def test_the_line_of_what_is_wrong_is_told_from_packed_files_too():
    binary = gzip.compress(TEXT + b"q1 \0\n")
    long = gzip.compress(TEXT + random.Random(1).randbytes(20_500_000).hex().encode() + b"\n", 1)

    with pytest.raises(FormatError, match="line 801 holds a NUL character"):
        unpack(binary, name="run", limit=LIMIT)
    with pytest.raises(FormatError, match="Line 801 of run is longer") as error:
        unpack(long, name="run", limit=LIMIT)
    assert error.value.line == 801


def test_packed_utf_16_and_one_line_of_json_are_read():
    utf16 = gzip.compress(TEXT.decode().encode("utf-16"))
    documents = ", ".join(f'"document-number-{n}"' for n in range(1_900_000))
    json = zstandard.ZstdCompressor().compress(f'{{"q": [{documents}]}}'.encode())

    assert (
        read_file(
            gzip.compress(b"\n".join(TEXT.splitlines()[:2]).decode().encode("utf-16")),
            name="run",
            limit=LIMIT,
        )
        .runs[0]
        .rows
        == 2
    )
    assert unpack(utf16, name="run", limit=LIMIT).startswith(b"\xff\xfe")
    assert len(unpack(json, name="run", limit=LIMIT)) > 40_000_000


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.trec", "a"), ("a.b.trec.gz", "a.b"), ("a.zst", "a"), ("a.csv.bz2", "a"), ("a", "a"), (".gz", "")],
)
def test_the_stem_of_a_name_has_no_endings(name, expected):
    assert stem(name) == expected


def test_what_unpacks_to_more_than_a_hundred_times_its_size_is_refused():
    row = b"q Q0 document 1 2.5 t" * 40 + b"\n"
    with pytest.raises(FormatError, match="unpacks to more than 100 times its size"):
        unpack(gzip.compress(row * 9_000), name="run", limit=LIMIT)
    assert unpack(gzip.compress(row * 1_000), name="run", limit=LIMIT) == row * 1_000


def test_more_lines_than_the_size_allows_are_refused():
    lines = b"ab\n" * (FREE_LINES + 50_000)
    with pytest.raises(FormatError, match=r"unpacks to more than 20\d,\d+ lines, too many for its size"):
        unpack(gzip.compress(lines), name="run", limit=LIMIT)
    assert unpack(gzip.compress(lines[: 3 * FREE_LINES]), name="run", limit=LIMIT) == lines[: 3 * FREE_LINES]


def test_a_megabyte_of_blanks_is_refused_packed_or_not():
    blank = b"a\n" * (1 << 19) + b" \n" * (1 << 19)
    noise = random.Random(1).randbytes(1 << 19).hex().encode()[: 1 << 20]
    with pytest.raises(FormatError, match="nothing but blanks for a megabyte from line 1"):
        unpack(gzip.compress(noise + b" " * (2 << 20)), name="run", limit=LIMIT)
    with kept_text(io.BytesIO(b"a\n" * 9), name="run", limit=LIMIT) as text:
        assert not text.is_blank
    with (
        pytest.raises(FormatError, match=f"run holds nothing but blanks from line {(1 << 19) + 1} on"),
        kept_text(io.BytesIO(blank), name="run", limit=LIMIT),
    ):
        pass


def test_the_directory_of_an_archive_of_very_many_files_is_not_read():
    with pytest.raises(FormatError, match="run is a zip archive of too many files"):
        unpack(zip_of(*((f"{number:0400}", b"") for number in range(5_000))), name="run", limit=LIMIT)


@pytest.mark.parametrize(("head", "packed"), [(PACKINGS["zip"], True), (b"PAR1", True), (b"q1 Q0", False)])
def test_what_may_hold_far_more_than_its_size_is_known_by_its_first_bytes(head, packed):
    assert is_packed(head) == packed
