"""The process of `manage.py score`, from its first import to its exit."""

from functools import partial

from touchstone_core.process import run_lean


def main(arguments: list[str]) -> int:
    """The exit status."""
    return run_lean(partial(_score, arguments))


def _score(arguments: list[str]) -> int:
    from touchstone_core.offline import score_command
    from touchstone_core.offline.command_line import run_command

    return run_command(score_command, "manage.py score", arguments)
