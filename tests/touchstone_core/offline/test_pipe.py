"""What happens to a command when the reader of its output leaves, or when there is no room for it."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.evaluation.management.score_files import ROOT
from touchstone_core.offline.pipe import readers_may_leave

CORE = [sys.executable, "-m", "touchstone_core"]
FULL = Path("/dev/full")
needs_full_device = pytest.mark.skipif(
    not FULL.exists(), reason="there is no device that is always full here"
)


@pytest.fixture
def files(tmp_path):
    """Of a run whose nDCG@10 is 0.6309."""
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\n")
    return ["--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "run")]


def unread(arguments, stderr=subprocess.PIPE):
    """The process of a command whose output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        return subprocess.run(
            arguments, cwd=ROOT, stdout=closed, stderr=stderr and closed, check=False, timeout=60
        )


def test_what_breaks_another_connection_is_raised():
    ours, theirs = socket.socketpair()
    theirs.close()

    with ours, pytest.raises(BrokenPipeError), readers_may_leave():
        ours.sendall(b"lost")


@pytest.mark.parametrize(("least", "status"), [("0.9", 1), ("0.6", 0), ("x", 2)])
def test_a_gate_that_nobody_reads_has_its_status(files, least, status):
    gate = [*CORE, "gate", *files, "--max-grade", "1", "--measure", "nDCG@10", "--min", least]

    assert unread(gate).returncode == status


def test_a_refusal_that_nobody_reads_is_one(files):
    assert unread([*CORE, "score", "--qrels", "/nowhere", *files[2:]]).returncode == 2
    assert unread([sys.executable, "manage.py", "score", "--nothing"]).returncode == 2


@needs_full_device
@pytest.mark.parametrize("arguments", [["measures"], ["score", "--help"]])
@pytest.mark.parametrize("command", [CORE, [sys.executable, "manage.py"]])
def test_a_full_disk_is_said_in_a_sentence(command, arguments):
    with FULL.open("wb") as full:
        done = subprocess.run(
            [*command, *arguments], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
        )

    assert (done.returncode, done.stderr.decode()) == (
        2,
        "The output cannot be written: No space left on device.\n",
    )


def test_without_any_output_a_command_has_its_status(files):
    gate = [*CORE, "gate", *files, "--max-grade", "1", "--measure", "nDCG@10", "--min", "0.9"]

    done = subprocess.run(
        ["bash", "-c", '"$@" >&-', "bash", *gate],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("command", [CORE, [sys.executable, "manage.py"]])
def test_ctrl_c_ends_a_command_without_a_trace(files, tmp_path, command):
    """The qrels are a pipe into which nobody writes, so that the command waits."""
    pipe = tmp_path / "waiting"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [*command, "score", "--qrels", str(pipe), *files[2:]], cwd=ROOT, stderr=subprocess.PIPE
    ) as process:
        writer = _opened(pipe)
        process.send_signal(signal.SIGINT)

        assert (process.wait(30), process.stderr.read()) == (130, b"\nStopped.\n")
    os.close(writer)


def _opened(pipe):
    """For writing, as soon as the command waits at the other end."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
