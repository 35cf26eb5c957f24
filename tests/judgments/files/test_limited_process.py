"""Calls in a process of their own: what comes back, and what happens to one that takes too much."""

import gzip
import io
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from time import sleep

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judgments.base.errors import CrowdedError
from judgments.files import limited_process
from judgments.files.actions.imports import ImportRefusedError
from judgments.files.limited_process import (
    TINY,
    Places,
    SourceFile,
    TooCostlyError,
    call_in_limited_process,
    call_with_limits,
)
from tests import factories as make
from tests.api import Api, problem_of
from tests.judgments import limited_calls
from touchstone_core.formats.problems import FormatError

pytestmark = pytest.mark.sampled

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


def test_of_many_who_read_at_once_few_read_and_one_waits(monkeypatch):
    """The others are told so at once, and whoever waits in vain after a while. Then there is room again."""
    monkeypatch.setattr(limited_process, "_places", Places(2, seconds=0.3))
    over, begun = Event(), Barrier(3)

    def hold(function, file, arguments):
        begun.wait()
        over.wait()

    def outcome(nth):
        try:
            return call_in_limited_process(limited_calls.double, FILE, number=nth)
        except CrowdedError:
            return "crowded"

    with ThreadPoolExecutor(4) as pool, monkeypatch.context() as held:
        held.setattr(limited_process, "_call", hold)
        readers = [pool.submit(outcome, nth) for nth in range(2)]
        begun.wait()
        waiting = pool.submit(outcome, 3)
        while limited_process._places._with_one_who_waits._value:
            sleep(0.01)
        assert outcome(4) == "crowded"
        assert waiting.result() == "crowded"
        over.set()
        assert [one.result() for one in readers] == [None, None]

    monkeypatch.setattr(limited_process, "_call", lambda *_: "read")
    assert [outcome(nth) for nth in range(5)] == ["read"] * 5


@pytest.mark.parametrize(("size", "is_read"), [(TINY, True), (TINY + 1, False)])
def test_a_file_that_is_read_where_it_is_takes_a_place_unless_it_is_tiny(monkeypatch, size, is_read):
    """Four of a megabyte each would hold all threads that make pages for two seconds and more."""
    monkeypatch.setattr(limited_process, "_places", Places(0, seconds=0.01))

    def outcome():
        with io.BytesIO(b"query,document\n" * (size // 15 + 1)) as file:
            return call_with_limits(
                lambda: "read", file, file_name="a.csv", file_size=size, most_memory=1 << 30, arguments={}
            )

    if is_read:
        assert outcome() == "read"
    else:
        with pytest.raises(CrowdedError):
            outcome()


@pytest.mark.django_db
def test_who_finds_no_place_is_told_to_come_again(client, monkeypatch, settings):
    query_set = make.make_query_set()
    admin = make.make_member(query_set, "admin")
    client.force_login(admin)
    client.raise_request_exception = False
    monkeypatch.setattr(limited_process, "_places", Places(0, seconds=0.01))
    body = gzip.compress("".join(f"q1 Q0 d{n} {n} {n * 7} new\n" for n in range(1, 2000)).encode())

    fields = {"order": "score", "unknown": "refuse", "duplicates": "refuse", "several": "refuse"}
    fields |= {"file": SimpleUploadedFile("new.run.gz", body)}

    page = client.post(reverse("run-upload", args=[query_set.pk]), fields)
    answer = Api(admin).post(f"query-sets/{query_set.pk}/runs?file_name=new.run.gz", body)

    assert {page.status_code, answer.status_code} == {503}
    assert {page["Retry-After"], answer["Retry-After"]} == {"3"}
    assert "too busy right now" in page.content.decode()
    assert "too busy right now" in problem_of(answer)
