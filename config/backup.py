"""The whole database as one file, and back, by PostgreSQL's own programs (ADR 61).

Works as the role that owns the tables, on the embedded server and on that of DATABASE_URL.
"""

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo

from config.postgres_data import MAJOR_VERSION, PostgresError, programs

SECRETS: Final = ("django_session", "judgments_sitekey")
"""Their rows would let anybody who reads the file act as others."""
BLOCK: Final = 1 << 20
COUNTED: Final = {"judgments_queryset": "query set", "judgments_user": "account"}
"""Tables whose rows are somebody's work. A new database has none of them."""
SEAL: Final = b"\nTouchstone "
LEAVING_SECONDS: Final = 2.0
SEALED: Final = len(SEAL) + hashlib.sha256().digest_size
NOT_EVERYWHERE: Final = b"SET transaction_timeout = 0;\n"
"""A setting of PostgreSQL 17, which older servers refuse."""
DROP_EVERYTHING: Final = b"""
DO $$
DECLARE statement text;
BEGIN
    FOR statement IN
        SELECT format('DROP %s IF EXISTS %s CASCADE', kind, name) FROM (
            SELECT 1 AS place, CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
                WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, oid::regclass::text AS name, oid
            FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'S') AND relowner = quote_ident(current_user)::regrole
                AND relnamespace = quote_ident(current_schema)::regnamespace
            UNION ALL SELECT 2, 'ROUTINE', oid::regprocedure::text, oid
            FROM pg_proc WHERE proowner = quote_ident(current_user)::regrole
                AND pronamespace = quote_ident(current_schema)::regnamespace
            UNION ALL SELECT 3, 'TYPE', pg_type.oid::regtype::text, pg_type.oid
            FROM pg_type WHERE (typtype IN ('d', 'e', 'r')
                    OR EXISTS (SELECT FROM pg_class WHERE pg_class.oid = typrelid AND relkind = 'c'))
                AND typowner = quote_ident(current_user)::regrole
                AND typnamespace = quote_ident(current_schema)::regnamespace
        ) AS own
        WHERE NOT EXISTS (SELECT FROM pg_depend WHERE pg_depend.objid = own.oid AND deptype = 'e')
        ORDER BY place
    LOOP
        EXECUTE statement;
    END LOOP;
END $$;
"""
OTHER_CONNECTIONS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND usesysid IS NOT NULL AND pid <> pg_backend_pid()
"""


class BackupError(Exception):
    """A backup can't be made or restored. The message is for the person who runs the command."""


def make_backup(file: Path) -> int:
    """Writes the database to a new file that only its owner may read, and returns the file's size."""
    if file.exists():
        raise BackupError(f"{file} already exists. Choose another name, or remove it first.")
    if not file.parent.is_dir():
        raise BackupError(f"There is no folder {file.parent}. Make it first, or choose another one.")
    partial = file.with_name(f"{file.name}.partial")
    with _removed_on_failure(partial):
        _make_private_file(partial)
        server = _server()
        options = [
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            *(f"--exclude-table-data={table}" for table in SECRETS),
        ]
        _run([server.program("pg_dump"), *options, f"--file={partial}", f"--dbname={server.address}"], server)
        size = _seal(partial)
        partial.rename(file)
    return size


def restore_backup(file: Path, *, replace: bool) -> None:
    """Puts the content of a backup in place of everything in the database, all or nothing.

    Raises BackupError for a damaged file, for one that this version can't use, while others are connected, or if there are data and not
    `replace`. The tables are then those of the version that made the backup: `migrate` comes next.
    """
    server = _server()
    _check_file(server, file)
    _check_database(replace=replace)
    connection.close()
    reader = subprocess.Popen(  # noqa: S603 - the words are our own
        [server.program("pg_restore"), "--no-owner", "--no-privileges", "--file=-", file],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
    writer = subprocess.Popen(  # noqa: S603
        [server.program("psql"), *options, f"--dbname={server.address}"],
        env=server.environment,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with reader, writer:
        _hand_over(reader, writer)


def _hand_over(reader: "subprocess.Popen[bytes]", writer: "subprocess.Popen[bytes]") -> None:
    """Has `writer` do what `reader` says in one transaction, which ends well only if all of it was read."""
    source, target = reader.stdout, writer.stdin
    if source is None or target is None:
        raise ValueError("Both processes need pipes.")
    read = False
    try:
        target.write(
            b"BEGIN;\nSET LOCAL client_min_messages = error;\nSET LOCAL lock_timeout = '60s';\n"
            + DROP_EVERYTHING
        )
        target.write(source.read(BLOCK).replace(NOT_EVERYWHERE, b""))
        shutil.copyfileobj(source, target, BLOCK)
        read = reader.wait() == 0
        if read:
            target.write(b"\nCOMMIT;\n")
        target.close()
    except BrokenPipeError:
        source.close()  # the writer has ended, and says why
    if writer.wait() != 0:
        raise BackupError(f"The database is unchanged: {_reason(writer)}.")
    if not read:
        raise BackupError(f"The database is unchanged, because the backup can't be read: {_reason(reader)}.")


def _check_file(server: "Server", file: Path) -> None:
    """Raises BackupError unless the file is a backup that this version of Touchstone can work on."""
    if not file.is_file():
        raise BackupError(f"There is no file {file}.")
    _check_seal(file)
    options = ["--data-only", "--table=django_migrations", "--file=-"]
    text = _run([server.program("pg_restore"), *options, file], server).decode()
    _, header, rows = text.partition("COPY ")
    if not header:
        raise BackupError(f"{file} isn't a backup of Touchstone.")
    columns = rows[rows.index("(") + 1 : rows.index(")")].split(", ")
    lines = rows.split("\n\\.", 1)[0].splitlines()[1:]
    applied = [dict(zip(columns, line.split("\t"), strict=True)) for line in lines]
    loader = MigrationLoader(None)
    known = loader.disk_migrations.keys() | loader.replacements.keys()
    for row in applied:
        if row["app"] in loader.migrated_apps and (row["app"], row["name"]) not in known:
            raise BackupError(
                f"{file} was made by a newer version of Touchstone: this one doesn't know {row['app']}.{row['name']}. "
                "Update Touchstone first."
            )


def _seal(file: Path) -> int:
    """Adds the file's hash to its end, where pg_restore doesn't look, and returns its size."""
    with file.open("r+b") as opened:
        digest = hashlib.file_digest(opened, "sha256").digest()
        opened.seek(0, os.SEEK_END)
        opened.write(SEAL + digest)
        opened.flush()
        os.fsync(opened.fileno())
        return opened.tell()


def _check_seal(file: Path) -> None:
    """Raises BackupError unless the file is whole. pg_restore takes some damaged files without a word."""
    size = file.stat().st_size - SEALED
    with file.open("rb") as opened:
        opened.seek(max(size, 0))
        seal = opened.read()
        opened.seek(0)
        digest = hashlib.sha256()
        while size > 0 and (block := opened.read(min(BLOCK, size))):
            digest.update(block)
            size -= len(block)
    if seal != SEAL + digest.digest():
        raise BackupError(
            f"{file} isn't a backup of Touchstone, or it's damaged: its checksum doesn't fit. Nothing was changed."
        )


def _other_connections(cursor: Any) -> int:
    """How many there are. Those of programs that have just ended need a moment until PostgreSQL counts them no more."""
    until = time.monotonic() + LEAVING_SECONDS
    while True:
        cursor.execute(OTHER_CONNECTIONS)
        others = int(cursor.fetchone()[0])
        if not others or time.monotonic() > until:
            return others
        time.sleep(0.1)


def _check_database(*, replace: bool) -> None:
    with connection.cursor() as cursor:
        if others := _other_connections(cursor):
            raise BackupError(
                f"The database is in use: it has {others} other connection{'s' if others > 1 else ''}. "
                "Stop the site, its workers and other hosts first."
            )
        tables = set(connection.introspection.table_names(cursor))
        found = []
        for table in COUNTED.keys() & tables:
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608
            if count := cursor.fetchone()[0]:
                found.append(f"{count:,} {COUNTED[table]}{'s' if count > 1 else ''}")
    if found and not replace:
        raise BackupError(
            f"The database already has data: {' and '.join(sorted(found))}. Nothing was changed. "
            "To delete them and restore the backup in their place, add --replace."
        )


@dataclass(frozen=True)
class Server:
    """How PostgreSQL's programs reach the database. The password is in the environment, which others can't list."""

    folder: Path
    address: str
    environment: dict[str, str]

    def program(self, name: str) -> str:
        return str(self.folder / name)


def _server() -> Server:
    known = {option.keyword.decode() for option in Conninfo.get_defaults()} - {"password"}
    parameters = connection.get_connection_params()
    environment = dict(os.environ)
    if password := parameters.get("password"):
        environment["PGPASSWORD"] = password
    words: dict[str, Any] = {name: value for name, value in parameters.items() if name in known}
    major, *_ = connection.get_database_version()
    return Server(_program_folder(major), make_conninfo(**words), environment)


def _program_folder(server_major: int) -> Path:
    """Programs that are as new as the server or newer: those that came with Touchstone, or those of this machine."""
    if server_major <= int(MAJOR_VERSION):
        try:
            return programs()
        except PostgresError:
            pass  # installed without the embedded server
    if found := shutil.which("pg_dump"):
        return Path(found).parent
    raise BackupError(
        f"The server is PostgreSQL {server_major}, and pg_dump of that version isn't installed here. "
        f"On Debian, install postgresql-client-{server_major}."
    )


def _run(words: list[Any], server: Server) -> bytes:
    done = subprocess.run(  # noqa: S603
        words, env=server.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise BackupError(f"{Path(words[0]).name} failed: {_first_line(done.stderr)}.")
    return done.stdout


def _reason(process: "subprocess.Popen[bytes]") -> str:
    return _first_line(process.stderr.read() if process.stderr else b"")


def _first_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines() or ["it gave no reason"]
    return lines[0].rstrip(".")


def _make_private_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except OSError as error:
        raise BackupError(f"{path} can't be written: {error.strerror}.") from error


@contextmanager
def _removed_on_failure(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise
