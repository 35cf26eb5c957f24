"""Sends the top results of runs, or of a search for the words of the queries, to the raters."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction

from evaluation.models import Run
from evaluation.pools.reports.candidates import candidates
from evaluation.pools.reports.listed import Fresh
from evaluation.pools.reports.pool import read_pool
from evaluation.pools.sql import pair_keys
from judgments.lists.actions.pairs import add_pairs
from judgments.models import JudgmentList


@transaction.atomic
def add_pool(
    *,
    judgment_list: JudgmentList,
    runs: Collection[Run],
    depth: int,
    graded_only: bool = False,
    differing_only: bool = False,
    priority: int = 0,
) -> int:
    """Adds the documents that one of `runs` (of the list's query set) ranks `depth` or better; how many are new pairs.

    Documents without a row get one that knows the external ID only. The log keeps the runs and the depth, also after a run is
    deleted (see `reports.pool_history`). See `read_pool` for `graded_only` and `differing_only`.
    """
    pool = read_pool(
        judgment_list=judgment_list,
        runs=runs,
        depth=depth,
        graded_only=graded_only,
        differing_only=differing_only,
    )
    facts = {"only where the runs differ": True} if differing_only else {}
    return add_documents(judgment_list, pool.fresh, runs=runs, depth=depth, facts=facts, priority=priority)


def add_documents(
    judgment_list: JudgmentList,
    documents: Fresh,
    *,
    runs: Collection[Run],
    depth: int,
    facts: Mapping[str, Any],
    priority: int,
) -> int:
    """Adds documents that the runs have down to this rank, if there are any; how many are new pairs. The log has these facts beside the runs."""
    if not documents:
        return 0
    keys = pair_keys(judgment_list.query_set_id, documents)
    source = {"runs": [{"id": run.pk, "name": run.name} for run in runs], "depth": depth, **facts}
    return add_pairs(judgment_list=judgment_list, pairs=keys, priority=priority, source=source)


@transaction.atomic
def add_candidates(*, judgment_list: JudgmentList, depth: int, priority: int = 0) -> int:
    """Adds the documents that a text search proposes (see `reports.candidates`); how many are new pairs.

    The log says that these pairs came from a text search, and how many documents each query could get.
    """
    pairs = candidates(judgment_list, depth=depth).pairs
    source = {"from": "text search", "documents per query": depth}
    return add_pairs(judgment_list=judgment_list, pairs=pairs, priority=priority, source=source)
