"""`touchstone compare` about stored runs of a site, and about files as before."""

import json
import re

import pytest

from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from touchstone_core.commands import compare as compare_command
from touchstone_core.offline.command_line import run_command


@pytest.fixture
def judgment_list(admin):
    """Twenty queries, on all of which “new” is better than “old”."""
    judgment_list = make.make_list(admin.memberships.get().query_set, name="First pass")
    old, new = (make.make_run(judgment_list.query_set, name=name) for name in ("old", "new"))
    for nth in range(20):
        query = make.make_query(judgment_list.query_set, f"q{nth}")
        make_grades(judgment_list, query, {"good": 3, "bad": 0})
        make_ranking(old, query, ["bad", "good"])
        make_ranking(new, query, ["good", "bad"])
    return judgment_list


@pytest.fixture
def compare(judgment_list, site, admin, monkeypatch, capsys):
    monkeypatch.setenv("TOUCHSTONE_TOKEN", make.make_token(admin, "read"))

    def run(*arguments, runs=("old", "New")):
        common = ["--site", site.url, "--query-set", "Shop", "--list", "First pass"]
        named = [part for name in runs for part in ("--run", name)]
        status = run_command(compare_command, "touchstone compare", [*common, *named, *arguments])
        return status, *capsys.readouterr()

    return run


def words_of(response):
    assert response.status_code == 200
    return " ".join(re.sub("<[^>]+>", " ", response.content.decode()).split())


def test_a_version_is_called_one(compare, judgment_list):
    """“First pass, 1.” was no sentence."""
    freeze_version(judgment_list=judgment_list, at=make.NOW)

    _, out, _ = compare("--list", "First pass@1")

    assert out.splitlines()[0] == "nDCG@10, compared with old. First pass, version 1."


def test_it_says_what_the_page_says(compare, judgment_list, client, admin):
    status, out, err = compare("--measures", "nDCG@10 AP")

    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "nDCG@10, compared with old. First pass, live."
    assert "AP, compared with old. First pass, live." in lines
    verdict = next(line for line in lines if line.startswith("new is better than old."))
    client.force_login(admin)
    address = "/" + lines[-1].split("/", 3)[3]
    page, report = client.get(address, follow=True), client.get(address.replace("?", "report/?"), follow=True)
    assert verdict.partition(". ")[0] in words_of(page)
    assert lines[1] in words_of(report)
    rows = [line.split() for line in lines]
    assert ["old", "0.6309", "–", "–", "–", "–"] in rows  # 1/log2(3)
    assert any(row[:3] == ["new", "1.0000", "+0.3691"] for row in rows)
    assert any(row[:3] == ["new", "1.0000", "+0.5000"] for row in rows)  # AP


def test_json_has_every_figure_and_the_words(compare):
    _, out, _ = compare("--format", "json")

    found = json.loads(out)
    (comparison,) = found["comparisons"]
    assert comparison["measure"] == "nDCG@10"
    assert comparison["figures"]["comparisons"][0]["outcomes"]["wins"] == 20
    assert comparison["verdicts"][0].startswith("new is better than old.")
    assert "/compare/?runs=" in found["page"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed", "2"], "--seed is for files only"),
        (["--max-grade", "2"], "--max-grade is for files only"),
        (["--format", "csv"], "--format csv is for files only"),
        (["--measures", "nope"], "“nope” can’t be read as a measure"),
        (["--run", "third"], "“Shop” has no run named “third”. It has: old, new."),
        (["--run", "NEW"], "--run names “new” twice. Name each run once."),
    ],
)
def test_what_cannot_be_compared_is_refused(compare, arguments, says):
    status, out, err = compare(*arguments)

    assert (status, out) == (2, "")
    assert says in err


def test_one_run_is_too_few(compare):
    status, _, err = compare(runs=["old"])

    assert status == 2
    assert "Choose at least one run to compare with the baseline." in err


@pytest.fixture
def compare_files(tmp_path, capsys):
    """Compares two files whose runs have these tags, beside judgments that prefer the second; returns what is written."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")

    def run(old, new, *arguments):
        for name, first, tag in (("old", "b", old), ("new", "a", new)):
            lines = (f"{query} Q0 {first} 1 2 {tag}\n" for query in ("q1", "q2"))
            (tmp_path / name).write_text("".join(lines))
        files = [f"--qrels={tmp_path / 'qrels'}", f"--run={tmp_path / 'old'}", f"--run={tmp_path / 'new'}"]
        assert run_command(compare_command, "touchstone compare", [*files, *arguments]) == 0
        return capsys.readouterr()

    return run


def test_files_are_compared_as_before(compare_files):
    assert "The baseline is old (old). The judgments are those of qrels." in compare_files("old", "new").out


def test_a_baseline_that_is_called_by_its_file_names_the_file_once(compare_files):
    assert "The baseline is same (old). The" in compare_files("same", "same").out


def test_a_measure_that_leaves_queries_out_is_said_to_be_compared_over_all(compare_files):
    said = compare_files("old", "new", "--measures=AP RR(missing='skip')").err

    assert [line for line in said.splitlines() if "RR" in line] == [
        "Warning: RR(missing='skip') is compared as RR: a comparison leaves out no query that a run doesn’t answer, and "
        "counts 0 there."
    ]
