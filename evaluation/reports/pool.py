"""What pooling the top results of runs would add to a judgment list."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from operator import itemgetter

from django.db import transaction
from django.db.models import Aggregate, FloatField

from evaluation.ingest.blocks import Block, unpack_documents
from evaluation.ingest.pools import count_without_text
from evaluation.models import Ranking, Run
from evaluation.pooling import holes, pool
from judgments.models import JudgmentList, Pair

DEFAULT_SECONDS = 25.0
"""A median over experts (see judging.md), for lists without a measured judgment."""

Fresh = list[tuple[int, str]]
"""Query keys and external document ids of pairs that a list lacks."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool of some runs: how many pairs it holds, in how many queries, and those that the list lacks."""

    pairs: int
    queries: int
    fresh: Fresh


@dataclass(frozen=True, slots=True)
class PoolPreview:
    """What adding a pool would do. `seconds` is for one judgment: measured in this list, or a default."""

    pairs: int
    queries: int
    new: int
    new_queries: int
    without_text: int
    overlap: int
    seconds: float
    measured: bool

    @property
    def known(self) -> int:
        return self.pairs - self.new

    @property
    def judgments(self) -> int:
        return self.new * self.overlap

    @property
    def hours(self) -> float:
        return self.judgments * self.seconds / 3600

    @property
    def minutes(self) -> int:
        """Rounded up: nothing takes no time."""
        return ceil(self.hours * 60)


class Median(Aggregate):
    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def preview_pool(
    *, judgment_list: JudgmentList, runs: Collection[Run], depth: int, graded_only: bool = False
) -> PoolPreview:
    """Four queries, whatever the number of runs, queries and documents."""
    found = read_pool(judgment_list=judgment_list, runs=runs, depth=depth, graded_only=graded_only)
    names = list({document for _, document in found.fresh})
    seconds = _median_seconds(judgment_list)
    return PoolPreview(
        pairs=found.pairs,
        queries=found.queries,
        new=len(found.fresh),
        new_queries=len({query for query, _ in found.fresh}),
        without_text=count_without_text(judgment_list.query_set_id, names),
        overlap=judgment_list.overlap,
        seconds=DEFAULT_SECONDS if seconds is None else seconds,
        measured=seconds is not None,
    )


@transaction.atomic  # outside of one the server would set aside a copy of all rankings first
def read_pool(
    *, judgment_list: JudgmentList, runs: Collection[Run], depth: int, graded_only: bool = False
) -> Pool:
    """The documents that one of `runs` ranks `depth` or better, in two queries; one query's rankings at a time.

    With `graded_only` the queries that have no grade in the list are left out: with one run and its cutoff, what is
    fresh are then the holes that the run's page counts, except those that wait for their raters already.
    """
    known = _known(judgment_list)
    pairs = queries = 0
    fresh: Fresh = []
    for query, rankings in _rankings(judgment_list, runs, graded_only):
        pooled = pool([unpack_documents(block, first=depth) for block in rankings], depth)
        pairs += len(pooled)
        queries += bool(pooled)
        fresh.extend((query, document) for document in holes(pooled, known[query]))
    return Pool(pairs, queries, fresh)


def _known(judgment_list: JudgmentList) -> defaultdict[int, set[str]]:
    """Of each query, the documents that have a pair in the list."""
    known: defaultdict[int, set[str]] = defaultdict(set)
    pairs = Pair.objects.filter(judgment_list=judgment_list).order_by()
    for query, document in pairs.values_list("query_id", "document__external_id").iterator():
        known[query].add(document)
    return known


def _rankings(
    judgment_list: JudgmentList, runs: Collection[Run], graded_only: bool
) -> Iterator[tuple[int, list[Block]]]:
    """Of each query, the packed documents of the runs that answer it, the oldest run first."""
    found = Ranking.objects.filter(query_set=judgment_list.query_set_id, run__in=[run.pk for run in runs])
    if graded_only:
        graded = judgment_list.list_queries.filter(graded_count__gt=0)
        found = found.filter(query__in=graded.values("query"))
    rows = found.order_by("query_id", "run_id").values_list("query_id", "documents").iterator()
    for query, group in groupby(rows, itemgetter(0)):
        yield query, [block for _, block in group]


def _median_seconds(judgment_list: JudgmentList) -> float | None:
    """The median active time of a judgment of this list; None before the first that was measured."""
    measured = judgment_list.judgments.filter(active_ms__gt=0)
    median: float | None = measured.aggregate(median=Median("active_ms"))["median"]
    return None if median is None else median / 1000
