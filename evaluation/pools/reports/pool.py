"""What pooling the top results of runs would add to a judgment list."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone

from evaluation.base.sql import Block, unpack_documents
from evaluation.models import Ranking, Run
from evaluation.pools.reports.deciding import DecidingBatch, read_deciding_batch
from evaluation.pools.reports.listed import Fresh, listed_documents
from evaluation.pools.reports.sampling import SampleBatch, read_sample_batch
from evaluation.pools.sql import count_without_text
from judgments.base.moments import range_of_time
from judgments.models import JudgmentList
from judgments.overview.reports.forecast import forecast
from touchstone_core.pooling import differing_documents, holes, pool


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool of some runs: how many pairs it holds, in how many queries, and those that the list lacks.

    Of these, `differing_pairs` don't have the same rank in all of the runs.
    """

    pairs: int
    queries: int
    fresh: Fresh
    differing_pairs: int


@dataclass(frozen=True, slots=True)
class PoolPreview:
    """What adding a pool would do. `seconds` is what one judgment takes, low and high: measured here, or assumed.

    Of the new pairs, `differing_pairs` don't have the same rank in all of the runs: only these can change which run is better.
    `deciding` is the batch that decides between two runs, and `sample` the one that is drawn of one run, if that is what is asked for; these new pairs are all of it. Where answers that differ call for further raters, `most` is how many judge a pair at most.
    """

    pairs: int
    queries: int
    new: int
    new_queries: int
    differing_pairs: int
    without_text: int
    overlap: int
    most: int | None
    seconds: tuple[float, float]
    measured: bool
    deciding: DecidingBatch | None = None
    sample: SampleBatch | None = None

    @property
    def batch(self) -> DecidingBatch | SampleBatch | None:
        """Where no pool is asked for."""
        return self.deciding or self.sample

    @property
    def known_pairs(self) -> int:
        return self.pairs - self.new

    @property
    def judgments(self) -> int:
        return self.new * self.overlap

    @property
    def hours(self) -> tuple[float, float]:
        low, high = (self.judgments * seconds / 3600 for seconds in self.seconds)
        return low, high

    @property
    def time(self) -> str:
        return range_of_time(*self.hours)


def preview_pool(*, judgment_list: JudgmentList, **asked: Any) -> PoolPreview:
    """Of `read_pool` with the same arguments. Five queries, whatever the number of runs, queries and documents."""
    return _preview(judgment_list, read_pool(judgment_list=judgment_list, **asked))


def preview_deciding(*, judgment_list: JudgmentList, **asked: Any) -> PoolPreview:
    """Of `read_deciding_batch` with the same arguments. What is drawn at random is another one when it is added."""
    batch = read_deciding_batch(judgment_list=judgment_list, random=np.random.default_rng(), **asked)
    pool = Pool(batch.outlook.pool, batch.queries, batch.fresh, len(batch.targeted))
    return replace(_preview(judgment_list, pool), deciding=batch)


def preview_sample(*, judgment_list: JudgmentList, **asked: Any) -> PoolPreview:
    """Of `read_sample_batch` with the same arguments."""
    batch = read_sample_batch(judgment_list=judgment_list, **asked)
    pool = Pool(batch.documents, batch.queries, batch.fresh, 0)
    return replace(_preview(judgment_list, pool), sample=batch)


def _preview(judgment_list: JudgmentList, pool: Pool) -> PoolPreview:
    names = list({document for _, document in pool.fresh})
    judgments = len(pool.fresh) * judgment_list.overlap
    time = forecast(judgment_list, at=timezone.now(), missing=judgments)
    low, _, high = time.seconds
    return PoolPreview(
        pairs=pool.pairs,
        queries=pool.queries,
        new=len(pool.fresh),
        new_queries=len({query for query, _ in pool.fresh}),
        differing_pairs=pool.differing_pairs,
        without_text=count_without_text(judgment_list.query_set_id, names),
        overlap=judgment_list.overlap,
        most=judgment_list.overlap_most if judgment_list.adaptive_step is not None else None,
        seconds=(low, high),
        measured=time.own_times,
    )


@transaction.atomic  # outside of one the server would set aside a copy of all rankings first
def read_pool(
    *,
    judgment_list: JudgmentList,
    runs: Collection[Run],
    depth: int,
    graded_only: bool = False,
    differing_only: bool = False,
) -> Pool:
    """The documents that one of `runs` ranks `depth` or better, in two queries; one query's rankings at a time.

    With `graded_only` the queries that have no grade in the list are left out: with one run and its cutoff, what is
    fresh are then the holes that the run's page counts, except those that wait for their raters already. With `differing_only`,
    documents that all runs have at the same rank are left out.
    """
    documents_of = listed_documents(judgment_list)
    pairs = queries = differ = 0
    fresh: Fresh = []
    for query, blocks in _rankings(judgment_list, runs, graded_only):
        rankings = [unpack_documents(block, first=depth) for block in blocks]
        apart = differing_documents([*rankings, *([[]] if len(blocks) < len(runs) else [])], depth)
        documents = apart if differing_only else pool(rankings, depth)
        pairs += len(documents)
        queries += bool(documents)
        fresh.extend((query, name) for name in holes(documents, documents_of[query]))
        differ += len(holes(apart, documents_of[query]))
    return Pool(pairs, queries, fresh, differ)


def _rankings(
    judgment_list: JudgmentList, runs: Collection[Run], graded_only: bool
) -> Iterator[tuple[int, list[Block]]]:
    """Of each query, the packed documents of the runs that answer it, the oldest run first."""
    rankings = Ranking.objects.filter(query_set=judgment_list.query_set_id, run__in=[run.pk for run in runs])
    if graded_only:
        with_grades = judgment_list.list_queries.filter(graded_count__gt=0)
        rankings = rankings.filter(query__in=with_grades.values("query"))
    rows = rankings.order_by("query_id", "run_id").values_list("query_id", "documents").iterator()
    for query, group in groupby(rows, itemgetter(0)):
        yield query, [block for _, block in group]
