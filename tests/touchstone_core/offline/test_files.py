"""Run files on disk for the score command: the formats and packings that only plain Python reads."""

import bz2
import io
import zipfile

import polars as pl
import pytest
import zstandard

from touchstone_core.formats.problems import FormatError
from touchstone_core.offline.files import files_of, read_judged_file, read_run_files

QRELS = "q1 0 d1 2\nq1 0 d2 0\n"
TREC = b"q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n"


def parquet() -> bytes:
    stream = io.BytesIO()
    pl.DataFrame({"query": ["q1", "q1"], "document": ["d1", "d2"], "score": [2.0, 1.0]}).write_parquet(stream)
    return stream.getvalue()


def zipped() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("run.trec", TREC)
    return stream.getvalue()


FILES = {
    "run.trec.zst": zstandard.ZstdCompressor().compress(TREC),
    "run.trec.bz2": bz2.compress(TREC),
    "run.zip": zipped(),
    "run.parquet": parquet(),
    "run.jsonl": b'{"query": "q1", "results": ["d1", "d2"]}\n',
    "run.json": b'{"metric_score": 1, "details": {"q1": {"hits": [{"hit": {"_id": "d1"}}, {"hit": {"_id": "d2"}}]}}}',
}


@pytest.fixture
def judged(tmp_path):
    def read(small: bool):
        path = tmp_path / "qrels"
        path.write_text(QRELS)
        return read_judged_file(path, small=small)

    return read


@pytest.mark.parametrize("small", [True, False], ids=["small", "large"])
@pytest.mark.parametrize("name", FILES)
def test_every_format_and_packing_is_scored(judged, tmp_path, name, small):
    path = tmp_path / name
    path.write_bytes(FILES[name])

    run = read_run_files(path, judged(small), small=small)[0]

    assert run.name in ("run", "t")
    assert run.run.retrieved.tolist() == [2]


@pytest.mark.parametrize("small", [True, False], ids=["small", "large"])
def test_a_file_of_several_runs_is_refused(judged, tmp_path, small):
    path = tmp_path / "snapshots.csv"
    path.write_text("Snapshot Name,Query Text,Doc ID,Doc Position\na,q1,d1,1\nb,q1,d1,1\n")

    with pytest.raises(
        FormatError, match=r"snapshots.csv holds 2 runs \(a, b\). Use a file with one run, or --several split"
    ):
        read_run_files(path, judged(small), small=small)


def test_a_folder_without_files_is_refused_by_name(tmp_path):
    folder = tmp_path / "runs"
    (folder / "older").mkdir(parents=True)
    (folder / ".hidden").write_text("q1 Q0 d1 1 1 t\n")

    with pytest.raises(FormatError, match=rf"^There is no file in the folder {folder}\.$"):
        files_of([folder])
