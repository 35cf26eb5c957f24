"""The embedded PostgreSQL: one server per data folder, owned by one process, reached through a private socket.

The wheel's own handle is not used: as root it opens every parent folder to everybody and creates a system
user, and it stops the server when the last of its users exits. Only its programs are.
"""

import contextlib
import fcntl
import hashlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psycopg

from config.account import Account
from config.postgres_data import (
    APPLICATION,
    OWNER,
    STOP_SECONDS,
    PostgresError,
    make_private,
    prepare_data,
    programs,
    reason,
    stop_orphan,
    write_access_rules,
)
from config.private import make_folder

DATABASE = "touchstone"
SOCKET_PATH_LIMIT = 100  # macOS takes 103 bytes, Linux 107
LOG_LIMIT = 10 * 1024 * 1024
START_SECONDS = 60.0  # recovery after a crash replays the log first
OWNER_STOP_SECONDS = 60.0  # web processes finish their requests first, then workers and PostgreSQL end
STOPPING = "stopping"

# For a small machine: two cores, a few gigabytes.
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",  # see config.serve.check_connections
    "shared_buffers": "192MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_line_prefix": "%m [%p] ",
}
# Data that nobody will miss: what the tests use.
FLEETING = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "64MB"}


class AlreadyRunningError(PostgresError):
    """Another process owns the data folder."""


def database_settings(var_dir: Path) -> dict[str, Any]:
    """Django's DATABASES entry for the server whose data lies under `var_dir`, as the application; touches no file."""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": DATABASE,
        "USER": APPLICATION,
        "HOST": str(socket_folder(var_dir)),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 10},
    }


def socket_folder(var_dir: Path) -> Path:
    """`var_dir`/socket, or where that is too long for a socket's address, a folder of this user's runtime folder."""
    folder = var_dir.absolute() / "socket"
    if len(os.fsencode(folder / ".s.PGSQL.5432")) <= SOCKET_PATH_LIMIT:
        return folder
    digest = hashlib.sha256(os.fsencode(var_dir.absolute())).hexdigest()[:12]
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
    return runtime / f"touchstone-{os.geteuid()}-{digest}"


@dataclass
class Server:
    """A server on `var_dir`/postgres. `running()` is the way to use it; the rest is for tests."""

    var_dir: Path
    settings: dict[str, str] = field(default_factory=dict)
    process: "subprocess.Popen[bytes] | None" = None
    _lock: IO[str] | None = None
    _owner: int = 0

    @property
    def data(self) -> Path:
        return self.var_dir.absolute() / "postgres"

    @property
    def log(self) -> Path:
        return self.var_dir.absolute() / "postgres.log"

    @property
    def socket(self) -> Path:
        return socket_folder(self.var_dir)

    def start(self) -> None:
        """Owns the data folder, stops a server whose owner died, and returns when the database can be used."""
        self._owner = os.getpid()
        try:
            make_folder(self.var_dir)
            self._lock = take_lock(self.var_dir / "postgres.lock")
            account = Account.of(self.data)
            make_private(self.socket, account)
            prepare_data(self.data, account, durable=self.settings.get("fsync") != "off")
            stop_orphan(self.data)
            self._launch(account)
            ensure_database_and_role(self.socket)
        except OSError as error:
            self.stop()
            raise PostgresError(
                f"The data folder {self.data} cannot be used: {error.strerror} ({error.filename})."
            ) from error
        except BaseException:
            self.stop()
            raise

    def _launch(self, account: "Account") -> None:
        write_access_rules(self.data)
        options = SETTINGS | self.settings | {"unix_socket_directories": f'"{self.socket}"'}
        arguments = [f"--{name}={value}" for name, value in options.items()]
        deadline = time.monotonic() + START_SECONDS
        while True:
            with self._open_log() as log:
                begin = log.tell()
                self.process = account.spawn([programs() / "postgres", "-D", self.data, *arguments], log)
            if wait_until_ready(self.process, self.data, deadline):
                return
            said = self.log.read_bytes()[begin:].decode(errors="replace")
            self.process = None
            # After a kill -9 of the server its last children need a moment to notice.
            if "still in use" not in said or time.monotonic() > deadline:
                raise PostgresError(f"PostgreSQL refuses the data folder: {reason(said)} (see {self.log}).")
            time.sleep(0.2)

    def _open_log(self) -> IO[bytes]:
        too_long = self.log.exists() and self.log.stat().st_size > LOG_LIMIT
        self.log.touch(mode=0o600)
        log = self.log.open("wb" if too_long else "ab")
        log.seek(0, os.SEEK_END)
        return log

    def restart(self) -> None:
        """Starts the server again after it ended by itself. The lock on the folder is held all the while."""
        stop_orphan(self.data)
        self._launch(Account.of(self.data))

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def announce_stop(self) -> None:
        """Tells the next owner, who may start meanwhile, to wait until the data folder is given up."""
        if self._lock is not None:
            write_lock(self._lock, f"{os.getpid()} {STOPPING}")

    def stop(self, *, wait_for_clients: bool = False) -> None:
        """Stops the server and gives the data folder up. `wait_for_clients` lets open connections finish first.

        Does nothing in a process forked from the owner.
        """
        if os.getpid() != self._owner:
            return
        self.announce_stop()
        if self.process is not None:
            try:
                halt(self.process, signal.SIGTERM if wait_for_clients else signal.SIGINT)
            finally:
                self.process = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @contextmanager
    def running(self) -> Iterator["Server"]:
        self.start()
        try:
            yield self
        finally:
            self.stop()


@contextmanager
def shared(var_dir: Path) -> Iterator[None]:
    """A server on `var_dir` while the block runs: the one that another process owns, or one of our own."""
    server = Server(var_dir)
    try:
        server.start()
    except AlreadyRunningError:
        wait_for_other(var_dir)
    try:
        yield
    finally:
        server.stop(wait_for_clients=True)


def wait_for_other(var_dir: Path) -> None:
    """Returns when the server that another process owns, and may just be starting, can be used."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(host=str(socket_folder(var_dir)), user=APPLICATION, dbname=DATABASE).close()
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise PostgresError(
                    f"Another process owns {var_dir} but its PostgreSQL does not answer; stop it and start it again."
                ) from error
            time.sleep(0.1)
        else:
            return


def take_lock(path: Path) -> IO[str]:
    """An open file that holds the lock until it is closed. A record lock: children do not inherit it.

    Waits for an owner that is stopping.
    """
    lock = path.open("a+")
    deadline = time.monotonic() + OWNER_STOP_SECONDS
    while True:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner, _, state = lock.read().partition(" ")
            if state == STOPPING and time.monotonic() < deadline:
                time.sleep(0.1)
                continue
            lock.close()
            raise AlreadyRunningError(_refusal(path.parent, owner, state)) from None
        write_lock(lock, str(os.getpid()))
        return lock


def write_lock(lock: IO[str], text: str) -> None:
    lock.truncate(0)
    lock.write(text)
    lock.flush()


def _refusal(folder: Path, owner: str, state: str) -> str:
    if state == STOPPING:
        return f"The Touchstone on {folder} (process {owner}) is still stopping; try again in a moment."
    return f"Touchstone is already running on {folder} (process {owner}); stop it first, or use it."


def wait_until_ready(process: "subprocess.Popen[bytes]", data: Path, deadline: float) -> bool:
    """True once the server takes connections, False when it ended or the deadline passed (it is stopped then)."""
    while process.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            lines = (data / "postmaster.pid").read_text().split("\n")
            if lines[0] == str(process.pid) and len(lines) > 7 and lines[7].strip() == "ready":
                return True
        if time.monotonic() > deadline:
            halt(process, signal.SIGINT)
            return False
        time.sleep(0.02)
    return False


def halt(process: "subprocess.Popen[bytes]", how: signal.Signals) -> None:
    """Stops the server; one that takes too long is told to stop at once, and recovers from its log next time."""
    process.send_signal(how)
    for harder in (signal.SIGINT, signal.SIGQUIT):
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(harder)
        else:
            return
    process.wait()


def ensure_database_and_role(socket: Path) -> None:
    """What initdb did not make, and what a folder of an earlier version lacks."""
    with psycopg.connect(host=str(socket), user=OWNER, dbname="postgres", autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [APPLICATION]).fetchone():
            connection.execute(f"CREATE ROLE {APPLICATION} LOGIN")
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(f"CREATE DATABASE {DATABASE}")
