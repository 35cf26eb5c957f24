"""What changed between runs before anybody judges: over every query that one of them answers, without a list or a grade."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from django.db.models import Exists, OuterRef
from django.urls import reverse

from evaluation.base.errors import EvaluationError
from evaluation.comparisons.reports.comparison_parts import THIRD_WORDS
from evaluation.comparisons.reports.intents import Named, intent_page
from evaluation.comparisons.sql import read_pages
from evaluation.models import Ranking, Run
from judgments.models import JudgmentList, ListQuery, Query, QuerySet, User
from touchstone_core.comparison.page_evidence import CHANGES, Change, Impact, impact
from touchstone_core.comparison.segments import parts
from touchstone_core.comparison.verdict import Figures, impact_words
from touchstone_core.impact import persistence
from touchstone_core.impact.intent import IntentCounts, count_intent
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.moves import number_documents
from touchstone_core.metrics.types import Floats, Ints
from touchstone_core.words import counted

DISCOUNT: Final = "log2"
NOWHERE: Final[Mapping[int, int]] = MappingProxyType({})
MOST_PAGES: Final = 100_000
MOST_DOCUMENTS: Final = 2_000_000
"""So many documents on the pages of so many queries take about a second and a half of processor time, and 200 MB."""


class TooManyPagesError(EvaluationError):
    """More queries times runs, or documents on their pages, than a request should read."""

    def __init__(self, queries: int, runs: int, cutoff: int) -> None:
        super().__init__(
            f"{counted(queries, 'query', 'queries')} × {runs} runs are {queries * runs:,} pages with up to "
            f"{queries * runs * cutoff:,} documents. At most {MOST_PAGES:,} pages with {MOST_DOCUMENTS:,} documents are "
            f"compared at once: choose fewer runs or a smaller cutoff."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Impacts:
    """Runs, the baseline first, by the first `cutoff` documents of Q queries; a query that a run does not answer is an
    empty page. `found` is of each run but the first."""

    runs: tuple[Run, ...]
    cutoff: int
    queries: Ints  # (Q,) ids, ascending
    weights: Floats  # (Q,)
    tags: list[list[str]]
    answered: list[int]
    found: tuple[Impact, ...]

    @property
    def persistence(self) -> float:
        """The p of RBO."""
        return persistence(self.cutoff)

    def order(self, place: int) -> Ints:
        """(Q,) the queries by the ceiling of a run, the greatest first; equal ones by their ids."""
        return np.argsort(-self.found[place - 1].ceiling, kind="stable")


@dataclass(frozen=True, slots=True)
class ImpactRow:
    """One run beside the baseline."""

    run: Run
    figures: Figures
    words: str


@dataclass(frozen=True, slots=True)
class PartRow:
    """A tag, or a third of the traffic; `cells` are of each run but the first."""

    name: str
    words: str
    queries: int
    cells: list[tuple[Run, Figures]]


@dataclass(frozen=True, slots=True)
class QueryImpact:
    """One query of one run beside the baseline; `address` of both rankings, empty where no list of the reader has grades
    and the query."""

    query: Query
    change: str
    first: bool
    overlap: float
    rbo: float
    ceiling: float
    address: str = ""


def impacts(query_set: QuerySet, runs: Sequence[Run], cutoff: int) -> Impacts | None:
    """None where no run answers anything. Two statements, none for runs that are too large by themselves.

    Raises TooManyPagesError.
    """
    _refuse(max(run.query_count for run in runs), len(runs), cutoff)
    answers = Ranking.objects.filter(query_set=query_set, query=OuterRef("pk"), run__in=runs)
    found = Query.objects.filter(Exists(answers), query_set=query_set).order_by("pk")
    rows = list(found.values_list("pk", "weight", "tags"))
    if not rows:
        return None
    _refuse(len(rows), len(runs), cutoff)
    keys, weights, tags = (list(column) for column in zip(*rows, strict=True))
    document = number_documents(read_pages(query_set.pk, [run.pk for run in runs], keys, cutoff), cutoff)
    discount = discounts(DISCOUNT, cutoff)
    return Impacts(
        runs=tuple(runs),
        cutoff=cutoff,
        queries=np.array(keys),
        weights=np.array(weights),
        tags=tags,
        answered=[int(answered) for answered in (document[:, :, 0] >= 0).sum(axis=1)],
        found=tuple(impact(document[0], candidate, discount) for candidate in document[1:]),
    )


def _refuse(queries: int, runs: int, cutoff: int) -> None:
    if queries * runs > MOST_PAGES or queries * runs * cutoff > MOST_DOCUMENTS:
        raise TooManyPagesError(queries, runs, cutoff)


def impact_rows(found: Impacts) -> list[ImpactRow]:
    told = [one.impact() for one in found.found]
    return [
        ImpactRow(run, figures, impact_words(figures, len(found.queries)))
        for run, figures in zip(found.runs[1:], told, strict=True)
    ]


def missing_answers(found: Impacts) -> list[str]:
    """A sentence for each run that leaves queries out."""
    every = len(found.queries)
    return [
        f"{run} answers {answered:,} of {counted(every, 'query', 'queries')}; the others count as empty pages."
        for run, answered in zip(found.runs, found.answered, strict=True)
        if answered < every
    ]


def part_rows(found: Impacts) -> list[tuple[str, list[PartRow]]]:
    """By kind, tag or traffic; a kind without parts is left out."""
    rows: dict[str, list[PartRow]] = {}
    tags = zip(found.queries.tolist(), found.tags, strict=True)
    for kind, name, kept in parts(found.queries, found.weights, tags):
        cells = [(run, one.of(kept).impact()) for run, one in zip(found.runs[1:], found.found, strict=True)]
        words = THIRD_WORDS[name] if kind == "traffic" else ""
        rows.setdefault(kind, []).append(PartRow(name, words, int(kept.sum()), cells))
    return list(rows.items())


def query_impacts(
    found: Impacts,
    place: int,
    places: Sequence[int],
    queries: Mapping[int, Query],
    lists: Mapping[int, int] = NOWHERE,
) -> list[QueryImpact]:
    """Of the run at `place`, the queries at `places`; `lists` is where the rankings of a query are seen."""
    one = found.found[place - 1]
    pair = f"{found.runs[0].pk}-{found.runs[place].pk}"
    return [
        QueryImpact(
            query,
            CHANGES[Change(int(one.change[at]))],
            bool(one.first[at]),
            float(one.overlap[at]),
            float(one.rbo[at]),
            float(one.ceiling[at]),
            ""
            if (seen := lists.get(query.pk)) is None
            else reverse("compared-query", args=[seen, query.pk], query={"runs": pair, "k": found.cutoff}),
        )
        for at in places
        if (query := queries.get(int(found.queries[at])))  # else it was deleted a moment ago
    ]


def named_queries(found: Impacts, places: Sequence[int]) -> dict[int, Query]:
    """The queries at some places, by id. One statement."""
    wanted = found.queries[list(places)].tolist()
    return Query.objects.only("text", "external_id", "tags", "weight").in_bulk(wanted)


def lists_with(user: User, query_set: QuerySet, queries: Sequence[int]) -> dict[int, int]:
    """By query, the first list that has it, of those with grades: elsewhere no page of two rankings is there. One statement."""
    graded = ListQuery.objects.filter(judgment_list=OuterRef("pk"), graded_count__gt=0)
    lists = JudgmentList.objects.visible_to(user).filter(Exists(graded), query_set=query_set)
    found = ListQuery.objects.filter(query__in=queries, judgment_list__in=lists)
    return dict(found.order_by("-judgment_list_id").values_list("query", "judgment_list"))


def impact_intent(named: Named, found: Impacts) -> dict[str, Any]:
    """By changed pages alone."""
    return intent_page(named, found.runs, impact_counts(named, found), ranks=True)


def impact_counts(named: Named, found: Impacts) -> list[IntentCounts]:
    """Of each run but the first."""
    intended = named.of(found.queries)
    return [count_intent(intended, changed=one.change != Change.NONE) for one in found.found]
