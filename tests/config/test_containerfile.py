"""The Containerfile copies all that a site needs. No builder is at hand, so its steps are done in a clean folder."""

import http.client
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.config.conftest import ROOT, environment, free_port
from tests.database import copy_migrated_data

TEXT = (ROOT / "Containerfile").read_text()
PAGES = ("/health/ready", "/accounts/sign-in/", "/glossary/")


def copied() -> list[Path]:
    """The files and folders that COPY names, below the folder of the build."""
    lines = re.findall(r"^COPY (.+) \S+$", TEXT, re.MULTILINE)
    return [Path(name) for line in lines for name in line.split()]


def test_what_it_copies_is_there_and_nothing_private():
    assert len(copied()) > 10
    assert [str(path) for path in copied() if not (ROOT / path).exists()] == []
    assert not {"var", ".venv", ".git", "tests", "."} & {str(path) for path in copied()}


def test_the_user_is_not_root():
    assert re.search(r"^USER touchstone$", TEXT, re.MULTILINE)
    assert TEXT.index("USER touchstone") < TEXT.index("CMD ")


@pytest.fixture
def image(tmp_path):
    """A folder with what is copied, and the packages, which RUN installs."""
    root = tmp_path / "app"
    root.mkdir()
    for path in copied():
        if (ROOT / path).is_dir():
            shutil.copytree(ROOT / path, root / path, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / path, root / path)
    (root / "node_modules").symlink_to(ROOT / "node_modules")
    return root


@pytest.mark.drill
def test_a_site_starts_from_what_is_copied_alone(image):
    (command,) = re.findall(r'^CMD \["python", (.+)\]$', TEXT, re.MULTILINE)
    words = [sys.executable, *re.findall(r'"([^"]+)"', command)]
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="touchstone-") as var, (image.parent / "log").open("w") as log:
        copy_migrated_data(Path(var))
        variables = environment(TOUCHSTONE_VAR=var, PORT=str(port))
        site = subprocess.Popen(words, cwd=image, env=variables, stdout=log, stderr=log)
        try:
            assert wait_for(port, site) == dict.fromkeys(PAGES, 200)
        finally:
            site.terminate()
            site.wait(30)


def wait_for(port, site):
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and site.poll() is None:
        try:
            return {path: status(port, path) for path in PAGES}
        except OSError:
            time.sleep(0.2)
    return {}


def status(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()
