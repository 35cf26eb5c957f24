"""What pooling the top results of runs would add to a judgment list."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from math import log
from operator import itemgetter
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone

from evaluation.base.sql import Block, unpack_documents
from evaluation.comparisons.reports.deciding import earlier_checks, read_all_pages
from evaluation.models import Comparing, Ranking, Run
from evaluation.pools.sql import count_without_text, documents_of_words
from judgments.base.moments import range_of_time
from judgments.models import JudgmentList, Pair, Query, Slot, SlotState
from judgments.overview.reports.forecast import forecast
from touchstone_core.deciding.batch import next_batch
from touchstone_core.deciding.difference import difference
from touchstone_core.deciding.outlook import Outlook
from touchstone_core.metrics.formula import Formula
from touchstone_core.pooling import differing_documents, holes, pool
from touchstone_core.significance.differences import TOLERANCE

Fresh = list[tuple[int, str]]
"""Query keys and external document IDs of pairs that a list lacks."""


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
class DecidingBatch:
    """What to judge next to decide between two runs, the baseline first: pairs that the list lacks, empty once it is `decided`.

    The list has `pair_count` pairs. `waiting` pairs that can decide wait for their raters, and `unknown` ones have no grade though raters are done with them; each other unjudged document has the `chance` to be drawn at random.
    """

    runs: tuple[Run, Run]
    formula: Formula
    outlook: Outlook
    queries: int
    decided: bool
    pair_count: int
    waiting: int
    unknown: int
    targeted: Fresh
    random: Fresh
    chance: float

    @property
    def fresh(self) -> Fresh:
        return [*self.targeted, *self.random]

    @property
    def measure(self) -> str:
        return f"NDCG-max@{self.formula.cutoff}"

    @property
    def ahead(self) -> Run:
        return self.runs[self.outlook.expected > 0]

    @property
    def behind(self) -> Run:
        return self.runs[self.outlook.expected <= 0]

    @property
    def chance_of_ahead(self) -> str:
        """Two digits, and never certain where a grade can turn it."""
        chance = max(self.outlook.chance, 1 - self.outlook.chance)
        return "more than 0.99" if chance >= 0.995 else f"{chance:.2f}"

    @property
    def is_even(self) -> bool:
        """Whether the runs are the same by NDCG-max whatever grades are missing."""
        return self.outlook.z is None and abs(self.outlook.expected) < TOLERANCE


@dataclass(frozen=True, slots=True)
class PoolPreview:
    """What adding a pool would do. `seconds` is what one judgment takes, low and high: measured here, or assumed.

    Of the new pairs, `differing_pairs` don't have the same rank in all of the runs: only these can change which run is better.
    `deciding` is the batch that decides between two runs, if that is what is asked for; these new pairs are all of it. Where answers that differ call for further raters, `most` is how many judge a pair at most.
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

    @property
    def known_pairs(self) -> int:
        return self.pairs - self.new

    @property
    def judgments(self) -> int:
        return self.new * self.overlap

    @property
    def judgments_left(self) -> int:
        """About how many decide, of all raters together."""
        return self.deciding.outlook.about_left(self.overlap) if self.deciding else 0

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
    documents_of = _listed_documents(judgment_list)
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


def _listed_documents(judgment_list: JudgmentList) -> defaultdict[int, set[str]]:
    """Of each query, the documents that have a pair in the list."""
    documents: defaultdict[int, set[str]] = defaultdict(set)
    pairs = Pair.objects.filter(judgment_list=judgment_list).order_by()
    for query, document in pairs.values_list("query_id", "document__external_id").iterator():
        documents[query].add(document)
    return documents


def _documents_with_open_slots(judgment_list: JudgmentList) -> set[tuple[int, str]]:
    """Query keys and external IDs of the pairs that wait for a rater."""
    slots = Slot.objects.filter(judgment_list=judgment_list, state=SlotState.OPEN, surplus=False)
    return set(slots.values_list("pair__query_id", "pair__document__external_id").order_by().distinct())


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


def read_deciding_batch(
    *,
    judgment_list: JudgmentList,
    runs: tuple[Run, Run],
    formula: Formula,
    judgments: int,
    random: np.random.Generator,
) -> DecidingBatch:
    """So many `judgments` at most, and at least a pair. Eight statements, whatever the number of queries and documents."""
    tags = Comparing.objects.filter(query_set=judgment_list.query_set_id).values_list("held_out", flat=True)
    pages = read_all_pages(judgment_list, runs, formula, held_out=tags.first() or "")
    documents = pages.beside(1)
    found = difference(documents)
    outlook = Outlook.of(documents, found=found)
    keys = pages.keys_of(documents)
    listed, slots = _listed_documents(judgment_list), _documents_with_open_slots(judgment_list)
    in_list = documents.unjudged & np.array([name in listed[query] for query, name in keys], dtype=np.bool_)
    waiting = in_list & np.array([key in slots for key in keys], dtype=np.bool_)
    decided = outlook.is_decided(earlier_checks(judgment_list, runs, formula))
    size = 0 if decided else max(1, judgments // judgment_list.overlap)
    batch = next_batch(documents, found.value, size, random, in_list)
    return DecidingBatch(
        runs=runs,
        formula=formula,
        outlook=outlook,
        queries=len(pages.queries),
        decided=decided,
        pair_count=sum(map(len, listed.values())),
        waiting=int((waiting & documents.open).sum()),
        unknown=int((in_list & ~waiting & documents.open).sum()),
        targeted=[keys[at] for at in batch.targeted],
        random=[keys[at] for at in batch.random],
        chance=len(batch.random) / max(1, int((documents.unjudged & ~in_list).sum())),
    )


MOST_QUERIES = 500
"""How many queries get candidates at once."""
COMMON = 1_000
"""A word of more documents than this says too little about any of them, and is left out."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents that share words with queries that have no pairs: (query key, document key), the best of each query first.

    `left` queries without pairs come after the first MOST_QUERIES, and `empty` ones share no word with any document.
    """

    pairs: list[tuple[int, int]]
    queries: int
    empty: int
    left: int
    hours: tuple[float, float]

    @property
    def time(self) -> str:
        return range_of_time(*self.hours)


def candidates(judgment_list: JudgmentList, *, depth: int) -> Candidates:
    """At most `depth` documents for each query without pairs. Four statements.

    Documents are ordered by the words that they share with the query, of which a rare one counts more: the logarithm of how
    many times rarer it is than a word of COMMON documents. Equal ones come in order of import.
    """
    query_set = judgment_list.query_set_id
    without_pairs = Query.objects.filter(query_set=query_set).exclude(
        pk__in=judgment_list.list_queries.filter(pair_count__gt=0).values("query")
    )
    total = without_pairs.count()
    scores: defaultdict[int, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
    words = documents_of_words(query_set, judgment_list.pk, queries=MOST_QUERIES, most=COMMON + 1)
    for _, queries, documents in words:
        if len(documents) > COMMON:
            continue
        weight = log(2 * COMMON / max(1, len(documents)))
        for query in queries:
            for document in documents:
                scores[query][document] += weight
    pairs = [
        (query, document)
        for query in sorted(scores)
        for document in sorted(scores[query], key=lambda one: (-scores[query][one], one))[:depth]
    ]
    matching = sum(map(bool, scores.values()))
    searched = min(total, MOST_QUERIES)
    judgments = len(pairs) * judgment_list.overlap
    low, _, high = forecast(judgment_list, at=timezone.now(), missing=judgments).hours
    return Candidates(pairs, matching, searched - matching, total - searched, (low, high))
