"""The site as `make run` starts it, in a process and a data folder of its own."""

import os
import runpy
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from config import postgres
from tests.database import copy_migrated_data

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "config.serve"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(**changes):
    plain = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DJANGO_ALLOW_ASYNC_UNSAFE", "HOST"} and not name.startswith("DATABASE_")
    }
    return plain | {"TOUCHSTONE_DEMO": "0", "PYTHONUNBUFFERED": "1"} | changes


def launch(command, root=ROOT, **changes):
    """Starts a command of the project, with what it says as one text."""
    return subprocess.Popen(
        command,
        cwd=root,
        env=environment(**changes),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@contextmanager
def starter(*, migrated=True):
    """Starts the site on a data folder of its own, as often as asked, and returns when it says where it is.

    The folder is empty, or has a database with our tables and nothing else, which saves most of the first start.
    """
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        if migrated:
            copy_migrated_data(Path(folder))
        changes = {"TOUCHSTONE_VAR": folder, "PORT": str(free_port())}
        started = []

        def start_once(**more):
            process = launch(COMMAND, **changes, **more)
            started.append(process)
            process.address = f"http://127.0.0.1:{changes['PORT']}"
            process.data = Path(folder) / "postgres"
            lines = iter(process.stdout.readline, "")
            assert any(line == f"Touchstone runs on {process.address} (Ctrl-C stops it).\n" for line in lines)
            return process

        start_once.changes = changes
        yield start_once
        for process in started:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=30)


@pytest.fixture
def start():
    with starter() as start_once:
        yield start_once


@pytest.fixture
def start_on_empty_folder():
    with starter(migrated=False) as start_once:
        yield start_once


def rows(var_dir, statement, **values):
    """What a statement gives in the site's database, in a connection of its own."""
    settings = postgres.database_settings(var_dir)
    with psycopg.connect(host=settings["HOST"], user=settings["USER"], dbname=settings["NAME"]) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


READ_BY_SETTINGS = (
    "HOST",
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "DATABASE_DIRECT_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_REPLICA_URL",
    "DATABASE_URL",
    "SECRET_KEY",
    "TOUCHSTONE_DEBUG",
    "TOUCHSTONE_DEMO",
    "TOUCHSTONE_ENGINES",
    "TOUCHSTONE_HTTPS",
    "TOUCHSTONE_LOG",
    "TOUCHSTONE_METRICS_TOKEN",
    "TOUCHSTONE_OIDC_CLIENT",
    "TOUCHSTONE_OIDC_CREATE",
    "TOUCHSTONE_OIDC_NAME",
    "TOUCHSTONE_OIDC_SECRET",
    "TOUCHSTONE_OIDC_URL",
    "TOUCHSTONE_SECOND_FACTOR",
    "TOUCHSTONE_UPLOADS",
    "TZ",
)


@pytest.fixture
def settings_of(monkeypatch, tmp_path):
    """The settings as they are under these variables of the environment."""

    def read(**variables):
        for name in READ_BY_SETTINGS:
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TOUCHSTONE_VAR": str(tmp_path), **variables}.items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(ROOT / "config" / "settings.py"))

    return read
