"""Sends documents of a run that are drawn at random to the raters."""

from django.db import transaction

from evaluation.comparisons.reports.deciding import FORMULA
from evaluation.models import Run
from evaluation.pools.actions.deciding import PairsChangedError
from evaluation.pools.actions.pools import add_documents
from evaluation.pools.reports.sampling import DRAWS, read_sample_batch
from judgments.base.sql.locks import lock_list
from judgments.models import SELECTION, JudgmentList
from touchstone_core.formats.judgments.judgments import RANDOM
from touchstone_core.metrics.formula import Formula


@transaction.atomic
def add_sample(
    *,
    judgment_list: JudgmentList,
    run: Run,
    formula: Formula,
    judgments: int,
    priority: int = 0,
    pair_count: int | None = None,
) -> int:
    """Adds the documents of the run that are drawn next, at most so many `judgments`; how many are new pairs.

    The log keeps the run, the formula, and how many are drawn by now, from which the estimate knows what was drawn. Two people at
    once get two batches. Raises PairsChangedError where the list has another `pair_count` than in a preview, as by the first
    of two clicks.
    """
    lock_list(judgment_list.pk)
    batch = read_sample_batch(judgment_list=judgment_list, run=run, formula=formula, judgments=judgments)
    if pair_count not in (None, batch.pair_count):
        raise PairsChangedError
    facts = {SELECTION: RANDOM, FORMULA: formula.key, DRAWS: batch.draws_after}
    return add_documents(
        judgment_list, batch.fresh, runs=[run], depth=formula.cutoff, facts=facts, priority=priority
    )
