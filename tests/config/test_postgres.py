"""The embedded server through what befalls it: stops, kills, strangers' folders, other owners."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from config import postgres
from config.postgres_data import PostgresError

pytestmark = pytest.mark.drill
OWNER = """
import sys, time
from pathlib import Path
from config import postgres
server = postgres.Server(Path(sys.argv[1]), settings=postgres.FLEETING)
server.start()
print("up", flush=True)
sys.stdin.readline()
server.announce_stop()
print("stopping", flush=True)
time.sleep(float(sys.stdin.readline()))
server.stop()
"""


@pytest.fixture
def var_dir():
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        yield Path(folder)


@pytest.fixture
def server(var_dir):
    server = postgres.Server(var_dir, settings=postgres.FLEETING)
    yield server
    server.stop()


@pytest.fixture
def other_owner(var_dir):
    """Another process that owns a server on the same folder."""
    command = [sys.executable, "-c", OWNER, str(var_dir)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "up\n"
    yield process
    process.kill()
    process.communicate()


def connect(server):
    return psycopg.connect(host=str(server.socket), user="touchstone", dbname="touchstone", autocommit=True)


def remember(server, word):
    with connect(server) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS word (word text)")
        connection.execute("INSERT INTO word VALUES (%s)", [word])


def remembered(server):
    with connect(server) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM word")]


def postmaster(server):
    return int((server.data / "postmaster.pid").read_text().split()[0])


def test_a_second_start_keeps_the_data(server):
    with server.running():
        remember(server, "kept")

    with server.running():
        assert remembered(server) == ["kept"]


def test_the_server_listens_only_on_a_socket_in_a_private_folder(server):
    with server.running(), connect(server) as connection:
        listening = connection.execute("SHOW listen_addresses").fetchone()

    assert listening == ("",)
    assert stat.S_IMODE(server.socket.stat().st_mode) == 0o700


def test_text_is_utf8_in_the_order_of_its_code_points_and_time_is_utc(server):
    with server.running(), connect(server) as connection:
        row = connection.execute(
            "SELECT current_setting('server_encoding'), current_setting('timezone'), datlocale "
            "FROM pg_database WHERE datname = 'touchstone'"
        ).fetchone()

    assert row == ("UTF8", "UTC", "C.UTF-8")


def test_the_server_of_the_application_waits_for_the_disk(var_dir):
    with postgres.Server(var_dir).running() as server, connect(server) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_nothing_committed_is_lost_when_the_server_is_killed(var_dir):
    server = postgres.Server(var_dir)
    with server.running():
        remember(server, "committed")
        os.kill(postmaster(server), signal.SIGKILL)
        server.process.wait()
        assert not server.alive()

    with server.running():
        assert remembered(server) == ["committed"]


def test_a_server_whose_owner_was_killed_is_taken_over(server, other_owner):
    orphan = postmaster(server)
    remember(server, "kept")
    other_owner.kill()
    other_owner.wait()

    with server.running():
        assert postmaster(server) != orphan
        assert remembered(server) == ["kept"]


def test_a_process_number_left_behind_that_now_is_another_program_is_ignored(server):
    with server.running():
        pass
    (server.data / "postmaster.pid").write_text(f"{os.getpid()}\n{server.data}\n")

    with server.running():
        assert postmaster(server) != os.getpid()


def test_one_folder_has_one_owner(server, other_owner):
    with pytest.raises(postgres.AlreadyRunningError, match=f"already running .* .process {other_owner.pid}"):
        server.start()


def stop_after(owner, seconds):
    owner.stdin.write(f"\n{seconds}\n")
    owner.stdin.flush()
    assert owner.stdout.readline() == "stopping\n"


def test_a_start_waits_until_an_owner_that_is_stopping_has_ended(server, other_owner):
    remember(server, "kept")
    stop_after(other_owner, 0.5)

    with server.running():
        assert remembered(server) == ["kept"]


def test_an_owner_that_takes_too_long_to_stop_is_said_to_be_stopping(server, other_owner, monkeypatch):
    monkeypatch.setattr(postgres, "OWNER_STOP_SECONDS", 0.2)
    stop_after(other_owner, 60)

    with pytest.raises(postgres.AlreadyRunningError, match=f"process {other_owner.pid}. is still stopping"):
        server.start()


def test_a_command_uses_the_server_of_another_process_and_leaves_it_running(var_dir, server, other_owner):
    with postgres.shared(var_dir):
        remember(server, "by a command")

    assert remembered(server) == ["by a command"]


def test_a_command_without_another_process_has_a_server_for_its_duration(var_dir, server):
    with postgres.shared(var_dir):
        remember(server, "by a command")

    assert not (server.data / "postmaster.pid").exists()


def test_a_process_forked_from_the_owner_cannot_stop_the_server(server):
    with server.running():
        child = os.fork()
        if child == 0:
            server.stop()
            os._exit(0)
        os.waitpid(child, 0)

        assert server.alive()


def test_a_first_start_that_was_interrupted_leaves_nothing_half_made(var_dir, server):
    half = var_dir / "postgres.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")

    with server.running():
        assert not half.exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("photo.jpg", "", "not a PostgreSQL data folder"),
        ("PG_VERSION", "17\n", "holds data of PostgreSQL 17, but the embedded server is 18"),
        ("PG_VERSION", "18\n", "PostgreSQL refuses the data folder"),
    ],
)
def test_a_folder_that_holds_something_else_is_refused_in_one_sentence(var_dir, server, name, text, message):
    server.data.mkdir(mode=0o700)
    (server.data / name).write_text(text)

    with pytest.raises(PostgresError, match=message) as raised:
        server.start()

    assert "\n" not in str(raised.value)


def test_a_file_in_place_of_the_folder_is_refused_in_one_sentence(server):
    server.data.write_text("")

    with pytest.raises(PostgresError, match="cannot be used: Not a directory"):
        server.start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_socket_folder_of_somebody_else_is_refused(server):
    server.socket.mkdir()
    os.chown(server.socket, 12345, 12345)

    with pytest.raises(PostgresError, match="belongs to somebody else"):
        server.start()


def test_a_path_too_long_for_a_socket_gets_a_folder_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")

    folder = postgres.socket_folder(tmp_path / ("long" * 30))

    assert folder.parent == Path("/run/user/1")
    assert folder.name.startswith(f"touchstone-{os.geteuid()}-")


def test_a_server_works_below_a_folder_that_only_its_owner_can_enter():
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        private = Path(folder)
        private.chmod(0o700)

        with postgres.Server(private / "deep" / "var", settings=postgres.FLEETING).running() as server:
            remember(server, "kept")
            assert remembered(server) == ["kept"]

        assert stat.S_IMODE(private.stat().st_mode) == 0o700


def test_a_log_grown_long_starts_anew(server, monkeypatch):
    monkeypatch.setattr(postgres, "LOG_LIMIT", 10)
    server.log.write_text("an old line\n" * 10)

    with server.running():
        time.sleep(0)

    assert "an old line" not in server.log.read_text()
