"""A process, measured from start to exit, and the ratios that it is held to.

python benchmarks/measuring.py FOLDER COMMAND...

Measures the command, and puts its output and the figures into the folder.
"""

import json
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
    """Wall and processor seconds, peak memory in MB and the output of a command. Ends the process where it fails.

    A small process starts it: to Linux the peak of a process is at least that of the one that started it.
    """
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, __file__, folder, *command], check=True)
        figures = json.loads(Path(folder, "figures").read_text())
        if figures.pop("status"):
            sys.exit(f"{' '.join(command)} failed.")
        return Measured(**figures, output=Path(folder, "output").read_text())


def bar(what: str, ratio: float, most: float) -> str:
    """A row of the table of bars."""
    return f"| {what} | {ratio:.2f} | {most:g} | {'yes' if ratio <= most else 'NO'} |"


def _figures(command: list[str], output: Path) -> dict[str, float]:
    with output.open("w") as file:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    return {
        "status": child.returncode,
        "seconds": seconds,
        "processor": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
    }


if __name__ == "__main__":
    folder, *command = sys.argv[1:]
    Path(folder, "figures").write_text(json.dumps(_figures(command, Path(folder, "output"))))
