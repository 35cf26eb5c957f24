"""What the tests of judgments.files.limited_process let other processes do."""

import os
import signal
import time

from judgments.files.actions.imports import ImportRefusedError
from touchstone_core.formats.problems import FormatError, Report


def double(*, number):
    os.write(1, b"not an answer")
    return number * 2, os.getpid()


def refuse(*, line):
    raise FormatError("No.", line=line)


def refuse_import():
    report = Report()
    report.error(3, "grade", "x", "a grade", kind="grade")
    raise ImportRefusedError(report)


def fill(*, amount):
    return len(bytearray(amount))


def spin():
    while time.time():
        pass


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
    return "done"


def die():
    os.abort()


def stop():
    os._exit(7)
