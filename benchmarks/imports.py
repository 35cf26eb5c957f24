"""make bench-imports: judgments from a file into a list, against a bare COPY of the rows that come of it.

Each import runs in a process of its own, on the embedded PostgreSQL with fsync on, in turns with the COPY of the same
rows (judgments, pairs, queries of the list, consensus grades) into the same tables, with their keys, indexes and
foreign keys. Prints seconds, the ratio of the medians, memory, and the slowest statements. `--write` writes imports.md. It ends with
an error where both ratios, that of wall seconds and that of CPU seconds, are above the bar.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
VAR = ROOT / "var" / "bench-imports"
os.environ |= {
    "TOUCHSTONE_VAR": str(VAR),
    "TOUCHSTONE_DEMO": "0",
    "DJANGO_SETTINGS_MODULE": "config.settings",
}
for name in [name for name in os.environ if name.startswith("DATABASE_")]:
    del os.environ[name]

import django  # noqa: E402

django.setup()

import psutil  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmarks.race import machine  # noqa: E402
from config import postgres  # noqa: E402
from judgments.base.sql.roles import as_owner  # noqa: E402
from judgments.files.actions.imports import import_judgments  # noqa: E402
from judgments.files.reports.imports import Choices, open_judgment_file  # noqa: E402
from judgments.files.reports.judgment_imports import Terms  # noqa: E402
from judgments.models import JudgmentList, QuerySet, Scale  # noqa: E402

SEED = 20261121
DEPTH = 100
TABLES = (
    "judgments_listquery",
    "judgments_pair",
    "judgments_judgment",
    "judgments_consensusgrade",
)
BAR = 3.0


def write_qrels(path: Path, count: int) -> None:
    """`count` judgments, 100 of each query, of documents that every tenth query shares."""
    chosen = random.Random(SEED)
    with path.open("w") as file:
        for query in range(count // DEPTH):
            for place in range(DEPTH):
                document = (query // 10) * 400 + (place * 4 + query % 4)
                file.write(f"query-{query:06} 0 B{document:09} {chosen.choice('0001123')}\n")


def write_table(path: Path, count: int) -> None:
    """`count` judgments in Touchstone's own CSV, each pair by four raters."""
    chosen = random.Random(SEED)
    with path.open("w") as file:
        file.write("query,document,rater,grade,reason,comment,judged_at,seconds\n")
        for pair in range(count // 4):
            for rater in range(4):
                file.write(
                    f"query-{pair // DEPTH:06},B{pair:09},rater-{rater},{chosen.choice('0001123')},,,"
                    f"2026-11-{1 + pair % 20:02}T12:00:00+00:00,{chosen.randrange(10, 90) / 10}\n"
                )


FILES = {"judgments.qrels": write_qrels, "judgments.csv": write_table}


def prepare(file: Path) -> None:
    """A list on the query set, and every query and document of the file."""
    query_set, _ = QuerySet.objects.get_or_create(name=file.name)
    scale = Scale.objects.get(query_set=None, name="TREC 0–3")
    JudgmentList.objects.get_or_create(
        query_set=query_set,
        name=file.name,
        defaults={"scale": scale, "overlap": 4 if file.suffix == ".csv" else 1},
    )
    seen: Mapping[str, dict[str, None]] = {"query": {}, "document": {}}
    with file.open() as lines:
        for line in lines:
            parts = line.split(",") if file.suffix == ".csv" else line.split()[::2]
            if parts[0] != "query":
                seen["query"][parts[0]] = seen["document"][parts[1]] = None
    copy(
        "COPY judgments_query (query_set_id, external_id, text, information_need, weight, tags) FROM STDIN",
        ((query_set.pk, name, name, "", 1, "{}") for name in seen["query"]),
    )
    copy(
        "COPY judgments_document (query_set_id, external_id, title, body, url, image, fields) FROM STDIN",
        ((query_set.pk, name, name, "", "", "", "{}") for name in seen["document"]),
    )
    with as_owner():
        run("VACUUM ANALYZE")


def copy(statement: str, rows: Iterator[tuple[Any, ...]]) -> None:
    with connection.cursor() as cursor, cursor.copy(statement) as target:
        for row in rows:
            target.write_row(row)


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def empty() -> None:
    with as_owner():
        run(f"TRUNCATE {', '.join(TABLES)} CASCADE")
        run("CHECKPOINT")


def import_file(file: Path) -> None:
    """What a process of its own does: prints seconds, megabytes before and at most, and the slowest statements."""
    times: dict[str, float] = defaultdict(float)

    def timed(execute: Any, sql: Any, *rest: Any) -> Any:
        start = time.perf_counter()
        try:
            return execute(sql, *rest)
        finally:
            times[" ".join(str(sql).split())[:90]] += time.perf_counter() - start

    judgment_list = JudgmentList.objects.select_related("query_set").get(name=file.name)
    before = peak()
    start = time.perf_counter(), *cpu()
    with (
        connection.execute_wrapper(timed),
        file.open("rb") as content,
        open_judgment_file(content, name=file.name, choices=Choices(), limit=1 << 30) as opened,
    ):
        import_judgments(
            judgment_list=judgment_list,
            file=opened,
            at=timezone.now(),
            terms=Terms(rater_name="file"),
        )
    spent = [now - then for now, then in zip((time.perf_counter(), *cpu()), start, strict=True)]
    print(*spent, before, peak())
    for statement, seconds in sorted(times.items(), key=lambda item: -item[1])[:12]:
        print(f"{seconds:8.2f}  {statement}")


def peak() -> float:
    """Megabytes at most until now, of this process alone (getrusage knows also what it was forked from)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def cpu() -> tuple[float, float]:
    """Seconds of processor time until now: of this process, and of its connection's server process."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        times = psutil.Process(cursor.fetchall()[0][0]).cpu_times()
    return time.process_time(), times.user + times.system


def imported(file: Path) -> tuple[list[float], float, str]:
    """Seconds (wall, ours, PostgreSQL's), megabytes more than before, and the slowest statements, in a new process."""
    command = [sys.executable, "-m", "benchmarks.imports", "--import", str(file)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    first, statements = done.stdout.split("\n", 1)
    *spent, before, most = map(float, first.split())
    return spent, most - before, statements


def dump(folder: Path) -> None:
    for table in TABLES:
        with (
            (folder / table).open("wb") as file,
            connection.cursor() as cursor,
            cursor.copy(f"COPY {table} TO STDOUT") as source,
        ):
            for block in source:
                file.write(block)


def copied(folder: Path) -> list[float]:
    """Seconds (wall, ours, PostgreSQL's) of a bare COPY of the rows that an import made."""
    start = time.perf_counter(), *cpu()
    for table in TABLES:
        with (
            (folder / table).open("rb") as file,
            connection.cursor() as cursor,
            cursor.copy(f"COPY {table} FROM STDIN") as target,
        ):
            while block := file.read(1 << 16):
                target.write(block)
    return [now - then for now, then in zip((time.perf_counter(), *cpu()), start, strict=True)]


class Raced(NamedTuple):
    """Medians of a file: seconds (wall, ours, PostgreSQL's) of the import and of the COPY, and megabytes more than before."""

    name: str
    imported: list[float]
    copied: list[float]
    memory: float

    @property
    def ratios(self) -> tuple[float, float]:
        """Wall, CPU."""
        imported, copied = self.imported, self.copied
        return imported[0] / copied[0], sum(imported[1:]) / sum(copied[1:])


def race(file: Path, rounds: int) -> Raced:
    folder = VAR / "rows"
    folder.mkdir(exist_ok=True)
    imports, copies, memory, statements = [], [], [], ""
    for _ in range(rounds):
        empty()
        spent, more, statements = imported(file)
        imports.append(spent)
        memory.append(more)
        dump(folder)
        empty()
        copies.append(copied(folder))
    print(f"{file.name}:")
    print(statements)
    return Raced(file.name, median(imports), median(copies), max(memory))


def report(raced: Sequence[Raced], judgments: int, rounds: int) -> str:
    lines = [
        "# Imports of judgments",
        "",
        f"`make bench-imports` imports {judgments:,} judgments from a file (reading, checking, pairs, slots, consensus grades and counts",
        "among it) in turns with a bare COPY of the rows that come of it into the same tables with their keys and indexes, on the embedded",
        f"PostgreSQL with fsync on, and writes this page. Medians of {rounds}; each import is a process of its own. CPU seconds are those of",
        f"the process and of its PostgreSQL together; wall seconds have whatever else the machine does in them. Bar: {BAR:g} × COPY.",
        "",
        machine(),
        "",
        "| file | import, wall s | CPU s | COPY, wall s | CPU s | ratio, wall | ratio, CPU | memory, MB more |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in raced:
        imported, copied = one.imported, one.copied
        seconds = (imported[0], sum(imported[1:]), copied[0], sum(copied[1:]))
        cells = [
            f"`{one.name}`",
            *(f"{each:.1f}" for each in seconds),
            *(f"{each:.2f}" for each in one.ratios),
        ]
        lines.append(f"| {' | '.join(cells)} | {one.memory:.0f} |")
    return "\n".join(lines)


def median(found: Sequence[Sequence[float]]) -> list[float]:
    """Of each column."""
    return [statistics.median(column) for column in zip(*found, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--file", choices=list(FILES), action="append")
    parser.add_argument("--import", type=Path, dest="only")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.only:
        import_file(given.only)
        return 0
    shutil.rmtree(VAR, ignore_errors=True)
    VAR.mkdir(parents=True)
    raced = []
    with postgres.shared(VAR):
        call_command("migrate", verbosity=0)
        for name in given.file or FILES:
            FILES[name](VAR / name, given.judgments)
            prepare(VAR / name)
            raced.append(race(VAR / name, given.rounds))
        connection.close()
    text = report(raced, given.judgments, given.rounds)
    print(text)
    if given.write:
        (ROOT / "benchmarks" / "imports.md").write_text(text + "\n")
    return int(max(min(one.ratios) for one in raced) > BAR)


if __name__ == "__main__":
    sys.exit(main())
