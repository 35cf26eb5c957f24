"""The short way for small clean files against the plain readers: the same arrays, or nothing at all."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given

from tests.shared_data import shared_data
from tests.touchstone_core.offline.fast.test_same_as_plain import (
    ESCI,
    PAGE_SIZE,
    assert_same,
    contents,
    outcome,
    plain,
)
from touchstone_core.offline import files
from touchstone_core.offline.fast import clean

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN = "q1 Q0 d1 1 2.5 t\nq1 Q0 d3 2 2.5 t\nq3 Q0 d1 1 1 t\n"


def short(qrels: Path, run: Path):
    judged = clean.read_judged_file(qrels, 1e9)
    return judged and clean.read_run_file(run, judged, PAGE_SIZE)


def write(folder: Path, qrels: str | bytes, run: str | bytes) -> tuple[Path, Path]:
    paths = folder / "qrels", folder / "run"
    for path, content in zip(paths, (qrels, run), strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


@pytest.mark.parametrize("name", ESCI)
def test_real_files_go_the_short_way_to_the_same_arrays(name: str):
    paths = shared_data("esci_opensearch/qrels.esci_us_150.txt"), shared_data(f"esci_runs/{name}.trec")

    assert_same(outcome(short, *paths), outcome(plain, *paths))


@given(qrels=contents(4), run=contents(6))
@example(qrels=QRELS, run=RUN)
def test_random_files_give_the_same_arrays_or_go_the_long_way(tmp_path: Path, qrels: str, run: str):
    paths = write(tmp_path, qrels, run)

    if short(*paths) is not None:
        assert_same(outcome(short, *paths), outcome(plain, *paths))


@pytest.mark.parametrize(
    "qrels",
    [
        "",
        "\n",
        QRELS + "\n",
        QRELS + "# a comment now\n",
        "# a comment now\n" + QRELS,
        QRELS + "q3 0 d1\n",
        "q1 0 1\n",
        QRELS.replace(" ", "\t"),
        QRELS.replace("\n", "\r\n"),
        QRELS + "é 0 d1 1\n",
        QRELS.encode("utf-16"),
        QRELS + "q1 0 d1 1\n",
        QRELS + "q1 0 d1 2\n",
        QRELS + f"{'q' * 513} 0 d1 1\n",
        QRELS + f"q1 0 {'d' * 513} 1\n",
        QRELS + "q1 0 d7 0.5\n",
        QRELS + "q1 0 d7 1_0\n",
        QRELS + "q1 0 d7 nan\n",
        QRELS + "q1 0 d7 inf\n",
        QRELS + "q1 0 d7 good\n",
        QRELS + "q1 0 d7 1e10\n",
        "BZh 0 d1 1\n",
        f"q1 0 d1{' ' * 10_000_000}1\n",
    ],
)
def test_judgments_of_which_there_is_more_to_say_go_the_long_way(tmp_path: Path, qrels: str | bytes):
    path, _ = write(tmp_path, qrels, RUN)

    assert clean.read_judged_file(path, 1e9) is None


@pytest.mark.parametrize(
    "run",
    [
        "",
        RUN + "q1 Q0 d3 3 2 t\n",
        RUN + "q1 Q0 d4 3 2 other\n",
        RUN + "q1 Q0 d4 3 nan t\n",
        RUN + "q1 Q0 d4 3 2\n",
        RUN.replace(" t", ""),
        "query,document,score a b c 1 t\n",
    ],
)
def test_runs_of_which_there_is_more_to_say_go_the_long_way(tmp_path: Path, run: str):
    qrels, path = write(tmp_path, QRELS, run)
    judged = files.read_judged_file(qrels, small=True)

    assert clean.read_run_file(path, judged) is None


def test_ids_may_hold_what_delimits_tables(tmp_path: Path):
    paths = write(tmp_path, QRELS.replace("d1", "d,1;|"), RUN.replace("d1", "d,1;|"))

    run = short(*paths)

    assert run is not None
    assert run.unjudged == 1
    assert run.tied == 1
    assert np.array_equal(run.run.hit_rank, [2])


def test_the_top_grade_is_that_of_the_file_unless_it_is_stated(tmp_path: Path):
    qrels, _ = write(tmp_path, QRELS, RUN)

    tops = [clean.read_judged_file(qrels, max_grade) for max_grade in (None, 3.0)]

    assert [judged and judged.scale.top_grade for judged in tops] == [2, 3]
    assert clean.read_judged_file(qrels, 1.0) is None


def test_ranks_that_are_no_whole_numbers_are_left_to_the_plain_reader(tmp_path):
    assert short(*write(tmp_path, QRELS, "q1 Q0 d1 first 2.5 t\nq1 Q0 d3 second 2.4 t\n")) is None
