"""A process, measured from start to exit, and the ratios that it is held to."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RIVALS_PYTHON = str(ROOT / ".venv-bench" / "bin" / "python")  # their packages stay away from ours


class Measured(NamedTuple):
    seconds: float
    processor: float
    megabytes: float
    output: str


def measure(command: list[str]) -> Measured:
    """Wall and processor seconds, peak memory in MB and the output of a command. Ends the process where it fails."""
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{' '.join(command)} failed with exit status {child.returncode}.")
        output.seek(0)
        processor = usage.ru_utime + usage.ru_stime
        return Measured(seconds, processor, usage.ru_maxrss / 1024, output.read())


def bar(what: str, ratio: float, most: float) -> str:
    """A row of the table of bars."""
    return f"| {what} | {ratio:.2f} | {most:g} | {'yes' if ratio <= most else 'NO'} |"
