"""Runs as files: what is written, and what is to be known about it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from evaluation.models import Run
from evaluation.runs.sql import stream_rankings
from judgments.base.streaming import Blocks, Export, blocks, zip_files
from judgments.files.reports.content_exports import moment, plain_name
from judgments.files.reports.exports import ExportRefusedError
from judgments.models import QuerySet
from touchstone_core.formats.file_format import MEDIA_TYPES
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.declarations import RunFormat
from touchstone_core.formats.runs.run_writers import RankingRecord, RunDescription, RunFacts, survey

MOST_AT_ONCE: Final = 20
"""Runs in an archive: each is looked through before its first byte."""


@dataclass(frozen=True, slots=True)
class RunExport(Export):
    """A file of a run, or an archive of several, and what is to be known about it."""

    about: dict[str, Any]
    notes: list[str]


def export_runs(query_set: QuerySet, runs: Sequence[Run], format: RunFormat, *, at: datetime) -> RunExport:
    """Looks through the runs, one statement each, and raises ExportRefusedError for what the format can't hold.

    Reading `content` costs another statement for each run.
    """
    looked = [(run, _facts(run, format)) for run in runs]
    about = {
        "query_set": query_set.name,
        "format": format.label,
        "exported_at": at.isoformat(timespec="seconds"),
        "runs": [_about(run) | {"in_this_file": format.notes(facts)} for run, facts in looked],
    }
    several = len(runs) > 1
    notes = [
        f"Run “{run}”: {note}" if several else note for run, facts in looked for note in format.notes(facts)
    ]
    contents = [_content(run, format, facts) for run, facts in looked]
    if not several:
        return RunExport(_file_names(runs, format)[0], format.media_type, contents[0], about, notes)
    archive = zip_files(zip(_file_names(runs, format), contents, strict=True))
    name = f"{plain_name(query_set.name)}.runs.{moment(at)}.{format.name}.zip"
    return RunExport(name, MEDIA_TYPES["zip"], archive, about, notes)


def _facts(run: Run, format: RunFormat) -> RunFacts:
    if not run.row_count and not format.empty:
        raise ExportRefusedError(f"Run “{run}” has no results, and {format.label} holds nothing else.")
    with closing(stream_rankings(run)) as rankings:
        try:
            return survey(_writable(rankings, format))
        except FormatError as error:
            raise ExportRefusedError(f"Run “{run}”: {error.message}") from None


def _writable(rankings: Iterable[RankingRecord], format: RunFormat) -> Iterator[RankingRecord]:
    for one in rankings:
        format.refuse(one)
        yield one


def _content(run: Run, format: RunFormat, facts: RunFacts) -> Blocks:
    description = RunDescription(run.name, facts)
    return blocks(stream_rankings(run), lambda rankings: format.write(rankings, description))


def _file_names(runs: Sequence[Run], format: RunFormat) -> list[str]:
    """By run, with its key where two runs would have the same in any case."""
    plain = [plain_name(run.name) for run in runs]
    counts = Counter(name.casefold() for name in plain)
    stems = (
        name if counts[name.casefold()] == 1 else f"{name}-{run.pk}"
        for run, name in zip(runs, plain, strict=True)
    )
    return [f"{name}.{format.file_kind}" for name in stems]


def _about(run: Run) -> dict[str, Any]:
    return {
        "name": run.name,
        "order": run.get_order_display(),
        "queries": run.query_count,
        "documents": run.row_count,
        "tags": run.tags,
        "commit": run.commit,
        "link": run.link,
        "notes": run.notes,
        "uploaded_file": run.file_name,
        "sha256": run.sha256,
        "uploaded_at": run.created_at.isoformat(timespec="seconds"),
    }
