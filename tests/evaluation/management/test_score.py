"""manage.py score: published values through the command, its contract, and everything that it refuses."""

import csv
import gzip
import io
import json
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.ingest import files
from evaluation.management import score_command
from judgments.formats.problems import FormatError
from tests.shared_data import shared_data

ROOT = Path(__file__).resolve().parents[3]
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\nq3 0 d3 1\n"
RUN = "q1 Q0 d2 1 2.0 t\nq1 Q0 d1 2 1.0 t\nq2 Q0 d1 1 1 t\nq8 Q0 d1 1 1 t\n"


@pytest.fixture(params=["small", "large"], autouse=True)
def size(request, monkeypatch):
    """Every file is read as a small one and as a large one."""
    monkeypatch.setattr(files, "SMALL", 1 << 60 if request.param == "small" else 0)
    return request.param


@pytest.fixture
def score(capsys):
    """Runs the command; returns exit status, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        status = score_command.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def write(tmp_path: Path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


TREC_EVAL = {
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "ndcg": "nDCG@100000",
    **{f"P_{cutoff}": f"P@{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall_{cutoff}": f"R@{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"ndcg_cut_{cutoff}": f"nDCG@{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"map_cut_{cutoff}": f"AP@{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"success_{cutoff}": f"Success@{cutoff}" for cutoff in (1, 5, 10)},
}
BINARY = ("AP", "Rprec", "Bpref", "RR", "infAP", "P@", "R@", "AP@", "Success@")


def at_level(measure: str, level: int) -> str:
    """The measure with trec_eval's -l; NDCG does not know it."""
    if level == 1 or not measure.startswith(BINARY):
        return measure
    name, at, cutoff = measure.partition("@")
    return f"{name}(rel={level}){at}{cutoff}"


@pytest.mark.parametrize(
    ("expected", "qrels", "run", "level"),
    [
        ("out.test.a", "qrels.test", "results.test", 1),
        ("out.test.aq", "qrels.test", "results.test", 1),
        ("out.test.aqc", "qrels.test", "results.trunc", 1),
        ("out.test.aql", "qrels.rel_level", "results.test", 2),
    ],
)
def test_the_values_of_trec_evals_own_tests_come_out(score, expected, qrels, run, level):
    folder = shared_data("trec_eval")
    measures = {name: at_level(measure, level) for name, measure in TREC_EVAL.items()}

    status, out, _ = score(
        "--qrels", folder / qrels, "--run", folder / run, "--measures", " ".join(measures.values()),
        "--per-query", "--format", "json",
    )  # fmt: skip

    found = json.loads(out)["runs"][0]["measures"]
    lines = [line.split() for line in (folder / expected).read_text().splitlines()]
    known = [(query, measures[name], value) for name, query, value in lines if name in measures]
    assert status == 0
    assert len(known) >= len(measures)
    for query, measure, value in known:
        values = found[measure]
        ours = values["mean"] if query == "all" else values["per_query"][query]
        assert abs(ours - float(value)) < 5.1e-5, (query, measure)


def test_the_run_cut_at_100_gives_the_values_of_trec_evals_m_option(score):
    folder = shared_data("trec_eval")
    measures = {
        "map": "AP@100",
        "recip_rank": "RR@100",
        "P_100": "P@100",
        "recall_100": "R@100",
        "ndcg": "nDCG@10",
    }
    del measures["ndcg"]
    measures |= {"ndcg_cut_10": "nDCG@10", "ndcg_cut_100": "nDCG@100"}

    _, out, _ = score(
        "--qrels", folder / "qrels.test", "--run", folder / "results.trunc",
        "--measures", " ".join(measures.values()), "--format", "json", "--per-query",
    )  # fmt: skip

    found = json.loads(out)["runs"][0]["measures"]
    lines = [line.split() for line in (folder / "out.test.aqcM").read_text().splitlines()]
    for name, query, value in lines:
        if name in measures:
            values = found[measures[name]]
            ours = values["mean"] if query == "all" else values["per_query"][query]
            assert abs(ours - float(value)) < 5.1e-5, (query, name)


def test_the_esci_runs_get_their_published_values(score):
    measures = {
        "ndcg_cut_10": "nDCG@10",
        "map_l2": "AP(rel=2)",
        "P_10_l2": "P(rel=2)@10",
        "recip_rank_l2": "RR(rel=2)",
    }
    with (shared_data("esci_runs") / "expected_per_topic.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = sorted({row["run"] for row in rows})
    runs = [part for name in names for part in ("--run", shared_data("esci_runs") / f"{name}.trec")]

    _, out, _ = score(
        "--qrels", shared_data("esci_opensearch") / "qrels.esci_us_150.txt", *runs,
        "--measures", " ".join(measures.values()), "--per-query", "--format", "json",
    )  # fmt: skip

    found = {run["name"]: run["measures"] for run in json.loads(out)["runs"]}
    for row in rows:
        for column, measure in measures.items():
            ours = found[row["run"]][measure]["per_query"][row["query_id"]]
            assert ours == pytest.approx(float(row[column]), abs=1.1e-6)


def test_ranx_files_give_what_trec_eval_gives_for_them(score):
    folder = shared_data("ranx")

    status, out, _ = score("--qrels", folder / "qrels.trec", "--run", folder / "run.json", "--format", "json")

    assert status == 0
    assert json.loads(out)["runs"][0]["queries"]["judged"] == 2


def test_json_follows_the_contract(score, write):
    status, out, err = score(
        "--qrels", write("qrels", QRELS), "--run", write("run.trec", RUN), "--per-query", "--format", "json",
        "--measures", "nDCG@10  nDCG( ideal = 'local' , missing='skip')@2 nDCG(gain='linear')@10",
    )  # fmt: skip

    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "qrels": {"file": "qrels", "queries": 3, "judgments": 4, "max_grade": 2.0},
        "runs": [
            {
                "name": "t",
                "file": "run.trec",
                "queries": {"judged": 3, "answered": 2, "missing": 1, "empty": 0, "unjudged": 1},
                "measures": {
                    "nDCG@10": {
                        "mean": pytest.approx((0.6309297535714575 + 1) / 3, abs=1e-15),
                        "median": pytest.approx(0.6309297535714575, abs=1e-15),
                        "per_query": {
                            "q1": pytest.approx(0.6309297535714575, abs=1e-15),
                            "q2": 1.0,
                            "q3": 0.0,
                        },
                    },
                    "nDCG(ideal='local', missing='skip')@2": {
                        "mean": pytest.approx((0.6309297535714575 + 1) / 2, abs=1e-15),
                        "median": pytest.approx((0.6309297535714575 + 1) / 2, abs=1e-15),
                        "per_query": {
                            "q1": pytest.approx(0.6309297535714575, abs=1e-15),
                            "q2": 1.0,
                            "q3": None,
                        },
                    },
                },
            }
        ],
    }


def test_the_default_measures_are_the_ten_of_the_run_table(score, write):
    _, out, _ = score("--qrels", write("qrels", QRELS), "--run", write("run", RUN), "--format", "json")

    assert list(json.loads(out)["runs"][0]["measures"]) == [
        "nDCG(ideal='local')@10",
        "nDCG(ideal='recall')@10",
        "nDCG@10",
        "nDCG(ideal='max')@10",
        "DCG@10",
        "AP",
        "RR",
        "P@10",
        "R@1000",
        "Judged@10",
    ]


def test_the_top_grade_moves_only_what_asks_for_the_best_there_is(score, write):
    arguments = ["--qrels", write("qrels", QRELS), "--run", write("run", RUN), "--format", "json"]
    measures = ["--measures", "nDCG@10 nDCG(ideal='max')@10"]

    usual, higher = (json.loads(score(*arguments, *measures, *top)[1]) for top in ([], ["--max-grade", "4"]))

    usual_max, higher_max = (
        found["runs"][0]["measures"]["nDCG(ideal='max')@10"]["mean"] for found in (usual, higher)
    )
    assert usual["runs"][0]["measures"]["nDCG@10"] == higher["runs"][0]["measures"]["nDCG@10"]
    assert usual_max == pytest.approx(2 * higher_max)
    assert higher["qrels"]["max_grade"] == 4


def test_the_table_is_for_people(score, write):
    _, out, _ = score(
        "--qrels", write("qrels", QRELS), "--run", write("run", RUN), "--run", write("b.run", RUN.replace(" t\n", " u\n")),
        "--measures", "nDCG@10 nDCG(zero='skip', ideal='local')@1", "--per-query", "--max-grade", "3",
    )  # fmt: skip

    assert out.startswith("qrels: 4 judgments of 3 queries, top grade 3 (as stated)\n\nmeasure ")
    assert re.search(r"^nDCG@10 +0\.5436 +0\.5436$", out, re.MULTILINE)
    assert re.search(r"^missing queries +1 +1$", out, re.MULTILINE)
    assert re.search(r"^t\nquery .*\nq1 +0\.6309 +–$", out, re.MULTILINE)


def test_csv_keeps_every_digit_and_runs_no_formula(score, write):
    run = write("run", RUN.replace(" t\n", " =t\n"))
    arguments = ["--qrels", write("qrels", QRELS), "--run", run, "--format", "csv", "--measures", "nDCG@10"]

    (means,) = csv.DictReader(io.StringIO(score(*arguments)[1]))
    values = list(csv.DictReader(io.StringIO(score(*arguments, "--per-query")[1])))

    assert means["run"] == "'=t"
    assert float(means["mean"]) == pytest.approx(0.5436432511904858, abs=1e-15)
    assert (means["judged"], means["missing"], means["unjudged"]) == ("3", "1", "1")
    assert [(row["query"], row["measure"]) for row in values] == [
        (query, "nDCG@10") for query in ("q1", "q2", "q3")
    ]
    assert float(values[0]["value"]) == pytest.approx(0.6309297535714575, abs=1e-15)


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
        "Warning: qrels: Line 1, column grade: found “1.5”, expected a whole number (kept exactly; trec_eval cuts it).",
        "Warning: run: Line 1: found “5 columns”, expected 6 (the tag is missing). So in 4 more lines.",
        "Warning: run: 2 queries hold equal scores; ties are put in descending order of document ids.",
    ]


LATIN = "q1 Q0 caf\xe9 1 1 t\n".encode("latin-1")
BAD_RUNS = [
    ("columns", RUN + "q1 Q0 d9 1\n", "Line 5: found “4 columns”, expected query, Q0, document, rank, score and tag."),
    ("blanks in ids", RUN + "q1 Q0 d e 9 1 t\n", "Line 5: found “7 columns”"),
    ("nan", RUN + "q1 Q0 d9 1 nan t\n", "Line 5, column score: found “nan”, expected a finite number."),
    ("inf", RUN + "q1 Q0 d9 1 inf t\n", "Line 5, column score: found “inf”, expected a finite number."),
    ("word", RUN + "q1 Q0 d9 1 high t\n", "Line 5, column score: found “high”, expected a number."),
    ("twice", RUN + "q1 Q0 d1 1 5 t\n", "Line 5, column document: found “d1”, expected each document once for query q1 (it is on line 2 already)."),
    ("tags", RUN + "q1 Q0 d9 1 5 u\n", "Line 5, column tag: found “u”, expected the tag “t” of line 1 (one run in one file)."),
    ("empty", "", "run is empty."),
    ("comments", "# a\n# b\n", "run holds no rows, only comments or blank lines."),
    ("binary", bytes(range(256)) * 40, "run is not a text file"),
    ("zip", b"PK\x03\x04" + bytes(100), "run is a zip archive or a spreadsheet; give a text file, plain or packed with gzip."),
    ("cut off", gzip.compress(RUN.encode() * 9)[:-12], "run is cut off: the gzip data ends too early."),
    ("damaged", b"\x1f\x8bnothing of the kind", "run is damaged: it starts as gzip but cannot be unpacked."),
    ("latin-1", RUN.encode() + LATIN, "run is not valid UTF-8 on line 5"),
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
        (QRELS + "q1 0 d9\n", "Line 5: found “3 columns”, expected query, 0, document and grade."),
        (QRELS + "q1 0 d9 E\n", "Line 5, column grade: found “E”, expected a number."),
        (QRELS + "q1 0 d1 1\n", "Line 5, column document: found “d1”, expected each document once for a query (it is on line 1 already)."),
        ("", "qrels holds no judgments."),
        ("# none\n", "qrels holds no judgments."),
    ],
)  # fmt: skip
def test_bad_qrels_are_refused_with_their_line(score, write, content, says):
    status, out, err = score("--qrels", write("qrels", content), "--run", write("run", RUN))

    assert (status, out) == (2, "")
    assert says in err


def test_a_hundred_errors_are_shown_and_the_rest_counted(score, write):
    status, _, err = score("--qrels", write("qrels", QRELS), "--run", write("run", "q Q0 d 1 1 t\n" * 151))

    assert status == 2
    assert err.splitlines()[-2:] == ["And 50 more.", "run was not scored: it has 150 errors."]


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
        files.read_run_file(run, judged, small=size == "small", limit=5000)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--measures", "nDCG@10 NoSuch@5"], "at character 9, there is no measure NoSuch"),
        (["--measures", "nDCG("], "is not a measure"),
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

    assert (done.returncode, done.stderr) == (0, "[]\n")
    assert json.loads(done.stdout)["runs"]
    assert not (tmp_path / "var").exists()


def test_the_exit_status_is_2_for_a_bad_file(write):
    arguments = ["score", "--qrels", str(write("qrels", QRELS)), "--run", str(write("run", "q\n"))]

    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "Line 1: found “1 column”" in done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(write):
    score = f"{sys.executable} manage.py score --qrels {write('qrels', QRELS)} --run {write('run', RUN)} --per-query"

    done = subprocess.run(
        ["bash", "-c", f"{score} | true; exit ${{PIPESTATUS[0]}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
