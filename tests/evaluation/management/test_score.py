"""manage.py score: published values through the command, and its contract."""

import csv
import io
import json
import os
import re
import threading
from collections import defaultdict

import pytest

from tests.evaluation.management.score_files import NOT_JUDGED, QRELS, RUN
from tests.shared_data import shared_data
from tests.touchstone_core.metrics.test_real_runs import DIVERGENCES, TREC_EVAL_OUTPUTS, read_as_ours

pytestmark = pytest.mark.usefixtures("size")


@pytest.mark.parametrize(("output", "qrels", "results", "least", "depth", "compared"), TREC_EVAL_OUTPUTS)
def test_every_value_that_trec_eval_prints_for_its_own_tests_comes_out(
    score, write, output, qrels, results, least, depth, compared
):
    folder = shared_data("trec_eval")
    lines = [line.split() for line in (folder / output).read_text().splitlines()]
    measures = {name: str(measure) for name, *_ in lines if (measure := read_as_ours(name, least))}

    status, out, _ = score(
        "--qrels", folder / qrels, "--run", write("run", cut((folder / results).read_text(), depth)),
        "--measures", " ".join(measures.values()), "--per-query", "--format", "json",
    )  # fmt: skip

    found = json.loads(out)["runs"][0]["measures"]
    known = [(name, query, value) for name, query, value in lines if name in measures]
    differing = set()
    for name, query, value in known:
        values = found[measures[name]]
        ours = values["mean"] if query == "all" else values["per_query"][query]
        if f"{ours / int(name.removeprefix('unj_')) if name.startswith('unj_') else ours:.4f}" != value:
            differing.add((name, query))
    assert (status, len(known)) == (0, compared)
    assert differing == DIVERGENCES.get(output, {}).keys()


def cut(text: str, depth: int | None) -> str:
    """The best lines of each query by score and ID, as trec_eval's -M takes them."""
    by_query: dict[str, list[str]] = defaultdict(list)
    for line in sorted(text.splitlines(), key=best_last, reverse=True):
        by_query[line.split()[0]].append(line)
    return "\n".join(line for found in by_query.values() for line in found[:depth])


def best_last(line: str) -> tuple[float, str]:
    _, _, document, _, retrieval_score, *_ = line.split()
    return float(retrieval_score), document


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

    assert (status, err) == (0, NOT_JUDGED.format("run.trec"))
    assert json.loads(out) == {
        "qrels": {"file": "qrels", "queries": 3, "judgments": 4, "max_grade": 2.0},
        "runs": [
            {
                "name": "t",
                "file": "run.trec",
                "queries": {"judged": 3, "answered": 2, "missing": 1, "empty": 0, "unjudged": 1},
                "short_pages": [
                    {
                        **{"cutoff": 10, "answered": 2, "short": 2, "empty": 0},
                        **dict.fromkeys(("local", "global"), pytest.approx((0.6309297535714575 + 1) / 2)),
                    },
                    {"cutoff": 2, "answered": 2, "short": 1, "empty": 0, "local": 1.0, "global": 1.0},
                ],
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


def test_short_pages_are_told_at_each_cutoff(score, write):
    _, out, _ = score(
        "--qrels", write("qrels", QRELS), "--run", write("run", RUN), "--measures", "nDCG@2 nDCG@1 AP"
    )  # fmt: skip

    assert "t: 1 of 2 pages shows fewer than 2 documents. On this one, mean NDCG-local is 1.0000" in out
    assert "fewer than 1 document" not in out


def test_values_are_rounded_query_by_query_where_the_text_says_so(score, write):
    _, out, _ = score(
        "--qrels", write("qrels", QRELS), "--run", write("run", RUN), "--per-query", "--format", "json",
        "--measures", "nDCG@10~2",
    )  # fmt: skip

    assert json.loads(out)["runs"][0]["measures"] == {
        "nDCG@10~2": {
            "mean": pytest.approx(1.63 / 3, abs=1e-15),
            "median": 0.63,
            "per_query": {"q1": 0.63, "q2": 1.0, "q3": 0.0},
        }
    }


def test_what_comes_through_a_pipe_is_scored_as_a_file_is(score, write, tmp_path):
    qrels, run = tmp_path / "qrels.pipe", tmp_path / "run.pipe"
    writers = [
        threading.Thread(target=pipe.write_bytes, args=(text.encode(),), daemon=True)
        for pipe, text in ((qrels, QRELS), (run, RUN))
        if os.mkfifo(pipe) is None
    ]
    for writer in writers:
        writer.start()

    status, out, err = score("--qrels", qrels, "--run", write("r", RUN), "--run", run, "--format", "json")

    found = json.loads(out)
    file, pipe = found["runs"]
    told = NOT_JUDGED.format("r") + NOT_JUDGED.format("run.pipe")
    assert (status, err, found["qrels"]["file"]) == (0, told, "qrels.pipe")
    assert pipe == file | {"name": "t (run.pipe)", "file": "run.pipe"}


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


CLOSE = "q1 Q0 d1 1 1.00000001 t\nq1 Q0 d2 2 1.0 t\nq2 Q0 d1 1 1 t\nq3 Q0 d1 1 1 t\n"


def test_scores_are_compared_in_single_precision_unless_another_order_is_chosen(score, write):
    qrels, run = write("qrels", "q1 0 d1 1\nq2 0 d1 1\nq3 0 d1 1\n"), write("run", CLOSE)

    found = {}
    for order in ("score", "double", "rank"):
        _, out, _ = score(
            *(
                "--qrels",
                qrels,
                "--run",
                run,
                "--order",
                order,
                "--measures",
                "RR",
                "--per-query",
                "--format",
                "json",
            )
        )
        found[order] = json.loads(out)["runs"][0]["measures"]["RR"]["per_query"]["q1"]

    assert found == {"score": 0.5, "double": 1, "rank": 1}  # trec_eval 9.0.8 and 10.0 on tie_float32_only


def test_ranks_that_contradict_scores_are_warned_of_and_equal_scores_are_not(score, write):
    qrels = write("qrels", QRELS)
    bad = "q1 Q0 d1 1 1 t\nq1 Q0 d2 2 2 t\nq2 Q0 a 1 3 t\nq2 Q0 d1 2 3 t\n"

    _, _, err = score("--qrels", qrels, "--run", write("run", bad))

    assert err.splitlines() == [
        "Warning: run: 1 query holds equal scores; ties are put in descending order of document IDs.",
        "Warning: run: ranks and scores give different orders in 1 query; the scores decided. Choose --order rank to use "
        "the ranks.",
    ]


def test_a_warning_that_many_runs_share_is_given_once(score, write):
    qrels, tied = write("qrels", QRELS), "q1 Q0 d1 1 1 t\nq1 Q0 d2 2 1 t\n"
    files = [write(f"run{number}", tied) for number in range(1, 7)]

    _, _, few = score("--qrels", qrels, *(part for file in files[:3] for part in ("--run", file)))
    _, _, many = score("--qrels", qrels, *(part for file in files for part in ("--run", file)))

    of_one = "1 query holds equal scores; ties are put in descending order of document IDs."
    assert few.splitlines() == [f"Warning: run{number}: {of_one}" for number in (1, 2, 3)]
    assert many.splitlines() == [f"Warning: run1: {of_one} So in 5 more runs: run2, run3, run4, run5, run6."]


def test_several_tags_and_repeated_documents_are_read_by_choice(score, write):
    qrels = write("qrels", QRELS)
    run = write("run", "q1 Q0 d1 1 3 a\nq1 Q0 d1 2 2 a\nq1 Q0 d2 1 2 b\nq1 Q0 d1 2 1 b\n")

    status, out, _ = score(
        *("--qrels", qrels, "--run", run, "--several", "split", "--duplicates", "first"),
        *("--measures", "RR", "--format", "json", "--per-query"),
    )

    found = [(one["name"], one["measures"]["RR"]["per_query"]["q1"]) for one in json.loads(out)["runs"]]
    assert (status, found) == (0, [("a", 1), ("b", 0.5)])


def test_runs_of_one_name_are_told_apart_by_file_then_by_path(score, write, tmp_path):
    (tmp_path / "new").mkdir()
    runs = [write(name, RUN) for name in ("a.trec", "b.trec", "new/b.trec")]

    _, out, _ = score("--qrels", write("qrels", QRELS), *(f"--run={run}" for run in runs), "--format", "json")

    assert [one["name"] for one in json.loads(out)["runs"]] == [
        "t (a.trec)",
        f"t ({runs[1]})",
        f"t ({runs[2]})",
    ]


def test_many_runs_have_a_row_each(score, write):
    runs = [write(f"r{number}", RUN.replace(" t\n", f" run{number}\n")) for number in range(6)]

    _, out, _ = score(
        "--qrels", write("qrels", QRELS), *(f"--run={run}" for run in runs), "--measures", "RR P@10"
    )

    table = out.splitlines()[2:]
    assert table[0].split()[:3] == ["run", "RR", "P@10"]
    assert [row.split()[0] for row in table[1:]] == [f"run{number}" for number in range(6)]


def test_json_has_a_line_for_each_run(score, write):
    _, out, _ = score(
        "--qrels", write("qrels", QRELS), "--run", write("run", RUN), "--format", "json", "--per-query"
    )

    assert len(out.splitlines()) == 6  # of the object, the qrels, the list and the run


def test_files_of_spreadsheets_are_read_as_windows_1252_with_a_warning(score, write):
    qrels = write("qrels", "q1 0 café 1\nq1 0 d2 0\n".encode("cp1252"))
    run = write("run", "q1 Q0 d2 1 2,5 t\nq1 Q0 café 2 1,5 t\n".encode("cp1252"))

    status, out, err = score(
        "--qrels", qrels, "--run", run, "--measures", "RR", "--format", "json", "--per-query"
    )

    assert (status, json.loads(out)["runs"][0]["measures"]["RR"]["per_query"]) == (0, {"q1": 0.5})
    assert err.count("“Windows-1252 (spreadsheets)” should be UTF-8 (check that its letters are right") == 2


def test_queries_left_out_for_their_ideal_are_named_with_what_grades_could_make_of_the_mean(score, write):
    """q2 counts half; q9 has no document of any worth, and the run does not answer q3."""
    qrels = write("qrels", QRELS.replace("q2 0 d1 1", "q2 0 d1 1\nq2 0 d9 1") + "q9 0 d1 0\n")
    arguments = ["--qrels", qrels, "--run", write("run", RUN), "--measures", "nDCG(zero='skip')@1 nDCG@1"]

    table = score(*arguments)[1]
    found = json.loads(score(*arguments, "--format", "json")[1])["runs"][0]["measures"]
    rows = list(csv.DictReader(io.StringIO(score(*arguments, "--format", "csv")[1])))

    low, high = (1 / 3) * 3 / 4, ((1 / 3) * 3 + 1) / 4
    told = f"If missing grades bring them in, the mean lies between {low:.4f} and {high:.4f}."
    assert (
        f"t, nDCG(zero='skip')@1: 1 of 4 queries is left out, because its ideal is 0 so far. {told}" in table
    )
    assert found["nDCG(zero='skip')@1"]["left_out"] == pytest.approx(
        {"queries": 1, "low_if_graded": low, "high_if_graded": high}
    )
    assert "left_out" not in found["nDCG@1"]
    assert [(row["left out"], row["low if graded"]) for row in rows] == [("1", str(low)), ("0", "")]
