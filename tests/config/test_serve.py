"""`make run` as a whole, in a folder of its own, and the sentences it refuses with."""

import http.client
import os
import signal
import subprocess
import time

import psutil
import pytest

import manage
from config import serve
from config.front import CONNECTIONS, make_lanes
from judgments.files import limited_process
from tests.config.conftest import COMMAND, ROOT, environment, free_port, rows


def answers(process):
    connection = http.client.HTTPConnection(process.address.removeprefix("http://"), timeout=20)
    try:
        connection.request("GET", "/accounts/sign-in/")
        return connection.getresponse().status == 200
    finally:
        connection.close()


def refusal(**changes):
    done = subprocess.run(
        COMMAND, cwd=ROOT, env=environment(**changes), text=True, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("Touchstone did not start: ").strip()


def kill_postgres(process):
    """Without a word of warning; returns when the supervisor has another one, or has ended."""
    record = process.data / "postmaster.pid"
    killed = record.read_text().split()[0]
    os.kill(int(killed), signal.SIGKILL)
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        lines = record.read_text().split("\n") if record.exists() else []
        if len(lines) > 7 and lines[0] != killed and lines[7].strip() == "ready":
            return
        time.sleep(0.05)


QUEUES = 3  # a process serves imports, deletions and everything else, so that long work holds nothing up


def workers(process):
    return rows(process.data.parent, "SELECT id FROM procrastinate_workers ORDER BY id")


def job_process(process):
    """The one child that is `manage.py work`."""
    children = psutil.Process(process.pid).children()
    (found,) = [child for child in children if "work" in child.cmdline()]
    return found


def until(happened):
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.drill
def test_it_keeps_a_worker_for_background_jobs_and_ends_it_with_itself(start):
    site = start()
    until(lambda: len(workers(site)) == QUEUES)
    first = job_process(site)

    first.kill()

    until(lambda: len(workers(site)) == 2 * QUEUES)
    second = job_process(site)
    assert second.pid != first.pid
    site.send_signal(signal.SIGINT)
    assert site.wait(60) == 0
    assert site.stdout.read() == ""
    assert not second.is_running()


@pytest.mark.drill
def test_a_worker_ends_though_its_owner_was_killed(start):
    site = start()
    until(lambda: workers(site))
    worker = job_process(site)

    site.kill()

    worker.wait(60)


@pytest.mark.drill
def test_it_serves_refuses_a_second_start_survives_kills_and_stops_cleanly(start_on_empty_folder):
    start = start_on_empty_folder
    first = start()
    assert answers(first)
    assert "cannot be opened (Address already in use)" in refusal(**start.changes)
    assert f"already running on {first.data.parent}" in refusal(**start.changes | {"PORT": str(free_port())})

    first.kill()
    first.wait()
    second = start()
    assert answers(second)

    for _ in range(3):
        kill_postgres(second)
        assert answers(second)
    second.send_signal(signal.SIGINT)
    assert second.wait(30) == 0
    said = second.stdout.read()
    assert said.count("PostgreSQL ended unexpectedly and is started again") == 1
    assert said.count("PostgreSQL runs again") == 1

    third = start()
    assert answers(third)
    third.send_signal(signal.SIGINT)
    assert third.wait(30) == 0
    # On a busy machine a web process may not end in its time; gunicorn says so and ends it.
    assert [line for line in third.stdout if "was sent SIGKILL" not in line] == []
    assert not (third.data / "postmaster.pid").exists()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"PORT": "abc"}, "PORT is “abc”; expected a whole number from 1 to 65535."),
        ({"PORT": "70000"}, "PORT is “70000”; expected a whole number from 1 to 65535."),
        ({"HOST": "192.0.2.1"}, "HOST is “192.0.2.1”, which is no address of this machine."),
        ({"TOUCHSTONE_DEMO": "maybe"}, "TOUCHSTONE_DEMO is “maybe”; expected 1 or 0."),
        (
            {"DATABASE_URL": "sqlite:///x"},
            "DATABASE_URL must look like postgresql://user:password@host:5432/name.",
        ),
        (
            {"DATABASE_URL": "postgresql://u:p@127.0.0.1:1/x?nonsense=1"},
            'DATABASE_URL can’t be used: invalid connection option "nonsense".',
        ),
        ({"TZ": "CET-1CEST"}, "TZ is “CET-1CEST”; expected the name of a time zone, such as Europe/Berlin."),
        (
            {"DATABASE_OWNER_URL": "postgresql://owner@127.0.0.1/name"},
            "DATABASE_OWNER_URL needs DATABASE_URL, which says where the site’s database is.",
        ),
    ],
)
def test_what_it_cannot_use_is_said_in_one_sentence(changes, sentence, tmp_path):
    assert refusal(**{"TOUCHSTONE_VAR": str(tmp_path), "PORT": str(free_port())} | changes) == sentence


def test_a_file_in_place_of_the_folder_for_data_is_said_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")

    assert "cannot be used: Not a directory" in refusal(TOUCHSTONE_VAR=str(tmp_path / "file"))


def test_a_database_that_does_not_answer_is_said_in_one_sentence(tmp_path):
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"

    assert "The database cannot be reached" in refusal(
        DATABASE_URL=url, TOUCHSTONE_VAR=str(tmp_path), PORT=str(free_port())
    )


def test_a_free_port_passes():
    serve.check_port("127.0.0.1", free_port())


@pytest.mark.parametrize("arguments", [[], ["help"], ["migrate", "--help"], ["collectstatic"], ["check"]])
def test_some_commands_need_no_database(arguments):
    assert not manage.needs_database(arguments)


@pytest.mark.parametrize("arguments", [["migrate"], ["shell", "-c", "help"]])
def test_most_commands_need_the_database(arguments):
    assert manage.needs_database(arguments)


def test_more_web_processes_than_the_database_has_connections_for_are_refused():
    assert "has connections for 10 web processes" in refusal(WEB_CONCURRENCY="11")


def test_web_processes_never_need_more_connections_than_they_were_counted_with(settings):
    """The threads of all kinds of requests, the watch, and those who read files."""
    threads = sum(lane.threads._max_workers for lane in make_lanes().values())
    assert threads + 1 + limited_process.READERS == CONNECTIONS

    settings.EMBEDDED_DATABASE = False
    serve.check_connections(100)  # of another server only its administrator knows how many it takes


def test_connections_stay_open_longer_than_proxies_keep_them():
    """nginx keeps one for 60 seconds. If the site closed it first, requests would now and then be sent into nowhere."""
    assert serve.Site(None).cfg.keepalive == 75
