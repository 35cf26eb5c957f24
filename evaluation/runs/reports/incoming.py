"""An uploaded run file, read and checked against the query set, before anything is stored."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.conf import settings

from evaluation.base.sql import all_ids, count_known
from evaluation.models import Run
from judgments.models import Query, QuerySet, User
from touchstone_core.formats.packing import stem
from touchstone_core.formats.problems import Report
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import RANK_CONFLICT
from touchstone_core.formats.runs.runs import ParsedFile, ParsedRun, check_file, only_run
from touchstone_core.offline.files import SMALL
from touchstone_core.offline.run_files import count_names, read_run_file
from touchstone_core.words import counted, tidied_name

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
        runs, name = self.file.runs, tidied_name(name)
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


def engines_of(query_set: QuerySet | None) -> dict[str, "SiteEngine"]:
    """The search engines of this site that this query set may ask, by name. For None those that every one may ask."""
    engines: dict[str, SiteEngine] = settings.ENGINES
    return {
        name: engine
        for name, engine in engines.items()
        if engine.query_sets is None or (query_set and query_set.pk in engine.query_sets)
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
    return (tidied_name(parsed.name) or tidied_name(stem(file_name)) or "run")[:LONGEST_NAME]


def may_delete(user: User, query_set: QuerySet, runs: Iterable[Run]) -> list[Run]:
    """Those of these runs that the account may delete: an admin all, an engineer those that they uploaded. One query."""
    if administers(user, query_set):
        return list(runs)
    return [run for run in runs if run.uploaded_by_id == user.pk]


def not_deletable(run: Run) -> str:
    return f"Run “{run}” can only be deleted by an admin or the person who uploaded it."


def administers(user: User, query_set: QuerySet) -> bool:
    """One query."""
    return QuerySet.objects.administered_by(user).filter(pk=query_set.pk).exists()
