"""What a search for the words of the queries proposes where a judgment list has no pairs."""

from collections import defaultdict
from dataclasses import dataclass
from math import log

from django.utils import timezone

from evaluation.pools.sql import documents_of_words
from judgments.base.moments import range_of_time
from judgments.models import JudgmentList, Query
from judgments.overview.reports.forecast import forecast

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
