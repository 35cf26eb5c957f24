"""A stored run as it would be judged under other orders of its documents."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from evaluation.base.reports import scale_info
from evaluation.base.sql import unpack_documents, unpack_scores
from evaluation.models import Ranking, Run
from evaluation.scores.sql.hits import Key
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryHits, read_grades, read_hits
from judgments.models import JudgmentList, Version
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.order import Order, at_precision, order, precision_of
from touchstone_core.metrics.types import Floats, Mask

BY_SCORE: Final[tuple[Order, ...]] = ("score", "double")


class JudgedRuns(NamedTuple):
    """`judged` as the run is ordered, `others` under other orders; `queries` are the IDs of their rows."""

    judged: JudgedRun
    others: Mapping[Order, JudgedRun]
    queries: list[int]


def judged_runs_of(judgment_list: JudgmentList, run: Run, version: Version | None = None) -> JudgedRuns:
    """The arrays of a run whose hits are up to date, and those under other score orders that change a ranking.

    Four queries. A file's ranks aren't stored, so a run ordered by score can't be put in the order of its ranks.
    """
    rows = version.queries if version else judgment_list.list_queries
    grades = read_grades(judgment_list.pk, rows.values_list("query_id", flat=True), version)
    index = GradeIndex(grades.values(), scale_info((version or judgment_list).scale))
    hits = list(read_hits(run.query_set_id, [Key(query, run.pk) for query in index.queries]))
    rankings = Ranking.objects.filter(query_set=run.query_set_id, run=run, scores__isnull=False)
    others: dict[Order, dict[int, QueryHits]] = {name: {} for name in BY_SCORE if name != run.order}
    by_query = {one.query_id: one for one in hits if one.ranks}
    for query, scores, documents in rankings.values_list("query_id", "scores", "documents").iterator():
        numbers = unpack_scores(scores or b"")  # those without scores are left out
        if query in by_query and (run.order == Run.Order.RANK or _matters(numbers).any()):
            names = unpack_documents(documents)
            for name, new_hits in others.items():
                new_hits[query] = _reorder(by_query[query], numbers, names, name)
    reordered = {
        name: index.join([new_hits.get(one.query_id, one) for one in hits])
        for name, new_hits in others.items()
        if any(new_hits[query] != by_query[query] for query in new_hits)
    }
    return JudgedRuns(index.join(hits), reordered, index.queries)


def _matters(scores: Floats) -> Mask:
    """Where neighbors differ in double precision but not in single, so that the precision decides their order."""
    single = at_precision(scores, "single")
    differs: Mask = (single[1:] == single[:-1]) & (scores[1:] != scores[:-1])
    return differs


def _reorder(hits: QueryHits, scores: Floats, documents: list[str], by: Order) -> QueryHits:
    """The hits at the ranks that this order gives them, best first."""
    rank = np.empty(len(documents), dtype=np.int64)
    rank[order(scores, documents, precision_of(by))] = np.arange(1, len(documents) + 1)
    by_rank = sorted(zip(rank[np.array(hits.ranks) - 1].tolist(), hits.documents, strict=True))
    return hits._replace(ranks=[at for at, _ in by_rank], documents=[name for _, name in by_rank])
