"""manage.py measures."""

import os
import subprocess
import sys

import pytest
from django.core.management import call_command

from tests.evaluation.management.score_files import ROOT
from touchstone_core.metrics.reference import markdown, plain


def test_the_measures_are_printed_without_a_database(capsys):
    call_command("measures")

    assert capsys.readouterr().out == plain()


def test_the_page_of_measures_is_printed_too(capsys):
    call_command("measures", "--markdown")

    assert capsys.readouterr().out == markdown()


@pytest.mark.parametrize("option", ["--markdown", "--help"])
def test_a_reader_that_leaves_is_no_error_of_any_command(option):
    reader, writer = os.pipe()
    os.close(reader)

    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "manage.py", "measures", option],
            cwd=ROOT,
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, b"")
