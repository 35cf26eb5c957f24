"""Archives of several runs: each a run, and none that is larger than its size allows."""

import gzip
import io
import tarfile
import zipfile

import pytest

from touchstone_core.formats.archives import MOST_FILES, members
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.runs import read_file

FILES = {
    "runs/b.trec": b"q1 Q0 d1 1 2 t\n",
    "runs/a.csv": b"query,document,score\nq1,d2,1\n",
    "__MACOSX/x": b"\0",
    "runs/.DS_Store": b"\0",
}


def zip_of(files, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def tar_of(files, mode="w:gz"):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return file.getvalue()


ARCHIVES = [zip_of, tar_of, lambda files: tar_of(files, "w"), lambda files: tar_of(files, "w:bz2")]


def read(data, limit=10**7):
    return read_file(data, name="runs.zip", limit=limit)


@pytest.mark.parametrize("pack", ARCHIVES)
def test_every_file_of_an_archive_is_a_run(pack):
    file = read(pack(FILES))

    assert file.report.ok
    assert [(run.name, run.rankings[0].documents) for run in file.runs] == [("a", ["d2"]), ("t", ["d1"])]


def test_runs_of_one_tag_are_called_as_their_files():
    file = read(zip_of({"old.trec": b"q Q0 a 1 1 bm25\n", "new.trec": b"q Q0 a 1 1 bm25\n"}))

    assert [run.name for run in file.runs] == ["new", "old"]


def test_what_is_wrong_has_the_name_of_its_file():
    file = read(zip_of({"a.trec": b"q Q0 a 1 nan t\nq Q0 b 1 1 t\n", "b.trec": b"q Q0 a 1 1 u\n"}))

    assert list(file.report.errors.sentences()) == [
        "Line 1, column score in a.trec: “nan” should be a finite number."
    ]


@pytest.mark.parametrize("pack", ARCHIVES)
@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({f"{number}": b"q Q0 d 1 1 t\n" for number in range(MOST_FILES + 1)}, "more than 100 files"),
        ({"a": gzip.compress(b"q Q0 d 1 1 t\n"), "b": b"q Q0 d 1 1 t\n"}, "is packed too"),
        ({"a": b"q Q0 d 1 1 t\n" * 10_000, "b": b"q Q0 d 1 1 t\n" * 10_000}, "than 97.7\xa0KB"),
    ],
)
def test_archives_have_limits(pack, files, message):
    with pytest.raises(FormatError, match=message):
        read(pack(files), limit=100_000 if "KB" in message else 10**7)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_an_archive_that_unpacks_to_far_more_than_its_size_is_refused(pack):
    blanks = b"q Q0 d 1 1 t\n" * (1 << 17)

    with pytest.raises(FormatError, match="unpacks to more than"):
        read(pack({"a": blanks, "b": blanks}))


@pytest.mark.parametrize("pack", ARCHIVES)
def test_a_damaged_archive_is_refused(pack):
    data = pack({"a": b"q Q0 d 1 1 t\n" * 2000, "b": bytes(range(1, 256)) * 2000})

    with pytest.raises(FormatError, match=r"damaged|cut off|not a text|UTF-8|columns"):
        read(data[: len(data) * 2 // 3])


def with_flag(data, at_local, at_central, value):
    """A zip archive whose entries say something else of themselves."""
    archive = bytearray(data)
    for mark, at in ((b"PK\3\4", at_local), (b"PK\1\2", at_central)):
        start = archive.find(mark)
        while start >= 0:
            archive[start + at] = value
            start = archive.find(mark, start + 1)
    return bytes(archive)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zip_of({"runs/.DS_Store": b"x", "__MACOSX/y": b"x"}), "empty archive"),
        (with_flag(zip_of(FILES), 6, 8, 1), "with a password"),
        (with_flag(zip_of(FILES), 8, 10, 99), "we can’t read"),
    ],
    ids=["empty", "password", "method"],
)
def test_an_archive_that_cannot_be_read_says_why(data, message):
    with pytest.raises(FormatError, match=message):
        read(data)


def test_an_archive_of_more_than_a_hundred_runs_is_refused():
    lines = "".join(f"q1 Q0 d1 1 2 t{nth}\n" for nth in range(60)).encode()

    with pytest.raises(FormatError, match="holds 120 runs"):
        read_file(
            zip_of({"a": lines, "b": lines.replace(b" t", b" u")}),
            name="runs.zip",
            limit=10**7,
            options=Options(several="split"),
        )


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: zip_of({"a.trec": data})])
def test_a_packed_file_alone_is_no_archive(pack):
    assert members(pack(b"q1 Q0 d1 1 2 t\n"), name="a", limit=10**7) is None
    assert members(b"q1 Q0 d1 1 2 t\n", name="a", limit=10**7) is None
