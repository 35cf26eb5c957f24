"""The disk under the database fills up while the site runs, and is freed again."""

import http.client
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.config.conftest import COMMAND, free_port, launch, rows

SIZE = 256 * 1024 * 1024
OUTAGE_SECONDS = 20  # much longer than the three seconds after which the site once ended for good
MOST_LINES = 12


@contextmanager
def small_disk():
    """A folder on a file system of its own that holds SIZE bytes."""
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], capture_output=True, check=False
        )
        if mounted.returncode != 0:
            pytest.skip(f"this account may not mount a file system: {mounted.stderr.decode().strip()}")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


class Site:
    """The site as `make run` starts it, with all that it says."""

    def __init__(self, var_dir):
        self.var_dir, self.port, self.lines = var_dir, free_port(), []
        changes = {"TOUCHSTONE_VAR": str(var_dir), "PORT": str(self.port)}
        self.process = launch(COMMAND, **changes)
        for line in iter(self.process.stdout.readline, ""):
            self.lines.append(line)
            if line.startswith("Touchstone runs on"):
                break
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True)
        self.reader.start()

    def answer(self):
        """Status and text of an address that needs the database."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", "/join/no-such-invitation/")
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(60)
        self.reader.join(60)
        self.process.stdout.close()


def until(happened, seconds=120):
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.5)


def fill(folder):
    """Takes all room that there is, and gives the file that holds it."""
    file = folder / "filler"
    with file.open("wb", buffering=0) as filler:
        size = 1 << 20
        while size:
            try:
                filler.write(bytes(size))
            except OSError:
                size //= 2
    return file


def need_room(var_dir):
    """Writes until PostgreSQL's log of changes needs room that there isn't, which ends the server."""
    for _ in range(100):
        rows(var_dir, "SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000))")


@pytest.mark.drill
def test_the_site_outlives_a_full_disk_and_comes_back_when_there_is_room():
    with small_disk() as disk:
        site = Site(disk)
        try:
            usual = site.answer()[0]
            assert usual < 500
            rows(disk, "INSERT INTO django_session VALUES ('kept', '', now())")
            filler = fill(disk)

            with pytest.raises(psycopg.OperationalError):
                need_room(disk)
            until(lambda: site.answer()[0] == 503)
            full_until = time.monotonic() + OUTAGE_SECONDS
            during = []
            while time.monotonic() < full_until:
                during.append(site.answer())
                time.sleep(0.1)
            assert site.process.poll() is None
            said = list(site.lines)
            filler.unlink()
            until(lambda: site.answer()[0] == usual)
            kept = rows(disk, "SELECT session_key FROM django_session")
        finally:
            site.stop()

    assert {status for status, _ in during} == {503}
    assert all("<h1" in text for _, text in during)
    assert kept == [("kept",)]
    assert any("the disk is full" in line for line in said)
    assert len(said) <= MOST_LINES, "".join(said)
    assert any("PostgreSQL runs again" in line for line in site.lines)
    assert site.process.returncode == 0
