"""What the process of a command of seconds does without."""

import subprocess
import sys

import pytest

from tests.architecture.test_rules import ROOT
from touchstone_core import __version__

LOOK = (
    "import gc, os, sys\n"
    "from touchstone_core import command, process\n"
    "command.main = lambda: print(gc.isenabled(), os.environ.get('OPENBLAS_NUM_THREADS')) or 3\n"
    "sys.argv = ['touchstone', '{name}']\n"
    "sys.exit(process.main())\n"
)


@pytest.mark.parametrize(("name", "seen"), [("score", "False 1\n"), ("compare", "True None\n")])
def test_only_scoring_collects_no_cycles_and_starts_no_threads_for_matrices(name: str, seen: str):
    done = subprocess.run(
        [sys.executable, "-c", LOOK.format(name=name)], cwd=ROOT, env={}, capture_output=True, text=True
    )

    assert (done.stdout, done.returncode) == (seen, 3), done.stderr


def test_numpy_is_not_imported_before_it_is_told():
    code = "import sys; import touchstone_core.process, config.score_start; print('numpy' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "False\n"


def test_the_command_starts_with_its_process():
    done = subprocess.run(
        [sys.executable, "-m", "touchstone_core", "--version"], cwd=ROOT, capture_output=True, text=True
    )

    assert done.stdout == f"{__version__}\n", done.stderr
