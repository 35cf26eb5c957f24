"""`make bench-uploads`: a run of 7 million results, from the file to four NDCGs, against `manage.py score`.

On a fleeting PostgreSQL that has the queries and the judgments of the same files, the run is uploaded as a page does it, and then
stored and scored as a worker does it, in this process. In turns with it `manage.py score` reads the same two files and writes the same
numbers, as a process of its own. Ends with exit status 1 if a ratio is above its bar. `--write` writes benchmarks/uploads.md.
"""

import argparse
import subprocess
import sys
import time
from statistics import median
from typing import Any, Final, NamedTuple

from benchmarks.data import SIZES, Files, files
from benchmarks.measuring import ROOT
from benchmarks.pages import fleeting_site
from benchmarks.race import IDEALS, machine

ROUNDS: Final = 5
MEASURES: Final = f"nDCG@10 {IDEALS}"
PAGE: Final = """# A large upload

`make bench-uploads` uploads a run of {queries} queries × {depth} results as a page does it, then stores and scores it as a worker does
it, in one process. In turns with it `manage.py score` reads the same files. Seconds are medians of five rounds and say little on another
machine; the ratios are what we hold ourselves to.

{machine}

| what | seconds | of the command | at most | kept |
| --- | --- | --- | --- | --- |
{rows}
"""


class Seconds(NamedTuple):
    """Since the start. `kept`: the uploaded file is; `stored`: all rankings are in the database; `scored`: so are the numbers."""

    kept: float
    stored: float
    scored: float


class Bar(NamedTuple):
    """What may take so many times as long as the score command."""

    what: str
    step: str
    most: float


BARS: Final = (Bar("the numbers show", "scored", 1.5), Bar("all is stored", "stored", 3.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="L")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    size = SIZES[arguments.size]
    made = files(size, ROOT / "var" / "bench")
    with fleeting_site():
        judgment_list, user = _site(made)
        rounds = [_round(made, judgment_list, user, number) for number in range(ROUNDS + 1)][1:]
    commands, uploads = zip(*rounds, strict=True)
    command = median(commands)
    lines = [f"| the score command | {command:.2f} | 1.00 |  |  |"]
    for step in Seconds._fields:
        seconds = median(getattr(one, step) for one in uploads)
        bar = next((bar for bar in BARS if bar.step == step), None)
        what = bar.what if bar else "the uploaded file is kept"
        kept = f"{bar.most} | {'yes' if seconds <= bar.most * command else 'no'}" if bar else " | "
        lines.append(f"| until {what} | {seconds:.2f} | {seconds / command:.2f} | {kept} |")
    page = PAGE.format(
        queries=f"{size.queries:,}", depth=f"{size.depth:,}", machine=machine(), rows="\n".join(lines)
    )
    print(page)
    if arguments.write:
        (ROOT / "benchmarks" / "uploads.md").write_text(page)
    if any("| no |" in line for line in lines):
        sys.exit("A bar is not kept.")


def _site(made: Files) -> tuple[Any, Any]:
    """A list with the judgments of the file, and somebody who may upload."""
    from django.utils import timezone

    from judgments.base.sql.roles import as_owner
    from judgments.files.actions.imports import import_judgments
    from judgments.files.reports.imports import Choices, open_judgment_file
    from judgments.files.reports.judgment_imports import Terms
    from judgments.models import JudgmentList, QuerySet, Scale, User

    user = User.objects.create(username="admin", is_superuser=True)
    query_set = QuerySet.objects.create(name="Large")
    scale = Scale.objects.get(query_set=None, name="TREC 0–3")
    judgment_list = JudgmentList.objects.create(query_set=query_set, name="Judged", scale=scale)
    with (
        made.qrels.open("rb") as content,
        open_judgment_file(content, name="qrels", choices=Choices(), limit=1 << 30) as opened,
    ):
        import_judgments(
            judgment_list=judgment_list,
            file=opened,
            at=timezone.now(),
            terms=Terms(rater_name="file", create_missing=True),
        )
    with as_owner():
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    return judgment_list, user


def _round(made: Files, judgment_list: Any, user: Any, number: int) -> tuple[float, Seconds]:
    """Seconds of the command, and those of the upload."""
    from django.conf import settings
    from django.core.files import File
    from django.utils import timezone

    from evaluation.models import Evaluation
    from evaluation.runs.actions.run_files import RunUpload, store_requested_runs
    from evaluation.runs.actions.run_jobs import score_new_runs
    from evaluation.runs.reports.incoming import Choices
    from judgments.files.actions.uploads import keep_upload
    from judgments.models import Purpose, Upload

    command = _command(made)
    start = time.perf_counter()
    with made.run.open("rb") as content:
        file, query_set = File(content, made.run.name), judgment_list.query_set
        upload = keep_upload(query_set=query_set, user=user, purpose=Purpose.RUN, file=file)
    at = timezone.now()
    options = RunUpload(Choices(), name=f"run {number}").to_json()
    Upload.objects.filter(pk=upload.pk).update(requested_at=at, options=options)
    kept = time.perf_counter() - start
    runs = store_requested_runs(upload=upload, requested_at=at, at=at, limit=settings.UNPACKED_LIMIT).runs
    stored = time.perf_counter() - start
    score_new_runs(runs=runs)
    seconds = Seconds(kept, stored, time.perf_counter() - start)
    if len(runs) != 1 or Evaluation.objects.filter(run=runs[0], judged_queries__gt=0).count() != 1:
        sys.exit("The run was not stored and scored.")
    return command, seconds


def _command(made: Files) -> float:
    """Seconds of the whole process."""
    ours = [sys.executable, "manage.py", "score", "--qrels", str(made.qrels), "--run", str(made.run)]
    start = time.perf_counter()
    subprocess.run(
        [*ours, "--measures", MEASURES, "--format", "json"], cwd=ROOT, check=True, capture_output=True
    )
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
