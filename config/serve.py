"""`make run`: the embedded PostgreSQL, the schema, the static files, the example, then the web server.

One process owns all of it, and the worker that does background jobs. It becomes gunicorn's arbiter, so that nothing outlives it: workers end when their
arbiter is gone, and the next start stops a PostgreSQL that lost its owner.
"""

import errno
import hashlib
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from psycopg.errors import InsufficientPrivilege

from config import postgres, private
from config.front import CONNECTIONS
from config.hosts import host_name, join_site
from config.job_worker import JobWorker
from config.logs import JsonLines
from config.monitored_paths import METRICS_FOLDER_VARIABLE
from config.postgres_data import PostgresError
from config.revival import Revival
from config.tables import unreachable
from config.upload_places import check_folder

OLDEST_POSTGRES = 15
DEMO_WARNING = (
    "WARNING: demo mode is on (TOUCHSTONE_DEMO=1) and other machines may reach this site. "
    "Everybody who does is an admin with one click. Start it with TOUCHSTONE_DEMO=0 to end that."
)
SPARE_CONNECTIONS = 30  # for the worker and its readers, commands, and PostgreSQL's superuser
PORT_SECONDS = 3.0  # after a kill -9 the last workers need a moment to let go of the port


class StartError(Exception):
    """Touchstone cannot start; the message is one sentence for the person who started it."""


class Supervisor(Arbiter):  # type: ignore[misc]
    """gunicorn's arbiter, which also starts PostgreSQL again when it ended.

    The same for the worker that does background jobs, always: what it did is done again.
    """

    def __init__(self, app: BaseApplication) -> None:
        super().__init__(app)
        self.jobs = JobWorker()
        self.revival = Revival(app.server, self.log) if app.server else None

    def manage_workers(self) -> None:
        if self.revival:
            self.revival.keep()
        self.jobs.keep()
        super().manage_workers()

    def stop(self, graceful: bool = True) -> None:
        if self.app.server:
            self.app.server.announce_stop()
        self.jobs.ask_to_stop()
        super().stop(graceful)
        self.jobs.wait()

    def init_signals(self) -> None:
        """As gunicorn's, but nohup keeps its meaning."""
        detached = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        super().init_signals()
        if detached:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def handle_hup(self) -> None:
        """The terminal was closed: stop. gunicorn's own answers, a reload or another arbiter, have no meaning here."""
        self.handle_term()

    def handle_usr2(self) -> None:
        return


class ServerLog(Logger):  # type: ignore[misc]
    """gunicorn's own lines, in the format of all others."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        if settings.LOG_FORMAT == "json":
            for handler in self.error_log.handlers:
                handler.setFormatter(JsonLines())


class Site(BaseApplication):  # type: ignore[misc]
    def __init__(self, server: postgres.Server | None) -> None:
        self.server = server
        super().__init__()

    def load_config(self) -> None:
        host = f"[{settings.HOST}]" if ":" in settings.HOST else settings.HOST
        options = {
            "bind": f"{host}:{settings.PORT}",
            "workers": settings.WEB_WORKERS,
            "worker_class": "config.web_worker.WebWorker",
            "asgi_lifespan": "off",
            "worker_connections": 500,  # of each process, which may have 1,024 files open by default
            # Longer than a proxy keeps an idle connection (nginx: 60 s), or it would send into one that we just closed.
            "keepalive": 75,
            "preload_app": True,  # no database connection is open when workers are forked
            "timeout": 60,
            "graceful_timeout": 10,
            "loglevel": "error",
            "control_socket_disable": True,
            "post_worker_init": announce,
            "logger_class": "config.serve.ServerLog",
        }
        if settings.METRICS_TOKEN:
            from config.metrics import forget_process

            options["child_exit"] = forget_process
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        from django.urls import get_resolver

        from config.wsgi import application

        _ = get_resolver().url_patterns  # imports every view once, before the workers are forked
        return application

    def run(self) -> None:
        Supervisor(self).run()


def announce(worker: Any) -> None:
    """Says where the site is, once the first worker has the application and the port is open."""
    if worker.age != 1:
        return
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.HOST, settings.HOST)  # noqa: S104 - compared, not bound
    print(
        f"Touchstone runs on http://{f'[{host}]' if ':' in host else host}:{settings.PORT} (Ctrl-C stops it)."
    )
    if settings.DEMO:
        from judgments.people.demo import DEMO_ACCOUNTS

        print("Demo accounts, one click each on the sign-in page:")
        for account in DEMO_ACCOUNTS:
            print(f"  {account.username:<10} {account.role}: {account.sees}")
        if not settings.LOCAL_ONLY:
            print(DEMO_WARNING)
    sys.stdout.flush()


def check_port(host: str, port: int) -> None:
    """Raises StartError when the address cannot be listened on."""
    deadline = time.monotonic() + PORT_SECONDS
    while True:
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                probe.listen(1)
        except socket.gaierror:
            raise StartError(f"HOST is “{host}”, which is no address.") from None
        except PermissionError:
            raise StartError(
                f"This account may not open port {port}; choose one above 1023 with PORT."
            ) from None
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise StartError(f"HOST is “{host}”, which is no address of this machine.") from None
            if time.monotonic() > deadline:
                raise StartError(
                    f"Port {port} on {host} cannot be opened ({os.strerror(error.errno or 0)}); "
                    f"stop the program that uses it, or choose another port: make run PORT={port + 1}."
                ) from None
            time.sleep(0.2)
        else:
            return


def check_connections(processes: int) -> None:
    """Raises StartError where so many web processes could need more connections than the embedded PostgreSQL has."""
    most = (int(postgres.SETTINGS["max_connections"]) - SPARE_CONNECTIONS) // CONNECTIONS
    if settings.EMBEDDED_DATABASE and processes > most:
        raise StartError(
            f"WEB_CONCURRENCY is {processes}, and the PostgreSQL that comes with Touchstone has connections for {most} web "
            f"processes. Set it to {most} or less, or use a PostgreSQL of your own with DATABASE_URL."
        )


@contextmanager
def database() -> Iterator[postgres.Server | None]:
    """The embedded server while the block runs; None where DATABASE_URL names another."""
    if not settings.EMBEDDED_DATABASE:
        yield None
        return
    with postgres.Server(settings.VAR_DIR).running() as server:
        yield server


def prepare_database() -> None:
    from django.core.management import call_command
    from django.db import DatabaseError, connection, connections
    from django.utils.timezone import now

    from judgments.base.sql.roles import as_owner
    from judgments.files.actions.uploads import take_over_files
    from judgments.people.actions.demo_accounts import end_demo

    try:
        with as_owner():
            connection.ensure_connection()
        connection.ensure_connection()
    except DatabaseError as error:
        raise StartError(unreachable(error)) from error
    major, *_ = connection.get_database_version()
    if major < OLDEST_POSTGRES:
        raise StartError(f"PostgreSQL {OLDEST_POSTGRES} or newer is needed, not {major}.")
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except DatabaseError as error:
        if not (denied := _denial(error)):
            raise
        raise StartError(
            f"the tables must be brought up to date, and the role of the database may not do that ({denied}). "
            "DATABASE_OWNER_URL names the one that may: see docs/security.md."
        ) from error
    if settings.DEMO:
        call_command("load_example", if_empty=True)
    else:
        end_demo(at=now())
    take_over_files(settings.MEDIA_ROOT)
    for difference in join_site(host_name(settings.PORT)):
        print(f"WARNING: {difference}", file=sys.stderr)
    connections.close_all()


def _denial(error: BaseException | None) -> str:
    """What PostgreSQL says the role lacks, if that is at the bottom of the error."""
    while error and not isinstance(error, InsufficientPrivilege):
        error = error.__cause__ or error.__context__
    return str(error).splitlines()[0] if error else ""


def prepare_static_files() -> None:
    """Collects, hashes and compresses the static files where one of them changed since the last time."""
    from django.core.management import call_command

    seen = settings.VAR_DIR / "static.seen"
    now = static_fingerprint()
    if settings.STATIC_ROOT.exists() and seen.exists() and seen.read_text() == now:
        return
    print("Compressing the static files, which takes a moment when they are new.", flush=True)
    call_command("collectstatic", interactive=False, verbosity=0, clear=settings.STATIC_ROOT.exists())
    seen.write_text(now)


def static_fingerprint() -> str:
    """Changes with the name, size or time of any static file."""
    from django.contrib.staticfiles.finders import get_finders

    digest = hashlib.sha256(settings.STATIC_URL.encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            found = os.stat(storage.path(path))
            digest.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def prepare_metrics() -> None:
    """Empties the folder that the web processes count requests in, before anything imports prometheus_client."""
    folder = settings.VAR_DIR / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    os.environ[METRICS_FOLDER_VARIABLE] = str(folder)


def serve() -> None:
    check_port(settings.HOST, settings.PORT)
    check_connections(settings.WEB_WORKERS)
    check_folder(settings.STORAGES["default"])
    private.mend(settings.VAR_DIR)
    if settings.METRICS_TOKEN:
        prepare_metrics()
    with database() as server:
        django.setup()
        prepare_database()
        prepare_static_files()
        Site(server).run()


def stop_on_signal(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    """The exit status: 0 when stopped by a signal, 1 with one sentence on stderr otherwise."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    signal.signal(signal.SIGTERM, stop_on_signal)  # until gunicorn sets its own
    supervisor = os.getpid()
    try:
        serve()
    except KeyboardInterrupt:
        return 0
    except (StartError, PostgresError, ImproperlyConfigured) as error:
        print(f"Touchstone did not start: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"Touchstone did not start: {error.strerror} ({error.filename}).", file=sys.stderr)
        return 1
    except SystemExit as end:
        if os.getpid() != supervisor or not end.code:
            raise
        print("Touchstone stopped: the web server ended; the lines above say why.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
