"""The process of `manage.py score`, from its first import to its exit."""

import gc
import os


def main(arguments: list[str]) -> int:
    """The exit status. Spares what a short process has no use for: collecting cycles, and threads for matrices."""
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts them when it is imported
    from touchstone_core.offline import score_command
    from touchstone_core.offline.command_line import run_command

    status = run_command(score_command, "manage.py score", arguments)
    gc.freeze()  # Python would look through every object on its way out
    return status
