"""The process beside the web processes that does background jobs: `manage.py work`, kept alive by the supervisor."""

import os
import subprocess
import sys
import time
from pathlib import Path

MANAGE = Path(__file__).resolve().parent.parent / "manage.py"
REST_SECONDS = 2.0  # between an end and the next start
STOP_SECONDS = 5.0  # what it does at the moment can be done again, so it is not waited for longer


class JobWorker:
    """Started by the first `keep`, and again by a later one where it has ended. It ends by itself when its owner is gone."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._started = -REST_SECONDS

    def keep(self) -> None:
        running = self._process is not None and self._process.poll() is None
        if running or time.monotonic() - self._started < REST_SECONDS:
            return
        self._started = time.monotonic()
        command = [sys.executable, str(MANAGE), "work", "--parent", str(os.getpid())]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def ask_to_stop(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def wait(self) -> None:
        """Until it has ended, by force after a while."""
        if self._process is None:
            return
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
