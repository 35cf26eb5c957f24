"""Run files: what comes in is read and checked against the query set before it is stored, and what goes out is described."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings

from evaluation.base.sql import all_ids, count_known
from evaluation.models import Run
from evaluation.runs.sql import stream_rankings
from judgments.base.streaming import Blocks, blocks, zip_files
from judgments.files.reports.content_exports import moment, plain_name
from judgments.files.reports.exports import ExportRefusedError
from judgments.models import Query, QuerySet, User
from touchstone_core.formats.file_format import MEDIA_TYPES
from touchstone_core.formats.packing import stem
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.runs.declarations import RunFormat
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import RANK_CONFLICT
from touchstone_core.formats.runs.run_writers import RankingRecord, RunDescription, RunFacts, survey
from touchstone_core.formats.runs.runs import ParsedFile, ParsedRun, check_file, only_run
from touchstone_core.offline.files import SMALL
from touchstone_core.offline.run_files import count_names, read_run_file
from touchstone_core.words import counted

if TYPE_CHECKING:
    from touchstone_core.engines.site_engines import SiteEngine

LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person who uploads decides where files differ; see `Options` for the last four."""

    order: str = "score"
    unknown: str = "refuse"
    duplicates: str = "refuse"
    encoding: str = ""
    format: str = ""
    several: str = "refuse"
    queries: str = ""
    header_line: int = 0

    @property
    def options(self) -> Options:
        names = ("format", "order", "duplicates", "several", "queries", "header_line")
        values: dict[str, Any] = {name: getattr(self, name) for name in names}
        return Options(**values)

    def to_json(self) -> dict[str, Any]:
        """Without a line that nobody chose, which the version before doesn't know (ADR 62)."""
        return {name: value for name, value in asdict(self).items() if name != "header_line" or value}


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run of a file under the name that it is to be stored by."""

    name: str
    parsed: ParsedRun


@dataclass(frozen=True, slots=True)
class Incoming:
    """A run file that could be read. `earlier` is a run of this query set made from the same bytes."""

    file: ParsedFile
    file_name: str
    sha256: str
    earlier: Run | None

    @property
    def report(self) -> Report:
        return self.file.report

    @property
    def parsed(self) -> ParsedRun:
        """The only run. Raises FormatError where the file holds several."""
        return only_run(self.file, self.file_name)

    @property
    def name(self) -> str:
        """What the first run is called where nobody says otherwise."""
        return self._by_name("")[0].name

    def named_runs(self, name: str) -> list[NamedRun]:
        """The runs by name: the one given for a single run, else it stands before each run's own."""
        return [one for one in self._by_name(name) if not one.parsed.no_known_query]

    def left_out(self, name: str) -> list[str]:
        """The names of the runs that would be left out with their unknown queries."""
        return [one.name for one in self._by_name(name) if one.parsed.no_known_query]

    def _by_name(self, name: str) -> list[NamedRun]:
        runs = self.file.runs
        if len(runs) == 1:
            return [NamedRun(name or suggested_name(runs[0], self.file_name), runs[0])]
        return [
            NamedRun(f"{name} {suggested_name(run, self.file_name)}".strip()[:LONGEST_NAME], run)
            for run in runs
        ]

    @property
    def moved(self) -> int:
        """In how many queries the scores put the documents in another order than the ranks do."""
        return self.report.warnings.counts.get(RANK_CONFLICT, 0)


def read_incoming(
    data: bytes, *, file_name: str, query_set: QuerySet, choices: Choices, limit: int, digest: str = ""
) -> Incoming:
    """Reads the file and reports unknown queries. Raises FormatError where nothing can be read.

    `digest` is the file's SHA-256 where it's known already.
    Costs two queries: the queries of the set, and a run with the same hash.
    """
    encoding = choices.encoding or None
    file = read_run_file(data, name=file_name, limit=limit, options=choices.options, encoding=encoding)
    queries = Query.objects.filter(query_set=query_set).values_list("external_id", "text")
    ids: set[str] = set()
    texts: dict[str, set[str]] = {}
    for external_id, text in queries.iterator():
        ids.add(external_id)
        texts.setdefault(text.strip(), set()).add(external_id)
    checked_file = check_file(
        file, ids, texts=texts, unknown="skip" if choices.unknown == "skip" else "refuse"
    )
    digest = digest or sha256(data).hexdigest()
    earlier = Run.objects.filter(query_set=query_set, sha256=digest).order_by("pk").first()
    return Incoming(checked_file, file_name, digest, earlier)


@dataclass(frozen=True, slots=True)
class RetrievedDocuments:
    """How many different documents a run retrieves, and how many of them the query set knows."""

    total: int
    known: int

    @property
    def none_known(self) -> bool:
        """Such a run is from elsewhere, or the query set has no documents yet."""
        return self.total > 0 and not self.known

    @property
    def sentence(self) -> str:
        """Empty where every document is known."""
        if self.known == self.total:
            return ""
        if self.none_known:
            return f"None of its {counted(self.total, 'document')} is known to this query set."
        unknown = self.total - self.known
        verb = "is" if unknown == 1 else "are"
        return f"{unknown:,} of its {self.total:,} documents {verb} not known to this query set."


def engines_of(query_set: QuerySet) -> dict[str, "SiteEngine"]:
    """The search engines of this site that this query set may ask, by name."""
    engines: dict[str, SiteEngine] = settings.ENGINES
    return {
        name: engine
        for name, engine in engines.items()
        if engine.query_sets is None or query_set.pk in engine.query_sets
    }


@contextmanager
def counting_documents(
    runs: Iterable[ParsedRun], query_set: QuerySet
) -> Iterator[Callable[[], RetrievedDocuments]]:
    """Counts those of all runs of a file together, while the runs are stored. Call what it gives for the result.

    Costs one query, at the start.
    """
    texts = [ranking.joined for run in runs for ranking in run.rankings if ranking.size]
    if sum(map(len, texts)) < SMALL:
        names = {name for text in texts for name in text.split("\n")}
        documents = RetrievedDocuments(len(names), count_known(query_set.pk, names))
        yield lambda: documents
        return
    known = all_ids(query_set.pk)
    with ThreadPoolExecutor(1) as beside:  # a tenth of the time of a large upload (`make bench-uploads`)
        yield beside.submit(lambda: RetrievedDocuments(*count_names(texts, known))).result


def suggested_name(parsed: ParsedRun, file_name: str) -> str:
    """The file's tag, else the file's name without its endings."""
    return (parsed.name or stem(file_name) or "run")[:LONGEST_NAME]


def may_delete(user: User, query_set: QuerySet, runs: Iterable[Run]) -> list[Run]:
    """Those of these runs that the account may delete: an admin all, an engineer those that they uploaded. One query."""
    if administers(user, query_set):
        return list(runs)
    return [run for run in runs if run.uploaded_by_id == user.pk]


def administers(user: User, query_set: QuerySet) -> bool:
    """One query."""
    return QuerySet.objects.administered_by(user).filter(pk=query_set.pk).exists()


MOST_AT_ONCE: Final = 20
"""Runs in an archive: each is looked through before its first byte."""


@dataclass(frozen=True, slots=True)
class RunExport:
    """A file of a run, or an archive of several, of which nothing is read before `content` is; and what is to be known about it."""

    name: str
    media_type: str
    content: Blocks
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
