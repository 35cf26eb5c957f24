"""A site of an earlier version goes on serving while a host of this one migrates its database, and is stopped after that."""

import io
import subprocess
import tarfile
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from config import postgres
from config.postgres_data import APPLICATION, OWNER
from tests.config.cluster import ACCOUNTS, JUDGED, LIST, Host, Judge, Load, Visitor, until, value
from tests.config.conftest import ROOT
from tests.config.test_two_roles import manage, url

pytestmark = pytest.mark.drill

EARLIER = "91ec186cb2e838b07a3368e934c9c4f7ae0933b6"
"""Before the HTTP API, deletions by workers and several hosts: eight migrations ago."""
MIGRATIONS = "SELECT count(*) FROM django_migrations WHERE app IN ('judgments', 'evaluation')"


@pytest.fixture(scope="module")
def earlier():
    """The files of the earlier version."""
    packed = subprocess.run(["git", "archive", EARLIER], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip("the history of this copy doesn't reach back to the earlier version")
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        Path(folder, "node_modules").symlink_to(ROOT / "node_modules")
        yield folder


@pytest.fixture
def server():
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        running = postgres.Server(Path(folder), settings={"fsync": "off"})
        with running.running():
            yield running


def figures_of(visitor, path, host):
    """The run table under a version, which never changes."""
    answer = visitor.get(f"{path}/runs/?version=1&format=json&measures=AP+RR", host=host)
    if answer.status_code == 302:  # the address in the order of this version
        answer = visitor.get(answer.headers["location"], host=host)
    assert answer.status_code == 200, answer.text
    return answer.json()["runs"]


def test_nobody_notices_an_upgrade_and_nothing_is_lost(earlier, server):
    variables = {
        "DATABASE_URL": url(server.var_dir, APPLICATION),
        "DATABASE_OWNER_URL": url(server.var_dir, OWNER),
        "SECRET_KEY": "of both hosts " * 4,
    }
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="touchstone-")))
        for arguments in (["migrate"], ["load_example"], ["shell", "--no-imports", "-c", ACCOUNTS]):
            status, said = manage(*arguments, root=earlier, TOUCHSTONE_VAR=str(folder / "old"), **variables)
            assert status == 0, said
        old = Host(folder / "old", variables, earlier)
        stack.callback(old.kill)
        page = f"/lists/{value(server, LIST)}"
        judges = [Judge([old], name) for name in ("rater", "engineer")]
        looker, admin = Visitor([old], "engineer"), Visitor([old], "admin")
        everybody = [*judges, looker, admin]
        for visitor in everybody:
            stack.callback(visitor.client.close)
        assert admin.post(f"{page}/versions/", after="0", note="before", confirmed="1").status_code == 302
        before, migrations = figures_of(admin, page, old), value(server, MIGRATIONS)

        with Load(
            *(lambda judge=judge: judge.judge(f"{page}/judge/") for judge in judges),
            lambda: looker.get(f"{page}/runs/"),
            lambda: admin.get(f"{page}/"),
            pause=1,  # the example has few pairs to judge
        ) as load:
            until(lambda: all(judge.saved for judge in judges))
            new = Host(folder / "new", variables)
            stack.callback(new.kill)
            assert value(server, MIGRATIONS) > migrations
            saved_meanwhile = [len(judge.saved) for judge in judges]
            for visitor in everybody:
                visitor.hosts = [old, new]
            asked = [len(visitor.answers) + 6 for visitor in everybody]
            until(lambda: all(len(one.answers) > count for one, count in zip(everybody, asked, strict=True)))
            for visitor in everybody:
                visitor.hosts = [new]
            old.process.terminate()
            old.process.wait(60)
            saved = [len(judge.saved) for judge in judges]
            until(lambda: all(len(judge.saved) > count for judge, count in zip(judges, saved, strict=True)))

        assert load.errors == []
        assert [visitor.faults() for visitor in everybody] == [[]] * 4
        assert all(saved_meanwhile)
        after = figures_of(admin, page, new)
        # What the earlier version didn't know yet is there as well.
        assert [{name: run[name] for name in then} for run, then in zip(after, before, strict=True)] == before
        # Its sums weren't exact. Scoring again could change their last digits, so the version has no coverage where it isn't 1.
        assert {run["coverage"] for run in after} == {None, 1}
        stored = value(server, JUDGED)
        assert {saved for judge in judges for saved in judge.saved} <= set(stored)
        assert len(stored) == len(set(stored))
