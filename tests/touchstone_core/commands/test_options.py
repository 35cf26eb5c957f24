"""What of a site is taken, where the judgments come from a file."""

import pytest

from touchstone_core.commands import compare, gate, score
from touchstone_core.offline.command_line import run_command


@pytest.mark.parametrize(
    ("command", "arguments", "named"),
    [
        (score, ["--query-set", "Shop"], "--query-set"),
        (compare, ["--list", "First pass@3"], "--list"),
        (gate, ["--measure", "RR", "--min", "0", "--list", "First pass@3"], "--list"),
        (gate, ["--measure", "RR", "--min", "0", "--unknown", "skip"], "--unknown"),
    ],
)
def test_options_of_a_site_are_refused_with_files(capsys, command, arguments, named):
    status = run_command(command, "touchstone", ["--qrels", "qrels", "--run", "run", *arguments])

    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert f"{named} is for a site only. Leave it out with --qrels." in err
