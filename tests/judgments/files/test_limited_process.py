"""Calls in a process of their own: what comes back, and what happens to one that takes too much."""

import io
import os

import pytest

from judgments.files import limited_process
from judgments.files.actions.imports import ImportRefusedError
from judgments.files.limited_process import (
    SourceFile,
    TooCostlyError,
    call_in_limited_process,
    call_with_limits,
)
from tests.judgments import limited_calls
from touchstone_core.formats.problems import FormatError

FILE = SourceFile("file.gz", 2_000, packed=True, most_memory=1 << 40)


def test_the_value_comes_from_another_process():
    value, process = call_in_limited_process(limited_calls.double, FILE, number=21)

    assert value == 42
    assert process != os.getpid()


def test_what_it_raises_is_raised_here():
    with pytest.raises(FormatError, match="No") as error:
        call_in_limited_process(limited_calls.refuse, FILE, line=7)
    assert error.value.line == 7

    with pytest.raises(ImportRefusedError, match="The file has 1 problem") as refused:
        call_in_limited_process(limited_calls.refuse_import, FILE)
    assert refused.value.report.errors.total == 1


def test_a_call_that_takes_too_much_memory_ends():
    assert call_in_limited_process(limited_calls.fill, FILE, amount=300 << 20) == 300 << 20
    with pytest.raises(
        TooCostlyError, match=r"file.gz could not be read: that took more than 350.2\sMB of memory"
    ):
        call_in_limited_process(limited_calls.fill, FILE, amount=500 << 20)


def test_no_file_gets_more_memory_than_the_setting_allows():
    large = FILE._replace(size=100 << 20, most_memory=600 << 20)

    assert call_in_limited_process(limited_calls.fill, large, amount=500 << 20) == 500 << 20
    with pytest.raises(TooCostlyError, match=r"more than 600.0\sMB of memory"):
        call_in_limited_process(limited_calls.fill, large, amount=700 << 20)


def test_a_call_that_takes_too_much_processor_time_ends(monkeypatch):
    monkeypatch.setattr(limited_process, "FREE_SECONDS", 1)
    with pytest.raises(TooCostlyError, match="more than 1 seconds"):
        call_in_limited_process(limited_calls.spin, FILE)


def test_a_call_that_takes_too_long_altogether_ends(monkeypatch):
    monkeypatch.setattr(limited_process, "LONGEST", 1)
    with pytest.raises(TooCostlyError, match="more than 0 minutes"):
        call_in_limited_process(limited_calls.spin, FILE)


def test_a_call_that_kills_its_process_ends_nothing_else():
    with pytest.raises(TooCostlyError):
        call_in_limited_process(limited_calls.die, FILE)


def test_ctrl_c_is_for_the_process_that_asks():
    """A terminal sends it to all; a file must not be called too costly because somebody stops a worker."""
    assert call_in_limited_process(limited_calls.interrupt, FILE) == "done"


def test_a_fault_of_ours_is_not_told_as_one_of_the_file():
    with pytest.raises(RuntimeError, match="failed with status 7"):
        call_in_limited_process(limited_calls.stop, FILE)


@pytest.mark.parametrize(
    ("content", "here"),
    [
        (b"x" * (1 << 20), True),
        (b"x" * ((1 << 20) + 1), False),
        (b"\x1f\x8b" + b"x" * 10_000, True),
        (b"\x1f\x8b" + b"x" * 11_000, False),
        (b"PAR1" + b"x" * 11_000, False),
    ],
)
def test_small_files_are_read_where_they_are(content, here):
    file = io.BytesIO(content)
    _, process = call_with_limits(
        limited_calls.double,
        file,
        file_name="file",
        file_size=len(content),
        most_memory=1 << 30,
        arguments={"number": 1},
    )

    assert (process == os.getpid()) == here


def test_where_the_system_does_not_say_what_is_allocated_the_limit_counts_from_nothing(monkeypatch):
    assert limited_process._data() > 1 << 20

    monkeypatch.setattr("builtins.open", _no_file)
    assert limited_process._data() == 0


def _no_file(*_):
    raise OSError
