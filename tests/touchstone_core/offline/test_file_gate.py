"""A gate on files, and what it writes for build servers."""

import json
import math
from xml.etree import ElementTree

import pytest

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.offline import gate_command
from touchstone_core.offline.command_line import run_command
from touchstone_core.offline.file_comparison import compare_files
from touchstone_core.offline.file_gate import gate_files
from touchstone_core.offline.gate import Demand
from touchstone_core.offline.gate_report import as_junit, as_markdown, marker


def write_run(path, first, queries=20, more=()):
    """`first` is the first document of each query, the other one follows, and then `more`."""
    other = "bad" if first == "good" else "good"
    path.write_text(
        "".join(
            f"q{nth} Q0 {document} {rank} {99 - rank} {path.stem}\n"
            for nth in range(queries)
            for rank, document in enumerate([first, other, *more], 1)
        )
    )
    return path


@pytest.fixture
def files(tmp_path):
    """Qrels of 20 queries, a run with the good document first and one with it second."""
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"q{nth} 0 good 3\nq{nth} 0 bad 0\n" for nth in range(20)))
    return qrels, write_run(tmp_path / "new.trec", "good"), write_run(tmp_path / "old.trec", "bad")


@pytest.fixture
def command(files, capsys):
    """Runs `touchstone gate`; returns exit status, standard output and standard error."""

    def run(*arguments, files=files, alone=False):
        qrels, new, old = map(str, files)
        common = ["--qrels", qrels, "--run", new, *([] if alone else ["--baseline", old])]
        status = run_command(gate_command, "touchstone gate", [*common, *map(str, arguments)])
        return status, *capsys.readouterr()

    return run


def measured(text, **conditions):
    ((_, measure),) = read_rounded(text)
    return Demand(measure, **conditions)


def junit(text):
    return ElementTree.fromstring(text.partition("\n")[2])  # noqa: S314 - our own file


def test_a_gate_that_breaks_does_not_say_that_the_run_is_not_good_enough(command, monkeypatch):
    def broken(*_):
        raise KeyError("q7")

    monkeypatch.setattr(gate_command, "run", broken)

    status, out, err = command("--measure", "nDCG@10", "--min", ".9")

    assert (status, out) == (2, "")
    assert "KeyError: 'q7'\ntouchstone gate broke off." in err


def test_a_run_passes_where_every_condition_holds(command):
    """1 − 1/log2(3) better."""
    status, out, err = command("--measure", "nDCG@10", "--min", ".9", "--max-drop", "0", "--format", "json")

    found = json.loads(out)
    (measure,) = found["measures"]
    assert (status, err) == (0, "")
    assert found["qrels"] == {"file": "qrels", "queries": 20, "judgments": 40, "max_grade": 3}
    assert (found["run"], found["baseline"]["name"]) == ({"name": "new", "file": "new.trec"}, "old")
    assert measure["comparison"]["difference"]["mean"] == pytest.approx(1 - 1 / math.log2(3))
    assert measure["verdict"]["sentence"] == "new is better than old."


def test_the_table_says_that_queries_get_no_results(command, files):
    write_run(files[1], "good", queries=17)

    _, out, _ = command("--measure", "nDCG@10", "--max-drop", ".02")

    (verdict,) = (line for line in out.splitlines() if line.startswith("nDCG@10: new is better than old."))
    assert "3 queries get no results." in verdict


def test_it_fails_where_one_does_not(command, files):
    qrels, new, old = files
    status, out, _ = command("--measure", "nDCG@10", "--max-drop", ".1", files=(qrels, old, new))

    assert status == 1
    assert "nDCG@10: the drop is 0.3691, 0.2691 more than 0.1" in out
    assert out.endswith("Not passed.\n")


def test_the_verdict_is_that_of_the_comparison(files):
    """Also where unjudged documents may turn it."""
    qrels, new, old = files
    for more in ((), ("x",), [f"x{nth}" for nth in range(12)]):
        write_run(new, "good", more=more)
        gate, _ = gate_files(qrels, new, old, [measured("nDCG@10", least=0), measured("AP", least=0)])
        compared = compare_files(qrels, [old, new], measures="nDCG@10 AP", cutoff=10)

        for one in gate.measures:
            figures = compared.measures[one.measure]["comparisons"][0]
            assert {
                key: figures[key] for key in one.comparison.figures.as_json()
            } == one.comparison.figures.as_json()
        assert [one.comparison.verdict.headline for one in gate.measures] == [
            line.split(": ")[1].split(". ")[0] for line in sentences(compared)
        ]


def test_no_figure_rests_on_zeros_where_one_run_is_judged_less(command, files):
    """Neither p-value nor interval nor margin beside “can’t tell”, in any form; the mean stays, and so do the bounds."""
    qrels, new, _ = files
    write_less_judged(new)
    conditions = [
        "--measure",
        "nDCG@10",
        "--max-drop",
        ".5",
        "--significant",
        "--measure",
        "RR",
        "--significant",
    ]

    written = [qrels.with_name(name) for name in ("json", "md", "xml")]
    options = [
        part
        for path, name in zip(written, ("json", "markdown", "junit"), strict=True)
        for part in (f"--{name}", path)
    ]
    status, out, _ = command(*conditions, *options)
    found, markdown, xml = (path.read_text() for path in written)

    assert status == 1
    for measure in json.loads(found)["measures"]:
        told = measure["comparison"]
        assert measure["verdict"]["headline"] == told["verdict"] == "Can’t tell until more is judged"
        assert [measure["one_sided"], *(told[name] for name in ("adjusted", "posterior", "one_sided"))] == [
            None
        ] * 4
        assert (told["permutation"]["value"], told["difference"]["interval"]) == (None, None)
        assert told["difference"]["mean"] < 0
    for text in (out, markdown, xml):
        assert "95 % interval of" not in text
    for text in (out, markdown):
        assert "< 0.001" not in text.replace("\\", "")


def write_less_judged(run):
    """A run that shows an unjudged document before both others."""
    documents = list(enumerate(["x", "bad", "good"], 1))
    lines = [
        f"q{nth} Q0 {name} {rank} {99 - rank} {run.stem}\n" for nth in range(20) for rank, name in documents
    ]
    run.write_text("".join(lines))


def sentences(compared):
    """The lines of `touchstone compare` that say a verdict."""
    from touchstone_core.offline.compare_output import as_table

    return [
        line for line in as_table(compared).splitlines() if line.startswith("new: ") and " on average" in line
    ]


@pytest.mark.parametrize(("least", "status", "word"), [(".925", 0, "passed"), (".93", 1, "FAILED")])
def test_a_least_mean_needs_no_baseline(command, files, least, status, word):
    """The good document is first for 18 queries, second for one and missing for one: (18 + 1/2)/20."""
    qrels, new, _ = files
    write_run(new, "good", queries=18)
    new.write_text(new.read_text() + "q18 Q0 x 1 9 new\nq18 Q0 good 2 8 new\nq19 Q0 x 1 9 new\n")
    written = [qrels.with_name(name) for name in ("json", "markdown", "junit")]

    found, out, err = command(
        "--measure", "RR@2", "--min", least, *(f"--{one.name}={one}" for one in written), alone=True
    )

    expected = 18.5 / 20
    report, markdown, xml = (one.read_text() for one in written)
    assert (found, err) == (status, "")
    assert word in out
    for text in (out, markdown, xml):
        assert not any(of_pair in text for of_pair in ("baseline", "beside", "compared", "difference"))
        assert "2 unjudged documents in the top 2 of 2 queries could change it." in text
    measure = json.loads(report)["measures"][0]
    assert (json.loads(report)["baseline"], measure["mean"]) == (None, pytest.approx(expected))
    assert [one["short_by"] for one in measure["conditions"]] == [pytest.approx(float(least) - expected)]


def test_a_mean_alone_has_the_bounds_of_its_unjudged_documents(command, files):
    """One query of twenty shows an unjudged document first: of grade 3, it adds 1 − the loss of the second place."""
    _qrels, new, _ = files
    write_run(new, "good", queries=19)
    new.write_text(new.read_text() + "q19 Q0 x 1 9 new\nq19 Q0 good 2 8 new\n")

    _, out, _ = command("--measure", "nDCG@2", "--min", ".5", alone=True)

    low = (19 + 1 / math.log2(3)) / 20
    assert (
        "nDCG@2: 1 unjudged document in the top 2 of 1 query could change it; whatever grades these get, the run lies between "
        f"{low:.4f} and 1.0000." in out
    )


def test_a_measure_without_a_condition_is_reported_alone_too(command):
    status, out, _ = command("--measure", "RR", "--measure", "nDCG@10", "--min", "1", alone=True)

    assert status == 0
    assert ["RR", "1.0000", "none", "–"] in [line.split() for line in out.splitlines()]


@pytest.mark.parametrize("condition", [["--max-drop", "0"], ["--significant"], ["--same-within", ".1"]])
def test_conditions_that_compare_need_a_baseline(command, condition):
    status, out, err = command("--measure", "RR", "--min", "0", *condition, alone=True)

    assert (status, out) == (2, "")
    assert err == (
        "The conditions of RR compare the run with a baseline, but none is named. Name a baseline, or keep only --min.\n"
    )


def test_junit_has_a_case_for_each_condition(files):
    qrels, new, old = files
    demands = [measured("nDCG@10", least=0.9, most_drop=0), measured("RR", within=0.1)]
    gate, _ = gate_files(qrels, new, old, demands)

    suites = junit(as_junit(gate, title="Shop"))

    (suite,) = suites
    assert [suites.get(key) for key in ("name", "tests", "failures", "errors")] == ["Shop", "3", "1", "0"]
    assert suite.get("tests") == "3"
    cases = [(one.get("name"), one.find("failure") is not None) for one in suite.iter("testcase")]
    assert cases == [
        ("nDCG@10: at least 0.9", False),
        ("nDCG@10: drop of at most 0", False),
        ("RR: shown: the same within 0.1", True),
    ]
    (failure,) = suite.iter("failure")
    assert failure.get("type") == "same-within"
    assert failure.get("message").startswith("RR: the difference is +0.5000, and anything from ")
    assert failure.text.startswith("new is better than old. +0.5000 on average")
    assert {one.get("name"): one.get("value") for one in suite.iter("property")}["queries"] == "20"


def test_junit_is_xml_whatever_the_names(files):
    qrels, new, old = files
    new.write_text(new.read_text().replace(" new\n", ' <a&\x08"b>\n'))
    gate, _ = gate_files(qrels, new, old, [measured("RR", least=0)])

    facts = {one.get("name"): one.get("value") for one in junit(as_junit(gate)).iter("property")}

    assert facts["run"] == '<a&\ufffd"b>'


def test_markdown_begins_with_a_hidden_comment_and_says_the_verdict(files):
    qrels, new, old = files
    gate, _ = gate_files(qrels, new, old, [measured("nDCG@10", most_drop=0)])

    lines = as_markdown(gate, title="Shop --> 1").splitlines()

    assert lines[:2] == ["<!-- touchstone-gate: Shop 1 -->", "### ✓ Shop --\\> 1: passed"]
    assert (
        "- nDCG@10: ✓ **new is better than old.** +0.3691 on average; wins 20 of 20 queries. No unjudged result can turn that around. "
        "20 queries may not show a rare loss at all, one that hits fewer than 14 % of queries." in lines
    )
    (row,) = [line for line in lines if line.startswith("| nDCG@10")]
    assert [cell.strip() for cell in row.strip("|").split("|")][-2:] == ["drop of at most 0", "passed"]
    assert as_markdown(gate, title="Other").splitlines()[0] == marker("Other") != lines[0]


def test_files_are_written_beside_what_is_printed(command, tmp_path):
    names = {"--junit": "gate.xml", "--markdown": "gate.md", "--json": "gate.json"}
    options = [part for flag, name in names.items() for part in (flag, tmp_path / name)]

    status, out, _ = command("--measure", "RR", "--min", "2", "--title", "Mine", *options)

    assert (status, out.endswith("Not passed.\n")) == (1, True)
    assert junit((tmp_path / "gate.xml").read_text()).get("name") == "Mine"
    assert "### ✗ Mine: not passed" in (tmp_path / "gate.md").read_text()
    assert json.loads((tmp_path / "gate.json").read_text())["passed"] is False


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--measure", "RR"], "No condition is given"),
        (["--measure", "Holes@10", "--min", "1"], "does not say which run is better"),
        (["--measure", "nDCG@10 RR", "--min", "1"], "must be one measure"),
        (["--measure", "RR", "--min", "1", "--max-grade", "1"], "which lies above the top grade 1"),
        (["--measure", "RR", "--min", "0", "--junit", "/nowhere/gate.xml"], "/nowhere/gate.xml cannot be written"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(command, arguments, says):
    status, out, err = command(*arguments)

    assert (status, out) == (2, "")
    assert says in err


def test_a_file_of_several_runs_is_refused(command, files):
    _qrels, new, _old = files
    new.write_text(new.read_text() + "q0 Q0 x 1 1 other\n")

    status, _, err = command("--measure", "RR", "--min", "0", "--several", "split")

    assert (status, err) == (
        2,
        "A gate takes one run and at most one baseline. Give a file with one run for each of them.\n",
    )


def test_nothing_is_compared_where_nothing_can_be_gained(files):
    qrels, new, old = files
    qrels.write_text("q1 0 good 0\n")

    with pytest.raises(MetricsError, match="No grade lies above 0"):
        gate_files(qrels, new, old, [measured("RR", least=0)])


def test_queries_that_nobody_judged_are_a_warning(command, files):
    _qrels, new, _ = files
    new.write_text(new.read_text() + "q99 Q0 x 1 1 new\n")

    status, _, err = command("--measure", "RR", "--min", "0")

    assert (status, err) == (
        0,
        "Warning: new.trec: 1 query of the run is not in the qrels and is left out.\n",
    )


def test_a_mean_of_nothing_is_refused(files):
    qrels, new, _ = files
    qrels.write_text("q1 0 good 0\n")
    with pytest.raises(MetricsError, match=r"No query has a value of nDCG\(zero='skip'\)@10"):
        gate_files(qrels, new, None, [measured("nDCG(zero='skip')@10", least=0)])
    with pytest.raises(MetricsError, match="No grade lies above 0, so that there is nothing to measure"):
        gate_files(qrels, new, None, [measured("RR", least=0)])


def test_queries_left_out_of_a_mean_alone_are_told(command, files):
    qrels, _, _ = files
    qrels.write_text(qrels.read_text() + "q20 0 good 0\n")

    _, out, _ = command("--measure", "nDCG(zero='skip')@10", "--min", "0", alone=True)

    assert "1 of 21 queries is left out, because its ideal is 0 so far." in out


@pytest.mark.parametrize("place", [1, 2])
def test_a_run_that_answers_no_judged_query_neither_passes_nor_fails(files, command, place):
    """As where leading zeros of the query IDs were lost in one of the files."""
    files[place].write_text(files[place].read_text().replace("q", "00q"))

    status, out, err = command("--measure", "nDCG@10", "--max-drop", ".02", "--significant")

    name = files[place].name
    assert (status, out) == (2, "")
    assert f"{name}: none of its queries is judged. Do the files use the same query IDs?" in err


def test_a_baseline_without_judged_results_is_none(files, command):
    files[2].write_text(files[2].read_text().replace("good", "P-good").replace("bad", "P-bad"))

    status, out, err = command("--measure", "nDCG@10", "--max-drop", ".02")

    assert (status, out) == (2, "")
    assert "old.trec: none of its results is judged. Do the files use the same document IDs?" in err


def test_warnings_are_in_every_report(files, command, tmp_path):
    files[1].write_text(files[1].read_text() + "q99 Q0 good 1 9 new\n")
    written = [tmp_path / name for name in ("gate.xml", "gate.md", "gate.json")]
    outputs = zip(("--junit", "--markdown", "--json"), written, strict=True)

    status, _, err = command("--measure", "RR", "--min", ".5", *(word for one in outputs for word in one))

    said = "new.trec: 1 query of the run is not in the qrels and is left out."
    assert (status, f"Warning: {said}" in err) == (0, True)
    assert junit(written[0].read_text()).findtext("testsuite/system-err") == said
    assert f"- **Warning:** {said}" in written[1].read_text().splitlines()
    assert json.loads(written[2].read_text())["warnings"] == [said]
