"""The steps of the GitHub action and of the GitLab template, run as shell."""

import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests import factories as make
from tests.architecture.test_rules import ROOT
from tests.evaluation.scored import make_grades, make_ranking
from tests.wheels import build_wheel, install

ACTION = yaml.safe_load((ROOT / "integrations" / "github" / "action.yml").read_text())
TEMPLATE = yaml.safe_load((ROOT / "integrations" / "gitlab" / "gate.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
pytestmark = pytest.mark.drill
TITLE = 'New "ranker" --> it\'s $(touch ran)'
MARKER = "<!-- touchstone-gate: New ranker it s touch ran -->"
# Writes down how it is called, and answers with a file. Like curl it reads its input to the end, also where it answers
# nothing: otherwise who writes that input sometimes fails.
STUB = """#!/bin/bash
printf '%s\\n' "$*" >> "$CALLS"
cat > /dev/null
case "$*" in *POST*|*PATCH*|*PUT*) exit "${REFUSED:-0}";; esac
cat "$ANSWER"
"""


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """The folder of an environment with the wheel."""
    wheel = build_wheel(tmp_path_factory.mktemp("dist"))
    return install(wheel, tmp_path_factory.mktemp("environments") / "touchstone")


@pytest.fixture
def build(tmp_path, commands):
    """A folder with the files of a build, in which every other command is a stub."""
    queries = [f"q{nth}" for nth in range(20)]
    (tmp_path / "my qrels.txt").write_text(
        "".join(f"{query} 0 good 1\n{query} 0 bad 0\n" for query in queries)
    )
    for name, first in (("old.trec", "bad"), ("new.trec", "good")):
        other = {"bad": "good", "good": "bad"}[first]
        rows = [
            f"{query} Q0 {first} 1 2 {name[:3]}\n{query} Q0 {other} 2 1 {name[:3]}\n" for query in queries
        ]
        (tmp_path / name).write_text("".join(rows))
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    for name in ("gh", "curl", "pip"):
        (stubs / name).write_text(STUB)
        (stubs / name).chmod(0o755)
    for name in ("CALLS", "ANSWER", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        (tmp_path / name).touch()
    return Build(tmp_path, commands)


class Build:
    """Runs shell in the folder of a build."""

    def __init__(self, folder: Path, commands: Path):
        self.folder = folder
        self.environment = {
            "PATH": f"{folder / 'stubs'}:{commands}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(commands.parents[1]),
            "GITHUB_REPOSITORY": "shop/search",
            **{
                name: str(folder / name)
                for name in ("CALLS", "ANSWER", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
            },
        }

    def shell(self, script, **variables):
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment | variables,
            capture_output=True,
            text=True,
        )

    def step(self, name, values):
        """A step of the action, with the values of its expressions."""
        step = STEPS[name]
        variables = {
            key: EXPRESSION.sub(lambda found: values[found[1]], text)
            for key, text in step.get("env", {}).items()
        }
        return self.shell(step["run"], **variables)

    def gate(self, conditions, **changed):
        """The step of the gate, then the values that later steps read."""
        inputs = {
            "qrels": "my qrels.txt",
            "run": "new.trec",
            "baseline": "old.trec",
            "conditions": conditions,
            "title": TITLE,
        }
        inputs = (
            {name: one["default"] for name, one in ACTION["inputs"].items() if "default" in one}
            | inputs
            | changed
        )
        done = self.step("Gate", {f"inputs.{name}": value for name, value in inputs.items()})
        outputs = dict(line.split("=", 1) for line in self.read("GITHUB_OUTPUT").splitlines())
        return done, {f"steps.gate.outputs.{name}": value for name, value in outputs.items()} | {
            "inputs.token": "secret",
            "github.event.pull_request.number": "7",
        }

    def read(self, name):
        return (self.folder / name).read_text()


def junit(path):
    return ElementTree.fromstring(path.read_text().partition("\n")[2])  # noqa: S314 - our own file


def test_no_text_of_others_is_part_of_a_script():
    assert [name for name, step in STEPS.items() if "${{" in step["run"]] == []


def test_inputs_are_those_that_the_steps_read():
    read = set(re.findall(r"inputs\.(\w+)", json.dumps(ACTION["runs"])))

    assert read == set(ACTION["inputs"])


def test_the_action_installs_what_it_is_told_to(build, commands):
    """Into the environment that it makes; here it is there already, and pip only says what it would do."""
    folder = build.folder / "temp"
    python = folder / "touchstone" / "bin" / "python"
    python.parent.mkdir(parents=True)
    (build.folder / "stubs" / "python3").write_text(STUB)
    (build.folder / "stubs" / "python3").chmod(0o755)
    python.write_text(STUB)
    python.chmod(0o755)
    build.environment["RUNNER_TEMP"] = str(folder)

    done = build.step("Install", {"inputs.package": "touchstone-relevance==0.1.0"})

    assert done.returncode == 0
    assert build.read("CALLS").splitlines() == [
        f"-m venv {folder}/touchstone",
        "-m pip install --quiet touchstone-relevance==0.1.0",
    ]


def test_a_run_that_meets_its_conditions_passes(build):
    """1 − 1/log2(3) on every query; the measure with blanks and quotes comes through as it is."""
    done, values = build.gate("--measure nDCG@10 --max-drop 0\n --measure \"nDCG(gain='exp')@5\" --min .9")

    assert done.returncode == 0
    assert values["steps.gate.outputs.status"] == "0"
    report = Path(values["steps.gate.outputs.report"])
    found = json.loads((report / "gate.json").read_text())
    assert [one["measure"] for one in found["measures"]] == ["nDCG@10", "nDCG(gain='exp')@5"]
    assert found["measures"][0]["comparison"]["difference"]["mean"] == pytest.approx(0.36907, abs=1e-5)
    assert junit(report / "gate.xml").get("failures") == "0"
    assert build.read("GITHUB_STEP_SUMMARY") == (report / "gate.md").read_text()
    assert build.step("Result", values).returncode == 0
    assert not (build.folder / "ran").exists()


def test_a_run_that_does_not_fails_the_build_at_the_end(build):
    done, values = build.gate("--measure nDCG@10 --max-drop 0", run="old.trec", baseline="new.trec")

    assert (done.returncode, values["steps.gate.outputs.status"]) == (0, "1")
    assert "Not passed." in done.stdout
    assert "not passed" in build.read("GITHUB_STEP_SUMMARY")
    assert build.step("Comment", values).returncode == 0
    assert build.step("Result", values).returncode == 1


@pytest.fixture
def shop(live_server, transactional_db):
    """A site with the judgments and the old run of the build, and a token of an engineer."""
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="First pass")
    run = make.make_run(judgment_list.query_set, name="production")
    for nth in range(20):
        query = make.make_query(judgment_list.query_set, f"q{nth}")
        make_grades(judgment_list, query, {"good": 1, "bad": 0})
        make_ranking(run, query, ["bad", "good"])
    engineer = make.make_member(judgment_list.query_set, "engineer")
    return {"site": live_server.url, "token": make.make_token(engineer, "engineer")}


@pytest.mark.parametrize(("run", "status"), [("new.trec", "0"), ("old.trec", "1")])
def test_judgments_and_baseline_may_be_those_of_a_site(build, shop, run, status):
    """1 − 1/log2(3) on every query, as on files."""
    done, values = build.gate(
        "--measure nDCG@10 --min .9",
        qrels="",
        run=run,
        baseline="Production",
        site=shop["site"],
        query_set="Shop",
        list="First pass",
        site_token=shop["token"],
    )

    assert (values["steps.gate.outputs.status"], done.stderr) == (status, "")
    found = json.loads((Path(values["steps.gate.outputs.report"]) / "gate.json").read_text())
    difference = 0.36907 if status == "0" else 0
    assert found["measures"][0]["comparison"]["difference"]["mean"] == pytest.approx(difference, abs=1e-5)
    assert found["list"]["name"] == "First pass"
    assert shop["token"] not in done.stdout
    assert build.step("Result", values).returncode == int(status)


def test_a_pipeline_asks_the_site_too(build, pipeline, shop):
    done = pipeline(
        TOUCHSTONE_QRELS="",
        TOUCHSTONE_BASELINE="production",
        TOUCHSTONE_SITE=shop["site"],
        TOUCHSTONE_QUERY_SET="Shop",
        TOUCHSTONE_LIST="First pass",
        TOUCHSTONE_TOKEN=shop["token"],
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "new (new.trec) beside production, over 20 queries." in done.stdout
    assert build.read("CALLS") == ""


def test_bad_input_fails_the_build_without_a_report(build):
    done, values = build.gate("--measure nope --min 1")

    assert values["steps.gate.outputs.status"] == "2"
    assert "“nope” can’t be read as a measure" in done.stderr
    assert build.read("GITHUB_STEP_SUMMARY") == ""
    assert "steps.gate.outputs.status != '2'" in STEPS["Comment"]["if"]
    assert build.step("Result", values).returncode == 2


@pytest.mark.parametrize(("least", "status"), [(".5", 0), ("2", 1)])
def test_no_baseline_is_needed_for_a_least_mean(build, pipeline, least, status):
    conditions = f"--measure RR --min {least}"

    done, values = build.gate(conditions, baseline="")

    assert (done.returncode, values["steps.gate.outputs.status"]) == (0, str(status))
    assert pipeline(conditions, TOUCHSTONE_BASELINE="").returncode == status


def test_the_first_build_of_a_pull_request_comments(build):
    _, values = build.gate("--measure RR --min .5")

    assert build.step("Comment", values).returncode == 0
    look, write = build.read("CALLS").splitlines()
    assert look.startswith("api --paginate repos/shop/search/issues/7/comments --jq ")
    assert f'startswith("{MARKER}")' in look
    assert write == (
        "api --silent --method POST repos/shop/search/issues/7/comments "
        f"-F body=@{values['steps.gate.outputs.report']}/gate.md"
    )


def test_later_builds_replace_the_comment(build):
    _, values = build.gate("--measure RR --min .5")
    (build.folder / "ANSWER").write_text("41\n42\n")

    assert build.step("Comment", values).returncode == 0
    write = build.read("CALLS").splitlines()[1]
    assert write.startswith("api --silent --method PATCH repos/shop/search/issues/comments/41 -F body=@")


def test_a_comment_that_is_refused_is_a_warning(build):
    _, values = build.gate("--measure RR --min .5")
    build.environment["REFUSED"] = "1"

    done = build.step("Comment", values)

    assert done.returncode == 0
    assert "::warning::The comment could not be written." in done.stdout


@pytest.fixture
def pipeline(build):
    """Runs the script of the GitLab job."""
    job = TEMPLATE[".touchstone-gate"]

    def run(conditions="--measure RR --min .5", **variables):
        return build.shell(
            "\n".join(job["script"]),
            **job["variables"]
            | {
                "TOUCHSTONE_QRELS": "my qrels.txt",
                "TOUCHSTONE_RUN": "new.trec",
                "TOUCHSTONE_BASELINE": "old.trec",
                "TOUCHSTONE_CONDITIONS": conditions,
                "TOUCHSTONE_TITLE": TITLE,
                "CI_API_V4_URL": "https://git.example/api/v4",
                "CI_PROJECT_ID": "5",
            }
            | variables,
        )

    return run


def test_a_pipeline_fails_if_a_condition_does_not_hold(build, pipeline):
    passed, failed, refused = (
        pipeline(),
        pipeline("--measure RR --min 2"),
        pipeline("--measure RR --min much"),
    )

    assert (passed.returncode, failed.returncode, refused.returncode) == (0, 1, 2)
    assert build.read("CALLS") == ""
    job = TEMPLATE[".touchstone-gate"]
    (case,) = junit(build.folder / job["artifacts"]["reports"]["junit"]).iter("testcase")
    assert case.get("name") == "RR: at least 2"
    assert "1.0000 is 1.0000 below the least value, 2" in case.find("failure").get("message")


@pytest.mark.parametrize(
    ("notes", "written"),
    [
        ([], "--request POST {body} --output /dev/null {notes}"),
        ([{"id": 3, "body": "no"}, {"id": 4, "body": f"{MARKER}\nold"}], "--request PUT {body} --output /dev/null {notes}/4"),
    ],
)  # fmt: skip
def test_a_merge_request_has_one_note(build, pipeline, notes, written):
    (build.folder / "ANSWER").write_text(json.dumps(notes))

    done = pipeline(TOUCHSTONE_NOTE_TOKEN="secret", CI_MERGE_REQUEST_IID="9")

    assert (done.returncode, done.stderr) == (0, "")
    address = "https://git.example/api/v4/projects/5/merge_requests/9/notes"
    look, write = build.read("CALLS").splitlines()
    assert look.endswith(f"{address}?per_page=100&sort=asc")
    assert write.endswith(written.format(body="--data-urlencode body@touchstone-gate/gate.md", notes=address))
    assert "secret" not in look + write


def test_a_note_that_is_refused_does_not_hide_the_answer(build, pipeline):
    (build.folder / "ANSWER").write_text("[]")

    done = pipeline(
        "--measure RR --min 2", TOUCHSTONE_NOTE_TOKEN="secret", CI_MERGE_REQUEST_IID="9", REFUSED="22"
    )

    assert done.returncode == 1
    assert "The note could not be written." in done.stderr
