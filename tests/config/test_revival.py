"""How a PostgreSQL that ended is started again: at once, then with growing pauses, and saying each thing once."""

import logging
from types import SimpleNamespace

import pytest

from config import revival
from config.postgres_data import PostgresError
from config.revival import LEAST_ROOM, LONGEST_PAUSE, SAY_AGAIN_SECONDS, STEADY_SECONDS, Revival


class Machine:
    """A server that can be ended, on a disk that can be full, and a clock that is set by hand."""

    def __init__(self):
        self.now, self.free, self.running = 1000.0, 10 * LEAST_ROOM, True
        self.attempts = []
        self.var_dir, self.log = "/var", "/var/postgres.log"
        self.fails = None

    def alive(self):
        return self.running

    def restart(self):
        self.attempts.append(self.now)
        if self.fails:
            raise self.fails
        self.running = True

    def pass_time(self, seconds, keeper):
        for _ in range(int(seconds)):
            self.now += 1
            keeper.keep()


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(revival.time, "monotonic", lambda: machine.now)
    monkeypatch.setattr(revival.shutil, "disk_usage", lambda _: SimpleNamespace(free=machine.free))
    return machine


@pytest.fixture
def keeper(machine):
    return Revival(machine, logging.getLogger("gunicorn.error"))


def test_a_server_that_runs_is_left_alone(machine, keeper, caplog):
    machine.pass_time(10, keeper)

    assert (machine.attempts, caplog.messages) == ([], [])


def test_one_that_ended_is_started_again_at_once(machine, keeper, caplog):
    machine.now += STEADY_SECONDS
    machine.running = False

    machine.pass_time(1, keeper)

    assert machine.running
    assert caplog.messages == [
        "PostgreSQL ended unexpectedly and is started again (see /var/postgres.log).",
        "PostgreSQL runs again.",
    ]


def test_while_the_disk_is_full_attempts_become_rare_never_end_and_are_said_once(machine, keeper, caplog):
    machine.running, machine.free = False, 0
    machine.fails = PostgresError("PostgreSQL refuses the data folder: it ended without a word.")

    machine.pass_time(SAY_AGAIN_SECONDS - 10, keeper)
    pauses = [later - one for one, later in zip(machine.attempts, machine.attempts[1:], strict=False)]
    said = list(caplog.messages)
    machine.fails, machine.free = None, 10 * LEAST_ROOM
    machine.pass_time(LONGEST_PAUSE + 1, keeper)

    assert pauses == sorted(pauses)
    assert set(pauses[5:]) == {LONGEST_PAUSE}
    assert said == [
        "PostgreSQL ended unexpectedly (the disk is full) and is started again (see /var/postgres.log).",
        "PostgreSQL can't be started (the disk is full); Touchstone keeps trying.",
    ]
    assert machine.running
    assert caplog.messages[2:] == ["PostgreSQL runs again."]


def test_other_trouble_is_told_in_its_own_words_and_again_after_a_while(machine, keeper, caplog):
    machine.running, machine.fails = False, PostgresError("PostgreSQL refuses the data folder: no.")

    machine.pass_time(SAY_AGAIN_SECONDS + 2 * LONGEST_PAUSE, keeper)

    assert caplog.messages.count("PostgreSQL refuses the data folder: no.") == 2


def test_one_that_ends_again_and_again_is_started_more_and_more_rarely(machine, keeper, caplog):
    for _ in range(int(SAY_AGAIN_SECONDS) - 10):
        machine.running = False
        machine.pass_time(1, keeper)

    assert len(machine.attempts) < SAY_AGAIN_SECONDS / LONGEST_PAUSE * 2
    assert len(caplog.messages) == 2
