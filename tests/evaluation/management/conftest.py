"""Running `manage.py score` and `compare` on files of a test."""

from pathlib import Path

import pytest
from django.core.management import call_command

from touchstone_core.offline import files, score_command
from touchstone_core.offline.command_line import run_command


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    """Every file is read as a small one and as a large one."""
    monkeypatch.setattr(files, "SMALL", 1 << 60 if request.param == "small" else 0)
    return request.param


@pytest.fixture
def score(capsys):
    """Runs the command; returns exit status, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        status = run_command(score_command, "manage.py score", [str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def compare(capsys):
    """Runs the command; returns standard output and standard error."""

    def run(*arguments):
        call_command("compare", *map(str, arguments))
        return capsys.readouterr()

    return run


@pytest.fixture
def write(tmp_path: Path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
