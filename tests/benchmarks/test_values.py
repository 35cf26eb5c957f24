"""`make bench` compares every query, and lets nothing pass that ties cannot explain."""

from pathlib import Path

from benchmarks.data import Files
from benchmarks.rivals import MEASURES
from benchmarks.values import compare, queries_left_to_ties, told, values_of_trec_eval

OURS = {"AP": {"q1": 0.5, "q2": 0.25}, "RR": {"q1": 1.0, "q2": 0.0}}


def test_equal_values_are_counted():
    found = compare("pytrec_eval", OURS, {"AP": {"q1": 0.5, "q2": 0.25 + 1e-12}}, {"q2"})

    assert (found.compared, found.mismatches) == (2, [])
    assert 0 < found.greatest < 1e-11


def test_one_query_that_differs_is_a_mismatch_even_if_the_mean_is_the_same():
    found = compare("pytrec_eval", OURS, {"AP": {"q1": 0.25, "q2": 0.5}}, {"q1", "q2"})

    assert len(found.mismatches) == 2
    assert "pytrec_eval gives AP 0.25 for query q1, we 0.5" in found.mismatches


def test_a_query_that_is_lacking_and_a_value_that_is_no_number_are_mismatches():
    assert compare("ranx", OURS, {"AP": {"q1": 0.5}}, set()).mismatches
    assert compare("ranx", OURS, {"AP": {"q1": 0.5, "q2": float("nan")}}, set()).mismatches
    assert compare("ranx", OURS, {}, set()).mismatches


def test_only_tools_with_ties_of_their_own_may_differ_where_ties_decide():
    theirs = {"AP": {"q1": 0.5, "q2": 0.2}}

    found = compare("ranx", OURS, theirs, {"q2"})

    assert (found.compared, found.ties, found.mismatches) == (1, 1, [])
    assert compare("ranx", OURS, theirs, {"q1"}).mismatches
    assert compare("ir_measures", OURS, theirs, {"q2"}).mismatches


def test_ties_decide_where_equal_scores_belong_to_different_grades(tmp_path: Path):
    made = Files(tmp_path / "qrels", tmp_path / "run")
    made.qrels.write_text("q1 0 a 1\nq2 0 a 1\nq2 0 b 1\nq3 0 a 1\nq4 0 a 0\n")
    rows = ["q1 a 1.5", "q1 b 1.50", "q2 a 1", "q2 b 1", "q3 a 2", "q3 b 1", "q4 a 1", "q4 b 1"]
    made.run.write_text("".join("{} Q0 {} 1 {} t\n".format(*row.split()) for row in rows))

    assert queries_left_to_ties(made) == {"q1"}


def test_the_lines_of_trec_eval_are_read_by_measure_and_query():
    output = "map                   \tq1\t0.5000\nmap                   \tall\t0.5000\nnum_q\tall\t1\n"

    values = values_of_trec_eval(output)

    assert values == {name: {"q1": 0.5} if name == "AP" else {} for name in MEASURES}


def test_many_mismatches_are_told_briefly():
    assert told([str(number) for number in range(7)]) == "0\n1\n2\n3\n4\nand 2 more"
    assert told(["0"]) == "0"
