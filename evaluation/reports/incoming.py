"""An uploaded run file, read and checked against the query set, before anything is stored."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath
from typing import Any, cast

from evaluation.ingest.documents import count_known
from evaluation.ingest.formats.rankings import Duplicates, Order
from evaluation.ingest.formats.runs import ParsedRun, check_queries, read_run
from evaluation.models import Run
from judgments.formats.text import decode
from judgments.models import Query, QuerySet
from judgments.words import counted


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person who uploads decides where files differ."""

    order: str = "score"
    unknown: str = "refuse"
    duplicates: str = "refuse"
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A run file that could be read. `earlier` is a run of this query set made from the same bytes."""

    parsed: ParsedRun
    name: str
    sha256: str
    earlier: Run | None


def read_incoming(
    data: bytes, *, file_name: str, query_set: QuerySet, choices: Choices, limit: int
) -> Incoming:
    """Reads the file and reports unknown queries. Raises FormatError where nothing can be read.

    Costs two queries: the query ids of the set, and a run with the same hash.
    """
    text = decode(data, name=file_name, encoding=choices.encoding or None, limit=limit)
    parsed = read_run(text, order=cast(Order, choices.order), duplicates=cast(Duplicates, choices.duplicates))
    known = set(Query.objects.filter(query_set=query_set).values_list("external_id", flat=True))
    checked = check_queries(parsed, known, unknown=cast(Any, choices.unknown))
    digest = sha256(data).hexdigest()
    earlier = Run.objects.filter(query_set=query_set, sha256=digest).order_by("pk").first()
    return Incoming(checked, suggested_name(checked, file_name), digest, earlier)


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


def retrieved_documents(parsed: ParsedRun, query_set: QuerySet) -> RetrievedDocuments:
    """Costs one query, whatever the size of the run."""
    names = {document for ranking in parsed.rankings for document in ranking.documents}
    return RetrievedDocuments(len(names), count_known(query_set.pk, names))


def suggested_name(parsed: ParsedRun, file_name: str) -> str:
    """The file's tag, else the file's name without its endings."""
    return (parsed.name or PurePath(file_name).name.split(".")[0] or "run")[:120]
