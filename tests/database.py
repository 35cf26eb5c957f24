"""Every test process has a PostgreSQL of its own, in a temporary folder, gone when the tests end.

Migrating an empty database takes ten seconds of processor, most of them Django's own bookkeeping. So that each process, and
each site that a test starts, need not spend them again, one migrated folder is kept under var/tests and copied.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config import postgres

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "var" / "tests"


@contextmanager
def fleeting_server(*, migrated: bool = False) -> Iterator[postgres.Server]:
    """A server that promises nothing after a crash and therefore is fast; `migrated`, its database has our tables.

    Its folder lies directly under the temporary folder: pytest's own are too deep for a socket's address.
    """
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        if migrated:
            copy_migrated_data(Path(folder))
        server = postgres.Server(Path(folder), settings=postgres.FLEETING)
        with server.running():
            yield server


def copy_migrated_data(var_dir: Path) -> None:
    """Gives `var_dir` the data of a server whose database has our tables and nothing else."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / migrations_digest()
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            make_migrated_data(kept)
    copy_data(kept, var_dir / "postgres")


def make_migrated_data(kept: Path) -> None:
    for older in KEPT.iterdir():
        if older.is_dir():
            shutil.rmtree(older)
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        embedded = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity=0"],
            cwd=ROOT,
            env=embedded | {"TOUCHSTONE_VAR": folder},
            check=True,
        )
        copy_data(Path(folder) / "postgres", kept.with_suffix(".new"))
    kept.with_suffix(".new").rename(kept)


def copy_data(data: Path, target: Path) -> None:
    """With owners and modes, which PostgreSQL looks at."""
    subprocess.run(["cp", "-a", data, target], check=True)


def migrations_digest() -> str:
    """Changes with every migration and with every package that brings some."""
    files = [ROOT / "requirements.txt", *sorted(ROOT.glob("*/migrations/*.py"))]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
