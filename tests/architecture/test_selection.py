"""`make test` takes a part of the tests that take long. None of them is lost."""

import re
import subprocess
import sys

import pytest

from tests.architecture.test_rules import ROOT


def selections(target):
    """What this target of the Makefile hands to pytest's `-m`, once or several times."""
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    return re.findall(r' -m "([^"]+)"', recipe)


def collected(selection):
    """Of folders that have tests of all kinds, because collecting all of them takes long."""
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "--collect-only", "--quiet", "-m", selection]
    command += ["tests/browser", "tests/touchstone_core"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {line for line in output.splitlines() if "::" in line}


@pytest.mark.drill
def test_what_make_test_leaves_out_is_run_by_make_drills():
    every = collected("not thorough")
    quick, drills = (set.union(*map(collected, selections(name))) for name in ("pytest", "drills"))

    assert quick < every
    assert every - quick - drills == set()


@pytest.mark.drill
def test_make_test_draws_others_each_time():
    first, second = (collected("sampled and not drill and not thorough") for _ in range(2))

    assert first - second
    assert second - first
