"""The core as a wheel, in an environment that has nothing but the wheel and what it asks for."""

import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.architecture.test_rules import ROOT
from tests.wheels import build_wheel, install

pytestmark = pytest.mark.drill  # builds and installs in environments of their own
RUNS = ("old.trec", "new.trec")


def run(*command, cwd=None):
    """Without our environment's variables, so that nothing of it is found by accident."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd or "/")},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """The folder of its commands."""
    return install(wheel, tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def whole_environment(wheel, tmp_path_factory):
    """One with what assistants need, too."""
    return install(wheel, tmp_path_factory.mktemp("whole_environment"), extra="mcp")


@pytest.fixture
def folder(tmp_path):
    """Twenty judged queries, and two runs that differ on all but two of them."""
    queries = [f"q{nth}" for nth in range(20)]
    qrels = "".join(f"{query} 0 good 3\n{query} 0 bad 0\n" for query in queries)
    (tmp_path / "qrels.txt").write_text(qrels)
    for name, order in zip(RUNS, (["bad", "new", "good"], ["good", "bad", "other"]), strict=True):
        rows = [
            f"{query} Q0 {document} {rank} {9 - rank} {name[:3]}\n"
            for place, query in enumerate(queries)
            for rank, document in enumerate(["bad", "good"] if place < 2 else order, 1)
        ]
        (tmp_path / name).write_text("".join(rows))
    return tmp_path


def test_the_wheel_holds_the_core_and_nothing_else(wheel):
    names = ZipFile(wheel).namelist()

    assert {name.split("/")[0] for name in names} == {"touchstone_core", names[-1].split("/")[0]}
    assert {"touchstone_core/py.typed", "touchstone_core/offline/gate.py"} <= set(names)
    assert [name for name in names if "__pycache__" in name] == []


def test_every_module_is_imported_without_django(whole_environment):
    code = (
        "import importlib, pkgutil, sys, touchstone_core as core\n"
        "for one in pkgutil.walk_packages(core.__path__, 'touchstone_core.'):\n"
        "    if one.name != 'touchstone_core.__main__':\n"
        "        importlib.import_module(one.name)\n"
        "print(sorted(sys.modules.keys() & {'django', 'psycopg', 'judgments', 'evaluation', 'config'}))\n"
        "import django\n"
    )
    done = run(whole_environment / "python", "-c", code, cwd="/")

    assert done.stdout == "[]\n"
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'django'\n")


def test_what_only_assistants_need_is_asked_for_in_a_sentence(environment, whole_environment):
    """Where it is there, the address that nobody answers at is what is wrong."""
    arguments = ("mcp", "--site", "http://127.0.0.1:9")
    variables = {"PATH": os.environ["PATH"], "TOUCHSTONE_TOKEN": "tst_x"}
    without, whole = (
        subprocess.run([folder / "touchstone", *arguments], env=variables, capture_output=True, text=True)
        for folder in (environment, whole_environment)
    )

    assert (without.returncode, whole.returncode) == (2, 2)
    assert "pip install 'touchstone-relevance[mcp]'" in without.stderr
    assert whole.stderr.startswith("http://127.0.0.1:9 can’t be reached: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--measures", "nDCG@10 AP DCG(gain='exp')@5", "--per-query", "--format", "json"),
        ("score",),
        ("compare", "--measures", "nDCG@10 AP", "--format", "json"),
        ("compare",),
    ],
    ids=" ".join,
)
def test_score_and_compare_print_the_same_as_manage_py(environment, folder, arguments):
    command, *options = arguments
    files = ["--qrels", "qrels.txt", "--run", RUNS[0], "--run", RUNS[1]]

    here = run(environment / "touchstone", command, *files, *options, cwd=folder)
    there = run(sys.executable, ROOT / "manage.py", command, *files, *options, cwd=folder)

    assert (here.returncode, here.stderr) == (0, "")
    assert len(here.stdout) > 500
    assert here.stdout == there.stdout


def gate(environment, folder, *conditions):
    files = ["--qrels", "qrels.txt", "--run", RUNS[1], "--baseline", RUNS[0]]
    return run(environment / "touchstone", "gate", *files, *conditions, cwd=folder)


def test_gate_says_by_its_status_whether_a_run_passes(environment, folder):
    """1 - 1/log2(4), on 18 of 20 queries."""
    passed = gate(environment, folder, "--measure", "nDCG@10", "--min", ".9", "--format", "json")
    failed = gate(environment, folder, "--measure", "nDCG@10", "--min", ".99")
    refused = gate(environment, folder, "--measure", "nDCG@10", "--min", "much")

    assert (passed.returncode, failed.returncode, refused.returncode) == (0, 1, 2)
    (measure,) = json.loads(passed.stdout)["measures"]
    assert measure["comparison"]["difference"]["mean"] == pytest.approx(0.45)
    assert measure["verdict"]["headline"] == "Can’t tell until more is judged"
    assert "Not passed." in failed.stdout
    assert "invalid float value: 'much'" in refused.stderr


def test_measures_lists_them_and_the_command_says_its_version(environment, folder):
    assert "nDCG" in run(environment / "touchstone", "measures", cwd=folder).stdout
    assert run(environment / "touchstone", "--version", cwd=folder).stdout == "0.1.0\n"
    assert "gate" in run(environment / "touchstone", "--help", cwd=folder).stdout


def test_the_module_runs_as_the_command_does(environment, folder):
    done = run(environment / "python", "-m", "touchstone_core", "gate", "--help", cwd=folder)

    assert (done.returncode, done.stdout.startswith("usage: touchstone gate")) == (0, True)


def test_what_is_missing_is_told_in_a_sentence(environment, folder: Path):
    done = run(environment / "touchstone", "score", "--qrels", "nowhere", "--run", RUNS[0], cwd=folder)

    assert (done.returncode, done.stderr) == (2, "nowhere cannot be read: No such file or directory.\n")
