"""Sends what decides between two runs to the raters."""

import numpy as np
from django.db import transaction

from evaluation.base.errors import EvaluationError
from evaluation.comparisons.reports.deciding import CHANCE, ERRORS, FORMULA, JUDGED
from evaluation.models import Run
from evaluation.pools.actions.pools import add_documents
from evaluation.pools.reports.deciding import DecidingBatch, read_deciding_batch
from judgments.base.sql.locks import lock_list
from judgments.models import SELECTION, JudgmentList
from touchstone_core.formats.judgments.judgments import RANDOM, TARGETED
from touchstone_core.metrics.formula import Formula


class PairsChangedError(EvaluationError):
    """Pairs were added or removed after somebody previewed a batch."""

    sentence = (
        "The pairs of this list have changed since your preview, perhaps by a first click. This one added nothing. "
        "Below is the preview of now."
    )


@transaction.atomic
def add_deciding(
    *,
    judgment_list: JudgmentList,
    runs: tuple[Run, Run],
    formula: Formula,
    judgments: int,
    random: np.random.Generator,
    priority: int = 0,
    pair_count: int | None = None,
) -> int:
    """Adds the documents that decide between two runs, the baseline first, at most so many `judgments`; how many are new pairs.

    Two people at once get two different batches. See `read_deciding_batch`.

    Raises PairsChangedError where the list has another `pair_count` than in a preview, as by the first of two clicks.
    """
    lock_list(judgment_list.pk)
    batch = read_deciding_batch(
        judgment_list=judgment_list, runs=runs, formula=formula, judgments=judgments, random=random
    )
    if pair_count not in (None, batch.pair_count):
        raise PairsChangedError
    return add_batch(judgment_list=judgment_list, batch=batch, priority=priority)


def add_batch(*, judgment_list: JudgmentList, batch: DecidingBatch, priority: int) -> int:
    """Adds the pairs of a batch that was read within this transaction, which holds the list; how many are new.

    The log has a line for those that were chosen for what they decide, with the difference of the runs before, from which the
    rule to stop knows what was found each time. A second one is for those that were drawn at random, with the chance to be drawn.
    """
    found = {FORMULA: batch.formula.key, JUDGED: batch.outlook.judged, ERRORS: batch.outlook.z}
    parts = (
        (batch.targeted, {SELECTION: TARGETED, **found}),
        (batch.random, {SELECTION: RANDOM, CHANCE: batch.chance}),
    )
    runs, depth = batch.runs, batch.formula.cutoff
    return sum(
        add_documents(judgment_list, part, runs=runs, depth=depth, facts=facts, priority=priority)
        for part, facts in parts
    )
