"""`touchstone score` about stored runs of a site, and about files as before."""

import csv
import json
import subprocess
import sys

import pytest

from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.evaluation.scored import change_grade
from tests.touchstone_core.commands.test_compare import judgment_list, words_of
from touchstone_core.commands import score as score_command
from touchstone_core.offline.command_line import run_command

__all__ = ["judgment_list"]  # a fixture


@pytest.fixture
def score(judgment_list, site, admin, monkeypatch, capsys):
    monkeypatch.setenv("TOUCHSTONE_TOKEN", make.make_token(admin, "read"))

    def run(*arguments, runs=("old", "New"), named="First pass"):
        common = ["--site", site.url, "--query-set", "Shop", "--list", named]
        chosen = [part for name in runs for part in ("--run", name)]
        status = run_command(score_command, "touchstone score", [*common, *chosen, *arguments])
        return status, *capsys.readouterr()

    return run


def rows_of(out):
    return [line.split() for line in out.splitlines() if line]


def test_it_shows_the_averages_of_the_pages(score, client, admin):
    status, out, err = score()

    assert (status, err) == (0, "")
    rows = rows_of(out)
    assert rows[0][:3] == ["First", "pass,", "live."]
    by_measure = {row[0]: row[1:] for row in rows if len(row) == 3}
    assert by_measure["measure"] == ["old", "new"]
    # 3 / log2(3) of 3, and 3 of 3
    assert by_measure["nDCG@10"] == ["0.6309", "1.0000"]
    assert by_measure["RR"] == ["0.5000", "1.0000"]
    old, new = (line for line in out.splitlines() if line.startswith("http"))
    client.force_login(admin)
    for address, value in ((old, "0.6309"), (new, "1.0000")):
        assert value in words_of(client.get("/" + address.split("/", 3)[3], follow=True))


def test_json_and_csv_have_every_digit(score):
    _, out, _ = score("--format", "json", "--measures", "RR", "--per-query")
    first, second = json.loads(out)["runs"]
    assert (first["run"]["name"], second["run"]["name"]) == ("old", "new")
    assert first["averages"]["RR"]["mean"] == 0.5
    assert {row["value"] for row in first["queries"] if row["measure"] == "RR"} == {0.5}
    assert "/runs/" in first["page"]

    _, out, _ = score("--format", "csv", "--measures", "RR")
    rows = list(csv.DictReader(out.splitlines()))
    assert [(row["run"], row["mean"], row["queries"]) for row in rows if row["measure"] == "RR"] == [
        ("old", "0.5", "20"),
        ("new", "1.0", "20"),
    ]

    _, out, _ = score("--format", "csv", "--measures", "RR", "--per-query", runs=["old"])
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["query"] for row in rows if row["measure"] == "RR"] == [f"q{nth}" for nth in range(20)]


def test_a_version_keeps_its_scores(score, judgment_list, admin):
    freeze_version(judgment_list=judgment_list, at=make.NOW, user=admin)
    for query in judgment_list.query_set.queries.all():
        change_grade(judgment_list, query, "bad", 3)

    _, frozen, _ = score("--measures", "RR", named="First pass@1")
    _, live, _ = score("--measures", "RR")

    assert ["RR", "0.5000", "1.0000"] in rows_of(frozen)
    assert ["RR", "1.0000", "1.0000"] in rows_of(live)


def test_queries_stand_below_each_run(score):
    _, out, _ = score("--measures", "RR", "--per-query")

    assert ["q7", "RR", "0.5000"] in rows_of(out)
    assert ["q7", "RR", "1.0000"] in rows_of(out)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--order", "rank"], "--order is for files only"),
        (["--max-grade", "2"], "--max-grade is for files only"),
        (["--measures", "nope"], "“nope” can’t be read as a measure"),
        (["--run", "third"], "“Shop” has no run named “third”. It has: old, new."),
        (["--run", "NEW"], "--run names “new” twice. Name each run once."),
    ],
)
def test_what_cannot_be_shown_is_refused(score, arguments, says):
    status, out, err = score(*arguments)

    assert (status, out) == (2, "")
    assert says in err


def test_files_are_scored_as_before(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n")
    files = [f"--qrels={tmp_path / 'qrels'}", f"--run={tmp_path / 'run'}", "--measures=RR"]

    assert run_command(score_command, "touchstone score", files) == 0
    assert ["RR", "0.5000"] in rows_of(capsys.readouterr().out)


@pytest.mark.parametrize("command", ["score", "compare", "gate"])
def test_files_need_no_client(command):
    """It takes five times as long to import as the rest."""
    look = f"import sys, touchstone_core.commands.{command}; print('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
