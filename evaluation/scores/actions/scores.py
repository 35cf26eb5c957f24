"""Brings stored scores up to date with the grades, and keeps totals in step."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from django.db import transaction

from evaluation.models import Evaluation, Run
from evaluation.scores.actions.pruning import forget_formulas
from evaluation.scores.actions.rescoring import Batch, MakeRows, Row, insert_missing, rescore
from evaluation.scores.sql import totals
from evaluation.scores.sql.scores import SCORES, State
from evaluation.scores.sql.summaries import store_further_averages, store_summaries
from evaluation.scores.sql.up_to_date import count_up_to_date, outdate_uncovered
from judgments.models import JudgmentList, Version
from judgments.models.access import MemberQuerySet
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.coverage import covered_share
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES, Ladder, ladder
from touchstone_core.metrics.types import Floats, Ints, Mask

_NEEDED: Final = ("query_set_id", "run_id", "revision", "further_revision", "judged_queries")
"""Evaluations have ten times as many fields."""


class TotalsKeeper:
    """Adjusts totals where few queries have changed, and sums the others anew.

    To be made before anything is read. Under READ COMMITTED a query may be deleted at any time, with its scores. If it
    went before, the totals aren't trusted. If it goes later, they hold a number of queries that the next visit finds no
    more.
    """

    def __init__(self, query_set_id: int, evaluations: Sequence[Evaluation], cutoff: int) -> None:
        self._query_set_id, self._cutoff = query_set_id, cutoff
        self._evaluations = {one.pk: one for one in evaluations}
        scored = [one.pk for one in evaluations if one.revision >= 0]
        self._trusted = totals.read_trusted(query_set_id, scored) if scored else frozenset()
        self._adjusted: set[int] = set()
        self._keys: list[totals.Key] = []
        self._fingerprint = 0

    def before(self, state: State, changes: Mapping[int, Collection[int]]) -> None:
        self._fingerprint = state.fingerprint
        for key, queries in changes.items():
            one = self._evaluations[key]
            scores = state.scores.get(one.revision, 0)
            if key in self._trusted and scores == one.judged_queries and 2 * len(queries) <= scores:
                self._adjusted.add(key)
                self._keys += [totals.Key(key, one.run_id, query) for query in queries]
        self._adjust(-1)

    def after(self) -> None:
        self._adjust(1)

    def finish(self, stale: Collection[int], fingerprint: int) -> None:
        """Stores the summaries of these evaluations."""
        if not stale:
            return
        if anew := [key for key in stale if key not in self._adjusted]:
            totals.count_anew(self._query_set_id, anew, fingerprint, self._cutoff)
        store_summaries(stale)

    def _adjust(self, sign: int) -> None:
        if self._adjusted:
            found = totals.adjust(self._query_set_id, self._keys, self._fingerprint, self._cutoff, sign=sign)
            if sign > 0 and found < len(self._adjusted):
                totals.mark(self._adjusted, self._fingerprint)


def bring_up_to_date(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    formula: Formula,
    version: Version | None = None,
    every_average: bool = False,
) -> None:
    """Updates the evaluations of these runs, all of the list's query set, to the current grades.

    With a `version` of the list, to its frozen grades. Those never change, so neither do their scores. Medians and
    weighted means only if `every_average` is asked for: they need all scores, the rest only those that changed.

    One statement where nothing has changed, otherwise a number that doesn't grow with runs, queries or documents. Only what
    changed is scored again. The evaluations are locked meanwhile: of two page views, one computes and the other waits.
    Under READ COMMITTED each statement sees a newer database than the one before. Hence the order: first the revisions,
    then hits and grades. A score may use a grade newer than its revision, and is then computed again at the next view. It
    can never use an older one.

    Raises MetricsError for a formula that the list's scale doesn't allow.
    """
    asked: dict[str, Any] = {"judgment_list": judgment_list, "formula": formula, "version": version}
    asked |= {"runs": list(runs), "every_average": every_average}
    if not is_up_to_date(**asked):
        score_outdated(**asked)


def score_outdated(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    formula: Formula,
    version: Version | None = None,
    every_average: bool = False,
    most: int | None = None,
) -> None:
    """`bring_up_to_date` without its first look. Raises TooManyScoresError where more than `most` scores would have to be made."""
    run_ids = sorted({run.pk for run in runs})
    with transaction.atomic():
        rows = _evaluations(judgment_list, version, run_ids, formula)
        keys = [(run_id, formula.key) for run_id in run_ids]
        new = insert_missing(rows, judgment_list, version, ("run_id", "formula"), keys)
        locked = rows.only(*_NEEDED).select_for_update(no_key=True).order_by("pk")
        evaluations = list(locked)
        if outdate_uncovered(judgment_list.query_set_id, [one.pk for one in evaluations]):
            evaluations = list(locked.all())
        keeper = TotalsKeeper(judgment_list.query_set_id, evaluations, formula.cutoff)
        stale, fingerprint = rescore(
            judgment_list, evaluations, SCORES, _maker(formula), version, keeper, most
        )
        keeper.finish(stale, fingerprint)
        if every_average:
            further = [
                one.pk for one in evaluations if one.pk in stale or one.further_revision != fingerprint
            ]
            store_further_averages(judgment_list.query_set_id, further, version)
    if new:
        forget_formulas(judgment_list=judgment_list)


def is_up_to_date(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    formula: Formula,
    version: Version | None = None,
    every_average: bool = False,
) -> bool:
    """Whether `bring_up_to_date` would have nothing to do. One statement."""
    run_ids = {run.pk for run in runs}
    of = judgment_list.pk, version, formula.key, run_ids
    return count_up_to_date(*of, every_average=every_average) == len(run_ids)


def is_scored(
    *, judgment_list: JudgmentList, runs: Iterable[Run], formula: Formula, version: Version | None = None
) -> bool:
    """Whether each run has scores, current or not. One statement."""
    run_ids = {run.pk for run in runs}
    return _evaluations(judgment_list, version, run_ids, formula).count() == len(run_ids)


def _evaluations(
    judgment_list: JudgmentList, version: Version | None, run_ids: Collection[int], formula: Formula
) -> MemberQuerySet[Evaluation]:
    return Evaluation.objects.filter(
        judgment_list=judgment_list, version=version, formula=formula.key, run__in=run_ids
    )


def _maker(formula: Formula) -> MakeRows[Evaluation]:
    def make_rows(by_run: Sequence[Sequence[Evaluation]], batch: Batch, runs: JudgedRun) -> Iterator[Row]:
        values = zip(*_columns(runs, ladder(runs, formula)), strict=True)
        queries = batch.index.queries
        for (one,) in by_run:  # there is one of each run and formula
            for query, row in zip(queries, values, strict=False):  # the next run goes on with the rest
                yield one.query_set_id, one.pk, query, batch.revisions[query], *row

    return make_rows


def _columns(run: JudgedRun, steps: Ladder) -> Iterator[list[int | float | None]]:
    """The values of each query, in the order of SCORES."""
    yield nullable(run.retrieved, run.answered)
    for column in (steps.shown, steps.judged, *map(steps.ideal, IDEALS)):
        yield column.tolist()
    yield nullable(steps.dcg, steps.counted)
    for ideal in IDEALS:
        values = steps.ndcg(ideal)
        yield nullable(values, ~np.isnan(values))
    for value in (*map(steps.loss, LOSSES), steps.judged_at_k):
        yield nullable(value, steps.counted)
    yield covered_share(run, steps.formula.discounts(), steps.formula.cutoff).tolist()


def nullable(values: Floats | Ints, present: Mask) -> list[int | float | None]:
    """The values, with None where they aren't `present`."""
    return [value if there else None for value, there in zip(values.tolist(), present.tolist(), strict=True)]
