"""manage.py gate: the exit status of a build."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from evaluation.models import ComparisonLook, Run
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act
from tests import factories as make
from tests.evaluation.scored import change_grade, make_all_grades, make_ranking, make_rankings
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.offline.file_gate import gate_files
from touchstone_core.offline.gate import Demand

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    """Twenty queries; the stored run “old” has the good document first on half of them, and second on the others."""
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="First pass")
    run = make.make_run(judgment_list.query_set, name="old")
    queries = [
        make.make_query(judgment_list.query_set, f"q{nth}", tags=["aside"] if nth == 19 else [])
        for nth in range(20)
    ]
    make_all_grades(judgment_list, {query: {"good": 3, "bad": 0} for query in queries})
    make_rankings(
        run, {query: ["good", "bad"] if nth < 10 else ["bad", "good"] for nth, query in enumerate(queries)}
    )
    return judgment_list


def write_run(path, first, *, more=()):
    """`first` names the first document of each query; the other one follows."""
    lines = []
    for nth, name in enumerate(first):
        other = "bad" if name == "good" else "good"
        lines += [
            f"q{nth} Q0 {document} {rank} {9 - rank} new"
            for rank, document in enumerate([name, *more, other], 1)
        ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def gate(judgment_list, tmp_path, capsys):
    """Runs the command on a run file; returns exit status and output."""

    def run(first, *arguments, more=(), named="First pass"):
        file = write_run(tmp_path / "new.trec", first, more=more)
        common = ["--query-set", "shop", "--list", named, "--run", str(file), "--baseline", "OLD"]
        try:
            call_command("gate", *common, *arguments)
        except CommandError as error:
            said = capsys.readouterr()
            return error.returncode, said.out + said.err + str(error)
        return 0, capsys.readouterr().out

    return run


def test_a_run_that_meets_every_condition_passes_and_is_not_kept(gate):
    status, out = gate(["good"] * 20, "--measure", "nDCG@10", "--min", ".9", "--max-drop", "0")

    assert status == 0
    assert "at least 0.9" in out
    assert "drop of at most 0" in out
    assert "+0.1845" in out
    assert "nDCG@10: every document of both runs in the top 10 is judged." in out
    assert out.endswith("Passed.\n")
    assert Run.objects.get().name == "old"
    assert not ComparisonLook.objects.exists()
    assert not Act.objects.exists()


def test_what_is_missed_is_told_with_how_much(gate):
    status, out = gate(["bad"] * 20, "--measure", "nDCG@10", "--min", ".8", "--max-drop", ".05")

    assert status == 1
    assert "FAILED" in out
    assert "nDCG@10: 0.6309 is 0.1691 below the least value, 0.8." in out
    assert "nDCG@10: the drop is 0.1845, 0.1345 more than 0.05." in out
    assert "Not passed.\nThe run does not meet every condition." in out


def test_each_measure_has_the_conditions_behind_it(gate):
    status, out = gate(
        ["bad"] * 20,
        *("--measure", "RR", "--min", ".5"),
        *("--measure", "P@1", "--max-drop", ".1"),
        *("--measure", "AP", "--format", "json"),
    )

    found = json.loads(out[: out.rindex("}") + 1])
    told = {
        one["measure"]: [(each["kind"], each["passed"]) for each in one["conditions"]]
        for one in found["measures"]
    }
    assert status == 1
    assert told == {"RR": [("min", True)], "P@1": [("max-drop", False)], "AP": []}
    assert found["measures"][1]["conditions"][0]["short_by"] == pytest.approx(0.4)
    assert found["measures"][0]["bounds"] is None


def test_json_has_every_figure(gate, judgment_list):
    _, out = gate(["good"] * 20, "--measure", "nDCG@10", "--min", "1", "--format", "json")

    found = json.loads(out)
    assert found["passed"]
    assert (found["run"]["name"], found["run"]["file"]) == ("new", "new.trec")
    assert found["baseline"]["name"] == "old"
    assert (found["list"]["name"], found["list"]["version"]) == ("First pass", "live")
    assert (found["queries"], found["seed"]) == (20, 1)
    assert found["measures"][0]["comparison"]["outcomes"]["wins"] == 10
    assert found["measures"][0]["bounds"] == {"low": 1, "high": 1}


def test_a_drop_that_may_be_noise_is_let_pass_where_only_more_counts(gate):
    first = ["bad"] * 3 + ["good"] * 7 + ["bad"] * 10

    strict, _ = gate(first, "--measure", "nDCG@10", "--max-drop", "0")
    lenient, out = gate(first, "--measure", "nDCG@10", "--significant")

    assert (strict, lenient) == (1, 0)
    assert "which may be noise, so it passes." in out
    assert ("no drop beyond noise" in out, "at most 0" in out) == (True, False)


def test_a_drop_is_to_be_shown_to_be_within_the_margin(gate):
    """A drop in 3 of 20 queries that lies within the margin may be larger by chance; no test says how much."""
    first = ["bad"] * 3 + ["good"] * 7 + ["bad"] * 10

    plain, _ = gate(first, "--measure", "nDCG@10", "--max-drop", ".06")
    shown, out = gate(first, "--measure", "nDCG@10", "--max-drop", ".06", "--significant")
    wide, _ = gate(first, "--measure", "nDCG@10", "--max-drop", ".3", "--significant")

    assert (plain, shown, wide) == (0, 1, 0)
    assert "shown: drop of at most 0.06" in out
    assert "the difference is −0.0554, and a drop of 0.2" in out
    assert "can’t be excluded, more than 0.06; only 3 queries changed." in out


def test_a_run_is_shown_to_be_the_same_within_a_margin(gate):
    same = ["good"] * 10 + ["bad"] * 10

    equal, _ = gate(same, "--measure", "nDCG@10", "--same-within", ".001")
    better, out = gate(["good"] * 20, "--measure", "nDCG@10", "--same-within", ".2", "--format", "json")

    assert (equal, better) == (0, 1)
    (condition,) = json.loads(out[: out.rindex("}") + 1])["measures"][0]["conditions"]
    assert (condition["kind"], condition["limit"], condition["passed"]) == ("same-within", 0.2, False)
    assert condition["short_by"] > 0


def test_of_a_measure_without_an_upper_end_nothing_is_shown_by_few_changes(gate):
    first = ["bad"] * 3 + ["good"] * 7 + ["bad"] * 10

    status, out = gate(first, "--measure", "DCG(gain='exp')@10", "--same-within", ".5")

    assert status == 1
    assert "DCG(gain='exp')@10: nothing can be shown; only 3 queries changed." in out


def test_dcg_has_the_upper_end_that_the_scale_gives_it(gate):
    """As on the comparison's page: no DCG exceeds that of a page of the top grade."""
    first = ["bad"] * 3 + ["good"] * 7 + ["bad"] * 10

    _, out = gate(first, "--measure", "DCG@10", "--same-within", ".5", "--format", "json")

    (measured,) = json.loads(out[: out.rindex("}") + 1])["measures"]
    assert measured["one_sided"]["low"] < measured["comparison"]["difference"]["mean"] < 0


def test_a_drop_that_is_more_than_noise_fails(gate, judgment_list, tmp_path):
    run = judgment_list.query_set.runs.get()
    run.rankings.all().delete()
    for query in judgment_list.query_set.queries.all():
        make_ranking(run, query, ["good", "bad"])

    status, out = gate(["bad"] * 20, "--measure", "nDCG@10", "--significant")

    assert status == 1
    assert "the drop is 0.3691, more than noise" in out


def test_unjudged_documents_are_counted_with_what_they_could_change(gate):
    _, out = gate(
        ["good"] * 20,
        *("--measure", "nDCG@10", "--min", "0", "--measure", "AP", "--measure", "nDCG@10~2"),
        more=("new",),
    )

    assert (
        "nDCG@10: 20 unjudged documents in the top 10 of 20 queries could change it; whatever grades the documents of both runs get"
        in out
    )
    assert "AP: 20 unjudged documents in the ranking of 20 queries could change it." in out
    assert "nDCG@10~2: 20 unjudged documents in the top 10 of 20 queries could change it." in out


@pytest.mark.parametrize(
    "measure",
    ["nDCG(unjudged='condensed')@10", "nDCG(rel=2)@10", "nDCG(ideal='global-uncut')@10", "nDCG@200", "nDCG"],
)
def test_measures_without_bounds_are_told_without_them(gate, measure):
    _, out = gate(["good"] * 20, "--measure", measure, "--min", "0", more=("new",))

    assert "whatever grades the documents of both runs get" not in out


def test_a_version_is_measured_as_it_was_frozen(gate, judgment_list):
    freeze_version(judgment_list=judgment_list, at=make.NOW)
    for query in judgment_list.query_set.queries.all():
        change_grade(judgment_list, query, "bad", 3)

    frozen, _ = gate(["bad"] * 20, "--measure", "nDCG@10", "--min", ".9", named="First pass@1")
    live, _ = gate(["bad"] * 20, "--measure", "nDCG@10", "--min", ".9")

    assert (frozen, live) == (1, 0)


def test_held_out_queries_do_not_count(gate, judgment_list):
    make.make_comparing(judgment_list.query_set, held_out="aside")

    _, out = gate(["good"] * 20, "--measure", "nDCG@10", "--min", "0")

    assert "over 19 queries, 1 held out" in out


def test_a_query_without_an_answer_counts_nothing(gate):
    _, out = gate(["good"] * 10, "--measure", "nDCG(missing='skip')@10", "--min", ".9")

    assert "nDCG@10: 0.5000 is 0.4000 below the least value, 0.9." in out


def test_a_query_without_a_value_is_left_out(gate, judgment_list):
    for name in ("good", "bad"):
        change_grade(judgment_list, judgment_list.query_set.queries.get(external_id="q0"), name, 0)

    _, out = gate(["good"] * 20, "--measure", "nDCG(zero='skip')@10", "--min", ".9")

    assert "1 of 20 queries is left out, because its ideal is 0 so far." in out


def test_one_query_has_no_interval(gate, judgment_list):
    judgment_list.list_queries.exclude(query__external_id="q0").delete()
    judgment_list.query_set.queries.exclude(external_id="q0").delete()

    _, out = gate(["bad"], "--measure", "nDCG@10", "--max-drop", "0")

    assert "the drop is 0.3691, where none is allowed.\n" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["--measure", "nDCG@10"],
            "No condition is given. Add --min, --max-drop, --significant or --same-within",
        ),
        (["--measure", "nDCG@10", "--min", "nan"], "must be a finite number"),
        (["--measure", "nDCG@10", "--max-drop", "-1"], "must be a finite number from 0"),
        (["--measure", "nDCG@10", "--same-within", "0"], "must be a finite number above 0"),
        (["--measure", "nDCG@10", "--min", "1", "--measure", "ndcg@10"], "named twice"),
        (["--measure", "nDCG@10 RR", "--min", "1"], "must be one measure"),
        (["--measure", "nope@10", "--min", "1"], "nope"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(gate, arguments, says):
    status, out = gate(["good"] * 20, *arguments)

    assert status == 2
    assert says in out


def test_a_condition_without_a_measure_is_refused(gate):
    with pytest.raises(CommandError, match="--min must come after the --measure"):
        call_command("gate", "--min", "1")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"--baseline": "nope"}, r"no run named “nope”\. It has: old\.$"),
        ({"--query-set": "nope"}, r"no query set “nope”\. There are: Shop\.$"),
        ({"--list": "nope"}, r"no list “nope”\. It has: First pass\.$"),
        ({"--list": "First pass@7"}, r"has no version 7\. It has none yet\.$"),
        ({"--run": "nowhere.trec"}, "nowhere.trec cannot be read"),
    ],
)
def test_what_is_not_there_is_named(judgment_list, tmp_path, changed, says):
    file = write_run(tmp_path / "new.trec", ["good"] * 20)
    given = {"--query-set": "Shop", "--list": "First pass", "--run": str(file), "--baseline": "old"} | changed

    with pytest.raises(CommandError, match=says) as error:
        call_command(
            "gate", *(part for pair in given.items() for part in pair), "--measure", "RR", "--min", "0"
        )

    assert error.value.returncode == 2


def test_a_file_with_errors_is_refused_by_line(gate, tmp_path, judgment_list, capsys):
    asked, report = ("--measure", "nDCG@10", "--min", "0"), tmp_path / "gate.json"
    status, out = gate(["good"] * 21, *asked)
    skipping, _ = gate(["good"] * 21, *asked, "--unknown", "skip", "--json", report)
    assert (status, skipping, "unknown query “q20”" in report.read_text()) == (2, 0, True)
    assert "new.trec: Line 41, column query: unknown query “q20”." in out
    assert out.endswith("Nothing was scored: new.trec has 1 problem.")


def test_no_query_to_measure_on_is_bad_input(gate, judgment_list):
    make.make_comparing(judgment_list.query_set, held_out="all")
    judgment_list.query_set.queries.update(tags=["all"])

    status, out = gate(["good"] * 20, "--measure", "nDCG@10", "--min", "0")

    assert status == 2
    assert "No query has a value of nDCG@10 in both runs." in out


class Judging:
    """After the grades are read, one of them changes; so many times."""

    def __init__(self, judgment_list, times):
        self.judgment_list, self.times = judgment_list, times

    def __call__(self, execute, sql, params, many, context):
        found = execute(sql, params, many, context)
        if "array_agg(value ORDER BY document_id)" in sql and self.times:
            self.times -= 1
            query = self.judgment_list.query_set.queries.get(external_id="q0")
            change_grade(self.judgment_list, query, "bad", self.times % 2)
        return found


@pytest.mark.parametrize(("times", "status"), [(2, 0), (100, 2)])
def test_grades_that_move_meanwhile_are_read_again(gate, judgment_list, times, status):
    with connection.execute_wrapper(Judging(judgment_list, times)):
        found, out = gate(["good"] * 20, "--measure", "nDCG@10", "--min", "0")

    assert found == status
    assert ("keep changing" in out) == (status == 2)


@pytest.mark.parametrize("measure", ["Holes@10", "Judged@10", "nDCG(ideal='local')@10"])
def test_nothing_can_be_demanded_of_a_measure_that_ranks_no_run(gate, measure):
    status, out = gate(["good"] * 20, "--measure", measure, "--max-drop", "0")

    assert status == 2
    assert f"{measure} does not say which run is better" in out


def test_a_gate_on_files_gives_the_same_digits(gate, judgment_list, tmp_path):
    """Also of what unjudged documents could change: the stored run and the file have none below the cutoff."""
    demands = ["--measure", "nDCG@10", "--max-drop", "0", "--measure", "AP", "--same-within", ".3"]
    _, out = gate(["bad"] * 3 + ["good"] * 17, *demands, "--format", "json", more=("new",))
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"q{nth} 0 good 3\nq{nth} 0 bad 0\n" for nth in range(20)))
    baseline = write_run(tmp_path / "old.trec", ["good"] * 10 + ["bad"] * 10)
    baseline.write_text(baseline.read_text().replace(" new\n", " old\n"))

    report, _ = gate_files(
        qrels,
        tmp_path / "new.trec",
        baseline,
        [
            Demand(RoundedMeasure(parse("nDCG@10")), most_drop=0),
            Demand(RoundedMeasure(parse("AP")), within=0.3),
        ],
    )

    stored = json.loads(out[: out.rindex("}") + 1])["measures"]
    assert json.loads(json.dumps(report.as_json["measures"])) == stored
    assert stored[0]["verdict"]["headline"] == "Too few changed queries"


def test_files_for_build_servers_name_the_list_and_its_state(gate, tmp_path):
    options = ["--junit", str(tmp_path / "gate.xml"), "--markdown", str(tmp_path / "gate.md")]

    status, out = gate(["bad"] * 20, "--measure", "nDCG@10", "--min", ".9", *options)

    assert (status, "Not passed." in out) == (1, True)
    assert 'failures="1"' in (tmp_path / "gate.xml").read_text()
    assert (
        "**new** (new.trec) compared with **old**, over 20 queries. First pass: live, 40 grades"
        in (tmp_path / "gate.md").read_text()
    )


def test_a_file_that_cannot_be_written_is_bad_input(gate):
    status, out = gate(["good"] * 20, "--measure", "nDCG@10", "--min", "0", "--json", "/nowhere/gate.json")

    assert (status, out) == (2, "/nowhere/gate.json cannot be written: No such file or directory.")
