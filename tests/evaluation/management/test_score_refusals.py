"""manage.py score: everything that it warns of or refuses, and how it starts and ends."""

import gzip
import io
import json
import subprocess
import sys
import tracemalloc

import pytest
from django.core.management import CommandError, call_command

from tests.evaluation.management.score_files import NOT_JUDGED, QRELS, ROOT, RUN
from touchstone_core.formats.problems import FormatError
from touchstone_core.offline import files

pytestmark = pytest.mark.usefixtures("size")


def test_an_empty_ranking_and_a_run_without_a_name_are_told(score, write):
    run = write("mine.v2.json", '{"q1": [], "q2": {"d1": 1}}')

    _, out, _ = score("--qrels", write("qrels", QRELS), "--run", run, "--format", "json")

    found = json.loads(out)["runs"][0]
    assert found["name"] == "mine.v2"
    assert found["queries"] == {"judged": 3, "answered": 1, "missing": 1, "empty": 1, "unjudged": 0}


def test_ties_and_missing_tags_are_warnings(score, write):
    run = write("run", "q1 Q0 d1 1 1\nq1 Q0 d2 2 1\nq2 Q0 d1 1 1\nq2 Q0 d2 1 1\nq3 Q0 d 1 1\n")

    status, _, err = score("--qrels", write("qrels", QRELS.replace(" 2\n", " 1.5\n")), "--run", run)

    assert status == 0
    assert err.splitlines() == [
        "Warning: qrels: Line 1, column grade: “1.5” should be a whole number (kept exactly; trec_eval cuts it).",
        "Warning: run: Line 1: 5 columns. There should be 6 (the tag is missing). So in 4 more rows.",
        "Warning: run: 2 queries hold equal scores; ties are put in descending order of document IDs.",
    ]


DAMAGED = "q1 Q0 café 1 1 t\nq1 Q0 ".encode() + b"th\xe9 1 1 t\n"
BAD_RUNS = [
    ("columns", RUN + "q1 Q0 d9 1\n", "Line 5: 4 columns. There should be query, Q0, document, rank, score and tag."),
    ("blanks in ids", RUN + "q1 Q0 d e 9 1 t\n", "Line 5: 7 columns."),
    ("nan", RUN + "q1 Q0 d9 1 nan t\n", "Line 5, column score: “nan” should be a finite number."),
    ("inf", RUN + "q1 Q0 d9 1 inf t\n", "Line 5, column score: “inf” should be a finite number."),
    ("word", RUN + "q1 Q0 d9 1 high t\n", "Line 5, column score: “high” should be a number."),
    ("twice", RUN + "q1 Q0 d1 1 5 t\n", "Line 5, column document: “d1” should be listed once for query q1 (it is on line 2 already)."),
    ("tags", RUN + "q1 Q0 d9 1 5 u\n", "Line 5, column tag: “u” should be the tag “t” of line 1 (one run in one file, unless you choose to split it)."),
    ("empty", "", "run is empty."),
    ("comments", "# a\n# b\n", "run holds no rows, only comments or blank lines."),
    ("binary", bytes(range(256)) * 40, "run is not a text file"),
    ("zip", b"PK\x03\x04" + bytes(100), "run is damaged: it starts as zip but cannot be unpacked."),
    ("cut off", gzip.compress(RUN.encode() * 9)[:-12], "run is cut off: the gzip data ends too early."),
    ("damaged", b"\x1f\x8bnothing of the kind", "run is damaged: it starts as gzip but cannot be unpacked."),
    ("damaged", RUN.encode() + DAMAGED, "run is not valid UTF-8 on line 6, and other lines are."),
    ("cut utf-16", RUN.encode("utf-16")[:-1], "run is not valid UTF-16."),
    ("utf-16 without mark", RUN.encode("utf-16-le"), "line 1 holds a NUL character"),
    ("long line", RUN + "x" * 10_000_001, "Line 5 of run is longer than 10,000,000 characters."),
    ("long line inside", RUN + "x" * 10_000_001 + "\n" + RUN, "Line 5 of run is longer than 10,000,000 characters."),
]  # fmt: skip


@pytest.mark.parametrize(("content", "says"), [row[1:] for row in BAD_RUNS], ids=[row[0] for row in BAD_RUNS])
def test_a_bad_run_is_refused_with_its_line(score, write, content, says):
    status, out, err = score("--qrels", write("qrels", QRELS), "--run", write("run", content))

    assert (status, out) == (2, "")
    assert says in err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (QRELS + "q1 0 d9\n", "Line 5: 3 columns. There should be query, 0, document and grade."),
        (QRELS + "q1 0 d9 E\n", "Line 5, column grade: “E” should be a number."),
        (QRELS + "q1 0 d1 1\n", "Line 5, column document: “d1” should be listed once for a query (line 1 gives it another grade)."),
        ("", "qrels holds no judgments."),
        ("# none\n", "qrels holds no judgments."),
    ],
)  # fmt: skip
def test_bad_qrels_are_refused_with_their_line(score, write, content, says):
    status, out, err = score("--qrels", write("qrels", content), "--run", write("run", RUN))

    assert (status, out) == (2, "")
    assert says in err


@pytest.mark.parametrize("text", [RUN, "query,document,rank,score\nq1,d1,1,2.5\n"], ids=["TREC", "CSV"])
def test_a_run_in_place_of_the_judgments_is_said_once(score, write, text):
    status, out, err = score("--qrels", write("run", text), "--run", write("qrels", QRELS))

    assert (status, out) == (2, "")
    assert err == "run is a run, not judgments. Were the two files swapped?\n"


def test_queries_in_place_of_the_judgments_are_said_once(score, write):
    queries = '{"name": "Shop", "sampling": "manual", "querySetQueries": [{"queryText": "q1"}]}'

    status, out, err = score("--qrels", write("queries", queries), "--run", write("run", RUN))

    assert (status, out, err) == (2, "", "queries holds queries, not judgments.\n")


def test_judgments_with_ranks_are_judgments(score, write):
    qrels = "query,document,rank,grade\nq1,d1,1,2\nq1,d2,2,0\nq2,d1,1,1\nq3,d3,1,1\n"
    outputs = [
        score("--qrels", write("qrels", text), "--run", write("run", RUN))[1] for text in (QRELS, qrels)
    ]

    assert outputs[0] == outputs[1] != ""


def test_several_runs_follow_one_option(score, write):
    runs = [write(name, RUN.replace(" t\n", f" {name}\n")) for name in ("a", "b", "c")]
    once = score("--qrels", write("qrels", QRELS), "--run", *runs, "--measures", "AP")
    each = score("--qrels", write("qrels", QRELS), "--run", runs[0], "--run", *runs[1:], "--measures", "AP")

    assert once == each
    assert once[0] == 0
    assert all(name in once[1].splitlines()[2].split() for name in ("a", "b", "c"))


def test_a_hundred_errors_are_shown_and_the_rest_counted(score, write):
    status, _, err = score("--qrels", write("qrels", QRELS), "--run", write("run", "q Q0 d 1 1 t\n" * 151))

    assert status == 2
    assert err.splitlines()[-2:] == ["And 50 more.", "run was not scored: it has 150 errors."]


@pytest.mark.sampled
def test_a_packed_gigabyte_of_zeros_is_refused_in_bounded_memory(score, write, size):
    zeros = io.BytesIO()
    with gzip.GzipFile(fileobj=zeros, mode="wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(bytes(16 << 20))
    run = write("run", zeros.getvalue())
    tracemalloc.start()

    status, _, err = score("--qrels", write("qrels", QRELS), "--run", run)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (status, err.count("\n")) == (2, 1)
    assert "run" in err
    assert size == "small" or peak < 100 << 20


def test_what_unpacks_beyond_the_limit_is_refused(write, size):
    qrels, run = write("qrels", QRELS), write("run", gzip.compress(RUN.encode() * 9000))
    judged = files.read_judged_file(qrels, small=size == "small")

    with pytest.raises(FormatError, match=r"^run unpacks to more than "):
        files.read_run_files(run, judged, small=size == "small", limit=5000)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--measures", "nDCG@10 NoSuch@5"], "At character 9: there is no measure NoSuch"),
        (["--measures", "nDCG("], "can’t be read as a measure"),
        (["--measures", " "], "No measure"),
        (["--max-grade", "1"], "qrels holds the grade 2, which lies above the top grade 1."),
        (["--max-grade", "nan"], "must be finite"),
        (["--run", "missing.run"], "missing.run cannot be read: No such file or directory."),
    ],
)
def test_bad_arguments_are_named(score, write, arguments, says):
    status, out, err = score("--qrels", write("qrels", QRELS), "--run", write("run", RUN), *arguments)

    assert (status, out) == (2, "")
    assert says in err


def test_django_runs_the_same_command(write):
    out = io.StringIO()
    qrels, run = str(write("qrels", QRELS)), str(write("run", RUN))

    call_command("score", "--qrels", qrels, "--run", run, "--format=json", stdout=out)
    with pytest.raises(CommandError) as error:
        call_command("score", "--qrels", qrels, "--run", qrels, stdout=out)

    assert json.loads(out.getvalue())["qrels"]["queries"] == 3
    assert error.value.returncode == 2


SEEN = "import sys; sys.argv[1:1] = ['score']; import atexit; atexit.register(lambda: print(sorted({'django', 'polars', 'psycopg'} & sys.modules.keys()), file=sys.stderr)); import manage; manage.main()"


def test_a_small_run_needs_neither_django_nor_polars_nor_a_database(write, tmp_path):
    arguments = ["--qrels", str(write("qrels", QRELS)), "--run", str(write("run", RUN)), "--format", "json"]

    done = subprocess.run(
        [sys.executable, "-c", SEEN, *arguments], cwd=ROOT, capture_output=True, text=True, check=False,
        env={"TOUCHSTONE_VAR": str(tmp_path / "var"), "PATH": ""},
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, NOT_JUDGED.format("run") + "[]\n")
    assert json.loads(done.stdout)["runs"]
    assert not (tmp_path / "var").exists()


def test_the_exit_status_is_2_for_a_bad_file(write):
    arguments = ["score", "--qrels", str(write("qrels", QRELS)), "--run", str(write("run", "q d\n"))]

    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "Line 1: 2 columns." in done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(write):
    score = f"{sys.executable} manage.py score --qrels {write('qrels', QRELS)} --run {write('run', RUN)} --per-query"

    done = subprocess.run(
        ["bash", "-c", f"{score} | true; exit ${{PIPESTATUS[0]}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, NOT_JUDGED.format("run"))
