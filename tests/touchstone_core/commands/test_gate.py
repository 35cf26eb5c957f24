"""`touchstone gate` beside a site: the same words, files and statuses as `manage.py gate` on its database."""

import json
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from evaluation.models import Run
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act
from tests import factories as make
from tests.evaluation.management.test_gate import write_run
from tests.evaluation.scored import change_grade, make_grades, make_ranking
from touchstone_core.client import InvalidError
from touchstone_core.commands import gate as gate_command
from touchstone_core.offline.command_line import run_command

CONDITIONS = ("--measure", "nDCG@10", "--min", ".7", "--max-drop", ".05", "--measure", "AP", "--significant")


@pytest.fixture
def judgment_list(admin):
    """As in the test of `manage.py gate`."""
    judgment_list = make.make_list(admin.memberships.get().query_set, name="First@pass")
    run = make.make_run(judgment_list.query_set, name="old")
    for nth in range(20):
        query = make.make_query(judgment_list.query_set, f"q{nth}")
        make_grades(judgment_list, query, {"good": 3, "bad": 0})
        make_ranking(run, query, ["good", "bad"] if nth < 10 else ["bad", "good"])
    return judgment_list


@pytest.fixture
def gate(judgment_list, site, admin, monkeypatch, tmp_path, capsys):
    """Runs `touchstone gate` on a run file; returns exit status, standard output and standard error."""
    monkeypatch.setenv("TOUCHSTONE_TOKEN", make.make_token(admin, "engineer"))

    def run(first, *arguments, more=(), named="First@pass", baseline="OLD"):
        file = write_run(tmp_path / "new.trec", first, more=more)
        common = ["--site", site.url, "--query-set", "shop", "--list", named, "--run", str(file)]
        beside = ["--baseline", baseline] if baseline else []
        status = run_command(gate_command, "touchstone gate", [*common, *beside, *arguments])
        return status, *capsys.readouterr()

    return run


def files_in(folder):
    return [f"--{kind}={folder / kind}" for kind in ("junit", "markdown", "json")]


@pytest.mark.parametrize("first", [["good"] * 20, ["bad"] * 20], ids=["passes", "fails"])
def test_it_prints_and_writes_what_manage_py_gate_does(gate, first, tmp_path, capsys, judgment_list):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()

    status, out, err = gate(first, *CONDITIONS, "--title", "Ranker", *files_in(here), more=("new",))
    common = ["--query-set", "Shop", "--list", "First@pass", "--run", str(tmp_path / "new.trec")]
    try:
        call_command("gate", *common, "--baseline", "old", *CONDITIONS, "--title", "Ranker", *files_in(there))
        wanted = 0
    except CommandError as error:
        wanted = error.returncode

    assert (status, out, err) == (wanted, capsys.readouterr().out, "")
    assert {path.name: path.read_text() for path in here.iterdir()} == {
        path.name: path.read_text() for path in there.iterdir()
    }
    assert status == (0 if first[0] == "good" else 1)
    assert ElementTree.parse(here / "junit").getroot().get("failures") == ("0" if status == 0 else "3")  # noqa: S314
    assert json.loads((here / "json").read_text())["list"]["name"] == "First@pass"
    assert (here / "markdown").read_text().startswith("<!-- touchstone-gate: Ranker -->")
    assert [run.name for run in Run.objects.all()] == ["old"]
    assert not Act.objects.exists()


def test_a_least_mean_needs_no_baseline(gate, tmp_path, capsys):
    first = ["good"] * 19 + ["bad"]
    only = ["--measure", "RR", "--min", ".97"]

    status, out, err = gate(first, *only, baseline="")
    common = ["--query-set", "Shop", "--list", "First@pass", "--run", str(tmp_path / "new.trec")]
    call_command("gate", *common, *only)

    assert (status, out, err) == (0, capsys.readouterr().out, "")
    assert ["RR", "0.9750", "at", "least", "0.97", "passed"] in [line.split() for line in out.splitlines()]
    for text in ("old", "baseline"):
        assert text not in out
    refused, _, says = gate(first, *only, "--max-drop", ".1", baseline="")
    assert (refused, "Name a baseline, or keep only --min." in says) == (2, True)


def test_a_version_is_measured_as_it_was_frozen(gate, judgment_list):
    freeze_version(judgment_list=judgment_list, at=make.NOW)
    for query in judgment_list.query_set.queries.all():
        change_grade(judgment_list, query, "bad", 3)

    frozen, _, _ = gate(["bad"] * 20, "--measure", "nDCG@10", "--min", ".9", named="first@pass@1")
    live, _, _ = gate(["bad"] * 20, "--measure", "nDCG@10", "--min", ".9")

    assert (frozen, live) == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--measure", "nDCG@10"], "No condition is given"),
        (["--measure", "nDCG@10", "--max-drop", "-1"], "must be a finite number from 0"),
        (["--measure", "nope@10", "--min", "1"], "nope"),
        (
            ["--measure", "nDCG@10", "--min", "0", "--list", "First pass"],
            "“Shop” has no judgment list named “First pass”. It has: First@pass.",
        ),
        (
            ["--measure", "nDCG@10", "--min", "0", "--list", "First@pass@7"],
            "“First@pass” has no version 7. It has none yet.",
        ),
        (["--measure", "nDCG@10", "--min", "0", "--list", ""], "--site needs --query-set and --list"),
        (["--measure", "nDCG@10", "--min", "0", "--max-grade", "3"], "--max-grade is for files only"),
        (["--measure", "nDCG@10", "--min", "0", "--run", "nowhere"], "nowhere cannot be read"),
        (["--measure", "nDCG@10", "--min", "0", "--baseline", "x"], "“Shop” has no run named “x”. It has: "),
        (["--measure", "nDCG@10", "--min", "0", "--json", "/nowhere/x"], "/nowhere/x cannot be written"),
    ],
)
def test_bad_input_has_status_2_and_a_sentence(gate, arguments, says):
    status, out, err = gate(["good"] * 20, *arguments)

    assert (status, out) == (2, "")
    assert says in err


def test_a_file_with_errors_is_refused_by_line(gate):
    status, _, err = gate(["good"] * 21, "--measure", "nDCG@10", "--min", "0")
    skipping, _, warning = gate(["good"] * 21, "--measure", "nDCG@10", "--min", "0", "--unknown", "skip")

    assert (status, skipping) == (2, 0)
    assert "q20" in err
    assert warning.startswith("Warning: ")


def test_without_a_token_nothing_is_asked(gate, monkeypatch):
    monkeypatch.delenv("TOUCHSTONE_TOKEN")

    status, out, err = gate(["good"] * 20, "--measure", "nDCG@10", "--min", "0")

    assert (status, out) == (2, "")
    assert "environment variable TOUCHSTONE_TOKEN" in err


def test_files_or_a_site_and_not_both(capsys):
    for arguments in (["--qrels", "q", "--site", "http://x"], []):
        with pytest.raises(SystemExit) as ended:
            run_command(gate_command, "touchstone gate", [*arguments, "--run", "r", "--baseline", "b"])
        assert ended.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err


def test_the_client_has_it_too(site, judgment_list):
    run = Run.objects.get()
    queries = {f"q{nth}": ["good", "bad"] for nth in range(20)}

    gate = site.gate(judgment_list, queries, baseline=run.pk, conditions="--measure AP --min .9", title="T")

    assert gate.passed
    assert gate.report["measures"][0]["measure"] == "AP"
    assert site.gate(judgment_list, queries, conditions="--measure AP --min .9").passed
    with pytest.raises(InvalidError, match="Name a baseline"):
        site.gate(judgment_list, queries, conditions="--measure AP --max-drop .9")
    for conditions, says in {
        "--min .9": "must come after the --measure",
        "--measure AP --min much": "Argument --min: invalid float value: 'much'.",
        "--measure 'AP": "quotation mark without its partner",
        "--measure AP --nope 1": "nrecognized arguments",
        "": "required: --measure",
    }.items():
        with pytest.raises(InvalidError, match=says) as refusal:
            site.gate(judgment_list, queries, baseline=run.pk, conditions=conditions)
        assert refusal.value.errors[0].field == "conditions"
