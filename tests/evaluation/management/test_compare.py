"""manage.py compare: published figures through the command, and its contract."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.evaluation.management.score_files import QRELS
from tests.shared_data import shared_data


@pytest.fixture
def compare(capsys):
    """Runs the command; returns standard output and standard error."""

    def run(*arguments):
        call_command("compare", *map(str, arguments))
        return capsys.readouterr()

    return run


def make_files(write, queries=20, same=0):
    """A baseline with the good document second, a run with it first, but for `same` queries, and their qrels."""
    qrels = "".join(f"q{nth} 0 good 3\nq{nth} 0 bad 0\n" for nth in range(queries))
    old = "".join(f"q{nth} Q0 bad 1 2 old\nq{nth} Q0 good 2 1 old\n" for nth in range(queries))
    new = "".join(
        f"q{nth} Q0 bad 1 {2 if nth < same else 1} new\nq{nth} Q0 good 2 {1 if nth < same else 2} new\n"
        for nth in range(queries)
    )
    return [
        "--qrels",
        write("qrels", qrels),
        "--run",
        write("old.trec", old),
        "--run",
        write("new.trec", new),
    ]


def test_every_pair_of_the_esci_runs_has_its_published_t_test(compare):
    """Paired t, wins, losses and ties as scipy gave them for the 28 pairs."""
    folder = shared_data("esci_runs")
    qrels = shared_data("esci_opensearch/qrels.esci_us_150.txt")
    with (folder / "expected_significance.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    by_baseline = {row["run_a"]: [] for row in rows}
    for row in rows:
        by_baseline[row["run_a"]].append(row)

    compared = 0
    for baseline, expected in by_baseline.items():
        runs = [baseline, *(row["run_b"] for row in expected)]
        files = [part for run in runs for part in ("--run", folder / f"{run}.trec")]
        found = json.loads(compare("--qrels", qrels, *files, "--format", "json").out)["runs"]
        for row, run in zip(expected, found, strict=True):
            told = run["measures"]["nDCG@10"]
            assert told["baseline"] == pytest.approx(float(row["mean_a"]), abs=1e-6)
            assert told["difference"]["mean"] == pytest.approx(float(row["diff_b_minus_a"]), abs=1e-6)
            assert told["difference"]["t"] == pytest.approx(float(row["paired_t"]), abs=1e-5)
            assert told["difference"]["p"] == pytest.approx(float(row["p_t_two_sided"]), rel=1e-5)
            assert told["outcomes"]["wins"] == int(row["wins_b"])
            assert told["outcomes"]["losses"] == int(row["losses_b"])
            assert told["outcomes"]["ties"] == int(row["ties"])
            compared += 1
    assert compared == 28


def test_the_two_haystack_runs_show_no_difference(compare):
    folder = shared_data("quepid_haystack")
    runs = [folder / "runs" / f"{name}.trec" for name in ("haystack_with_vector", "haystack_vector_2")]

    out = compare("--qrels", folder / "case_qrels.txt", "--run", runs[0], "--run", runs[1]).out

    assert "no difference that these queries can show" in out


def test_a_run_that_wins_every_query_is_better(compare, write):
    out = compare(*make_files(write)).out

    assert "nDCG@10 over 20 queries" in out
    assert "new: better, by more than noise." in out
    # 1 − 1/log2(3), all of it by order.
    assert "+0.3691" in out
    assert ["new", "+0.0812", "+0.0812", "+0.0000", "+0.0000"] in [line.split() for line in out.splitlines()]


def test_a_run_that_loses_is_worse(compare, write):
    arguments = make_files(write)
    arguments[3], arguments[5] = arguments[5], arguments[3]

    assert "old: worse, by more than noise." in compare(*arguments).out


def test_few_changed_queries_show_nothing(compare, write):
    out = compare(*make_files(write, same=18)).out

    assert "no difference that these queries can show; 2 changed, too few for any test." in out


def test_the_same_run_twice_is_the_same(compare, write):
    arguments = make_files(write, same=20)

    out = compare(*arguments).out
    told = json.loads(compare(*arguments, "--format", "json").out)["runs"][0]["measures"]["nDCG@10"]

    assert "new: no difference that these queries can show; the same value on every query." in out
    assert (told["difference"]["mean"], told["permutation"]["value"]) == (0, 1)


def test_one_query_has_no_interval(compare, write):
    out = compare(*make_files(write, queries=1)).out

    assert ["new", "1.0000", "+0.3691", "–", "–", "–", "1", "0", "0"] in [
        line.split() for line in out.splitlines()
    ]


def test_csv_has_a_row_for_each_run_and_measure(compare, write):
    out = compare(*make_files(write), "--measures", "nDCG@10 RR", "--format", "csv").out

    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["run"], row["measure"], row["won"]) for row in rows] == [
        ("new", "nDCG@10", "20"),
        ("new", "RR", "20"),
    ]
    assert float(rows[1]["difference"]) == 0.5


def test_a_query_without_a_value_is_left_out_and_counted(compare, write):
    arguments = make_files(write)
    arguments[1] = write("more", arguments[1].read_text() + "q99 0 bad 0\n")

    out = compare(*arguments, "--measures", "nDCG(zero='skip')@10").out

    assert "over 20 queries, 1 left out" in out


def test_a_measure_that_is_no_quality_makes_no_run_better(compare, write):
    arguments = make_files(write)
    arguments[1] = write("fewer", "".join(f"q{nth} 0 bad 0\nq{nth} 0 else 3\n" for nth in range(20)))

    out = compare(*arguments, "--measures", "Holes@1").out

    assert "new: another value, by more than noise; this measure does not say which run is better." in out


def test_a_query_that_a_run_does_not_answer_counts_nothing(compare, write):
    arguments = make_files(write)
    arguments[1] = write("more", arguments[1].read_text() + "q99 0 good 3\n")

    out = compare(*arguments, "--measures", "nDCG(missing='skip')@10~2 AP").out

    assert "nDCG@10~2 over 21 queries" in out
    assert "AP over 21 queries" in out


def test_bounds_are_not_told_of_pages_that_nobody_looks_at(compare, write):
    assert "unjudged" not in compare(*make_files(write), "--cutoff", "200").out


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--measures", "nDCG(gain='x')@10"], "gain"),
        (["--cutoff", "0"], "cutoff is 0"),
        (["--seed", "-1"], "whole number from 0"),
        (["--run", "nowhere.trec"], "nowhere.trec cannot be read"),
    ],
)
def test_bad_input_ends_with_status_2(compare, write, extra, message):
    with pytest.raises(CommandError, match=message) as caught:
        compare(*make_files(write), *extra)

    assert caught.value.returncode == 2


def test_one_run_is_no_comparison(compare, write):
    with pytest.raises(CommandError, match="two runs or more"):
        compare(*make_files(write)[:4])


def test_no_query_with_a_value_is_no_comparison(compare, write):
    qrels = write("none", "q1 0 d1 0\n")
    run = write("run", "q1 Q0 d1 1 1 t\n")

    with pytest.raises(CommandError, match="No query has a value"):
        compare(
            "--qrels",
            qrels,
            "--run",
            run,
            "--run",
            run,
            "--max-grade",
            3,
            "--measures",
            "nDCG(zero='skip')@10",
        )

    with pytest.raises(CommandError, match="No grade lies above 0"):
        compare("--qrels", qrels, "--run", run, "--run", run)


def test_a_bad_file_is_told_by_line(compare, write):
    arguments = make_files(write)
    arguments[3] = write("bad.trec", "q1 Q0 d1 1 x t\n")

    with pytest.raises(CommandError, match="Line 1"):
        compare(*arguments)


def test_warnings_stand_apart(compare, write):
    run = write("tied", "q1 Q0 d1 1 1 t\nq1 Q0 d2 2 1 t\n")

    found = compare("--qrels", write("qrels", QRELS), "--run", run, "--run", run)

    assert "Warning: tied: 1 query holds equal scores" in found.err
    assert "Warning" not in found.out
