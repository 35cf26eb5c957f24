"""manage.py compare: published figures through the command, and its contract."""

import csv
import io
import json
import math
from zipfile import ZipFile

import pytest
from django.core.management import CommandError

from tests.evaluation.management.score_files import QRELS
from tests.shared_data import shared_data
from touchstone_core.offline.file_comparison import compare_files

EVIDENCE_COLUMNS = {
    "changed": "changed",
    "first": "changed at rank 1",
    "new_order": "order only",
    "new_documents": "documents",
    "overlap": "overlap",
    "rbo": "RBO",
    "ceiling": "NDCG-max ceiling",
    "for_candidate": "for the run",
    "for_baseline": "for the baseline",
    "even": "even",
    "open": "open",
    "global_low": "difference of NDCG-global at least",
    "any_high": "difference of NDCG-global at most, anything",
    "low": "NDCG-max at least",
    "high": "NDCG-max at most",
}


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


def test_every_pair_of_the_esci_runs_has_its_published_t_test():
    """Paired t, wins, losses and ties as scipy gave them for the 28 pairs, also of those that aren't judged alike."""
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
        files = [folder / f"{run}.trec" for run in runs]
        found = compare_files(qrels, files, measures="nDCG@10", cutoff=10).measures["nDCG@10"]
        for row, told in zip(expected, found["comparisons"], strict=True):
            assert told["baseline"] == pytest.approx(float(row["mean_a"]), abs=1e-6)
            assert told["difference"]["mean"] == pytest.approx(float(row["diff_b_minus_a"]), abs=1e-6)
            assert told["difference"]["t"] == pytest.approx(float(row["paired_t"]), abs=1e-5)
            assert told["difference"]["p"] == pytest.approx(float(row["p_t_two_sided"]), rel=1e-5)
            assert told["outcomes"]["wins"] == int(row["wins_b"])
            assert told["outcomes"]["losses"] == int(row["losses_b"])
            assert told["outcomes"]["ties"] == int(row["ties"])
            compared += 1
    assert compared == 28


def test_figures_that_rest_on_zeros_stand_in_no_file(compare, write):
    """The run shows an unjudged document first, the second one doesn't: only that one has p-values."""
    arguments = make_files(write)
    less = "".join(
        f"q{nth} Q0 {name} {rank} {9 - rank} less\n"
        for nth in range(20)
        for rank, name in enumerate(["x", "bad", "good"], 1)
    )
    arguments += ["--run", write("less.trec", less), "--measures", "nDCG@10 RR"]

    new, less = json.loads(compare(*arguments, "--format", "json").out)["runs"]

    for told in new["measures"].values():
        assert told["verdict"].startswith("Better")
        assert told["adjusted"] < 0.001
    for told in less["measures"].values():
        assert told["verdict"] == "Can’t tell until more is judged"
        assert told["difference"]["mean"] < 0
        found = [told["permutation"]["value"], told["difference"]["interval"], told["risk"]["trisk"]]
        assert (
            found
            + [told[name] for name in ("adjusted", "posterior", "one_sided", "detectable", "sequential")]
            == [None] * 8
        )
    assert [new["split"]["order"]["interval"] is None, less["split"]["order"]["interval"]] == [False, None]


def test_the_two_haystack_runs_show_no_difference(compare):
    folder = shared_data("quepid_haystack")
    runs = [folder / "runs" / f"{name}.trec" for name in ("haystack_with_vector", "haystack_vector_2")]
    files = ["--qrels", folder / "case_qrels.txt", "--run", runs[0], "--run", runs[1]]

    out = compare(*files).out
    told = json.loads(compare(*files, "--format", "json").out)["runs"][0]

    assert "haystack_vector_2: No difference." in out
    assert "better" not in out.lower().replace("p(better)", "")
    # Of 135 queries each has the same first ten documents in both files.
    assert told["evidence"]["overlap"] == told["evidence"]["rbo"] == pytest.approx(1)
    assert (told["evidence"]["changed"], told["evidence"]["ceiling"]) == (0, 0)
    assert told["measures"]["nDCG@10"]["permutation"]["value"] == 1
    assert told["measures"]["nDCG@10"]["difference"]["mean"] == 0


def test_a_run_that_wins_every_query_is_better(compare, write):
    out = compare(*make_files(write)).out

    assert "nDCG@10 over 20 queries" in out
    assert "new: Better. +0.3691 on average over 20 queries" in out
    # 1 − 1/log2(3), all of it by order.
    assert "+0.3691" in out
    assert ["new", "+0.0812", "+0.0812", "0.0000", "0.0000"] in [line.split() for line in out.splitlines()]


def test_a_run_that_loses_is_worse(compare, write):
    arguments = make_files(write)
    arguments[3], arguments[5] = arguments[5], arguments[3]

    assert "old: Worse. −0.3691 on average" in compare(*arguments).out


def test_few_changed_queries_show_nothing(compare, write):
    out = compare(*make_files(write, same=18)).out

    assert (
        "new: Too few changed queries. +0.0369 on average. 2 of 20 queries changed in value: fewer than 15"
        in out
    )


def test_the_same_run_twice_is_the_same(compare, write):
    arguments = make_files(write, same=20)

    out = compare(*arguments).out
    run = json.loads(compare(*arguments, "--format", "json").out)["runs"][0]

    told = run["measures"]["nDCG@10"]
    assert "No difference. The same value on every one of 20 queries." in out
    assert (
        "new: 0 of 20 queries changed, so both have the same NDCG-max and NDCG-global, whatever the grades."
        in out
    )
    assert (told["difference"]["mean"], told["permutation"]["value"]) == (0, 1)
    assert run["evidence"] == {
        **dict.fromkeys(["changed", "first", "new_order", "new_documents"], 0),
        **dict.fromkeys(["for_candidate", "for_baseline", "open", "ceiling", "low", "high"], 0),
        **dict.fromkeys(["global_low", "global_high", "any_low", "any_high"], 0),
        **dict.fromkeys(["expected_value", "expected_low", "expected_high"]),
        "expected_beyond": False,
        **{"even": 20, "overlap": 1, "rbo": pytest.approx(1), "coverage": 1, "baseline_coverage": 1},
    }


def test_csv_of_equal_runs_has_no_probability_to_be_better(compare, write):
    def better(same):
        out = compare(*make_files(write, same=same), "--format", "csv").out
        (row,) = csv.DictReader(io.StringIO(out))
        return row["P(better)"]

    assert better(same=20) == ""
    assert float(better(same=0)) == 1  # every query is won


def test_one_query_has_no_interval(compare, write):
    out = compare(*make_files(write, queries=1)).out
    same = compare(*make_files(write, queries=1, same=1)).out

    assert ["new", "1.0000", "+0.3691", "–", "–", "–", "1", "0", "0"] in [
        line.split() for line in out.splitlines()
    ]
    assert "1 of 1 query changed in value: fewer than 15" in out
    assert "The same value on the only query." in same
    assert ["new", "0.6309", "0.0000", "–", "1.000", "–", "0", "1", "0"] in [
        line.split() for line in same.splitlines()
    ]


def test_runs_that_answer_none_of_the_same_queries_say_so(compare, write):
    arguments = make_files(write, queries=40, same=40)
    for place, kept in ((3, range(20)), (5, range(20, 40))):
        lines = arguments[place].read_text().splitlines()
        wanted = {f"q{nth}" for nth in kept}
        arguments[place].write_text("".join(f"{line}\n" for line in lines if line.split()[0] in wanted))

    out = compare(*arguments).out

    assert "old answers 20 of 40 judged queries; the others count as 0." in out
    assert "new answers 20 of 40 judged queries; the others count as 0." in out
    # What both lose and win cancels, but for rounding that nobody wants to read.
    assert "e−" not in out
    assert ["new", "20", "20", "0", "0", *["0.0000"] * 4] in [line.split() for line in out.splitlines()]


def test_a_run_that_answers_no_judged_query_is_not_compared(compare, write):
    arguments = make_files(write)
    arguments[5].write_text("other Q0 good 1 1 new\n")

    with pytest.raises(CommandError, match=r"none of its queries is judged\. Do the files use the same"):
        compare(*arguments)


def test_it_tells_what_changed_and_what_is_settled(compare, write):
    """Of 20 queries 16 change their order; in four of these an unjudged document comes first."""
    arguments = make_files(write, same=4)
    lines = arguments[5].read_text().replace("q19 Q0 good", "q19 Q0 new").replace("q18 Q0 good", "q18 Q0 new")
    lines = lines.replace("q17 Q0 good", "q17 Q0 new").replace("q16 Q0 good", "q16 Q0 new")
    arguments[5].write_text(lines)

    out = compare(*arguments).out
    told = json.loads(compare(*arguments, "--format", "json").out)["runs"][0]["evidence"]
    row = next(csv.DictReader(io.StringIO(compare(*arguments, "--format", "csv").out)))

    rows = [line.split() for line in out.splitlines()]
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 11)]
    # A swap moves 1 − 1/log2(3) up and as much down; a new first document also lets the good one go.
    swap, new = (1 - discounts[1]) / sum(discounts), 1 / sum(discounts)
    assert told["ceiling"] == pytest.approx((12 * swap + 4 * new) / 20)
    assert (told["changed"], told["first"], told["new_order"], told["new_documents"]) == (16, 16, 12, 4)
    assert (told["for_candidate"], told["for_baseline"], told["even"], told["open"]) == (12, 0, 4, 4)
    assert told["overlap"] == pytest.approx((16 * 1 + 4 * 0.5) / 20)
    assert ["new", "16", "16", "12", "4"] in [cells[:5] for cells in rows]
    assert ["new", "12", "0", "4", "4"] in [cells[:5] for cells in rows]
    assert (
        f"new: 16 of 20 queries changed. Whatever the grades, mean NDCG-max can’t move by more than {told['ceiling']:.4f}."
        in out
    )
    assert row["bounds over"] == "unjudged documents that one of these runs retrieved"
    assert {name: float(row[column]) for name, column in EVIDENCE_COLUMNS.items()} == {
        name: pytest.approx(told[name]) for name in EVIDENCE_COLUMNS
    }


def test_unjudged_documents_that_could_turn_it_are_told(compare, write):
    arguments = make_files(write)
    arguments[3].write_text(arguments[3].read_text().replace("bad", "unknown"))

    out = compare(*arguments).out

    assert "new: Can’t tell until more is judged." in out
    assert "of this run’s pages are judged, and 100.0 % of the baseline’s." not in out
    assert "100.0 % of this run’s pages are judged" in out
    assert "unjudged documents that one of these runs retrieved" in out


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

    assert "over 20 queries" in out
    assert "1 of 21 queries is left out, because its ideal is 0 so far." in out


def test_a_measure_that_is_no_quality_makes_no_run_better(compare, write):
    arguments = make_files(write)
    arguments[1] = write("fewer", "".join(f"q{nth} 0 bad 0\nq{nth} 0 else 3\n" for nth in range(20)))

    out = compare(*arguments, "--measures", "Holes@1").out

    assert "new: Another value, by more than noise." in out


def test_a_query_that_a_run_does_not_answer_counts_nothing(compare, write):
    arguments = make_files(write)
    arguments[1] = write("more", arguments[1].read_text() + "q99 0 good 3\n")

    out = compare(*arguments, "--measures", "nDCG(missing='skip')@10~2 AP").out

    assert "nDCG@10~2 over 21 queries" in out
    assert "AP over 21 queries" in out


def test_bounds_are_not_told_of_pages_that_nobody_looks_at(compare, write):
    files = [*make_files(write), "--cutoff", "200"]

    out = compare(*files).out
    told = json.loads(compare(*files, "--format", "json").out)["runs"][0]
    row = next(csv.DictReader(io.StringIO(compare(*files, "--format", "csv").out)))

    assert "unjudged are worth" not in out
    assert "settled" not in out
    assert (told["evidence"], row["open"]) == (None, "")


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--measures", "nDCG(gain='x')@10"], "gain"),
        (["--cutoff", "0"], "cutoff can’t be 0"),
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


def test_an_archive_of_two_runs_is_a_comparison(compare, write, tmp_path):
    arguments = make_files(write)
    apart = compare(*arguments, "--format", "json").out
    with ZipFile(tmp_path / "two.zip", "w") as archive:
        for number, path in enumerate(arguments[3::2]):
            archive.write(path, f"{number}-{path.name}")

    together = compare(*arguments[:2], "--run", tmp_path / "two.zip", "--format", "json").out

    of_two, of_one = (json.loads(text)["runs"][0] for text in (apart, together))
    assert of_one == of_two | {"file": "two.zip"}
