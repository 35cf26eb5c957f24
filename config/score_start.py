"""The process of `manage.py score`, from its first import to its exit."""

import gc
import os


def main(arguments: list[str]) -> int:
    """The exit status. Spares what a short process has no use for: collecting cycles, and threads for matrices."""
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts them when it is imported
    from touchstone_core.offline import score_command

    status = score_command.main(arguments)
    gc.freeze()  # Python would look through every object on its way out
    return status
