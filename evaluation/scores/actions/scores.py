"""Brings stored scores up to date with the grades: scores what has changed, keeps totals in step, and forgets formulas that nobody looks at."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import numpy as np
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from evaluation.base.reports import scale_info
from evaluation.models import Evaluation, MeasureEvaluation, Run, SavedFormula
from evaluation.scores.sql import scores as scores_sql
from evaluation.scores.sql import totals
from evaluation.scores.sql.hits import Key, refresh_hits
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import SCORES, QueryGrades, QueryHits, ScoreTables, State, count_up_to_date
from evaluation.scores.sql.summaries import store_further_averages, store_summaries, stored_digits
from judgments.models import JudgmentList, Version
from judgments.models.access import MemberQuerySet
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES, Ladder, ladder
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.selection import read_measures
from touchstone_core.metrics.types import Floats, Ints, Mask

MOST_KEPT: Final = 50
_NEEDED: Final = ("query_set_id", "run_id", "revision", "further_revision", "judged_queries")
"""Evaluations have ten times as many fields."""


def forget_formulas(*, judgment_list: JudgmentList, keep: int = MOST_KEPT) -> int:
    """Keeps the query set's saved formulas and the `keep` others computed last. Returns the number of rows deleted.

    Rows that another page is scoring right now are locked, and skipped. One query where there's nothing to delete.
    """
    evaluations = Evaluation.objects.filter(judgment_list=judgment_list)
    names = SavedFormula.objects.filter(query_set=judgment_list.query_set_id).values("formula")
    by_use = evaluations.exclude(formula__in=names).values("formula").annotate(last=Max("computed_at"))
    # Without a time it's being computed for the first time.
    by_use = by_use.order_by(F("last").desc(nulls_first=True), "formula")
    surplus = list(by_use.values_list("formula", flat=True)[keep:])
    return _delete(evaluations.filter(formula__in=surplus)) if surplus else 0


def forget_measures(*, judgment_list: JudgmentList, keep: int = MOST_KEPT) -> int:
    """The same for further measures, each with its rounding. Those beside saved formulas stay."""
    evaluations = MeasureEvaluation.objects.filter(judgment_list=judgment_list)
    by_use = evaluations.values("measure", "digits").annotate(last=Max("computed_at"))
    by_use = by_use.order_by(F("last").desc(nulls_first=True), "measure", "digits")
    pairs = list(by_use.values_list("measure", "digits"))
    if len(pairs) <= keep:
        return 0
    beside_formulas = _saved_measures(judgment_list)
    surplus = [pair for pair in pairs if pair not in beside_formulas][keep:]
    return _delete(evaluations.filter(any_of(surplus))) if surplus else 0


@transaction.atomic
def _delete(evaluations: QuerySet[Any]) -> int:
    keys = list(evaluations.select_for_update(skip_locked=True).values_list("pk", flat=True))
    evaluations.model.objects.filter(pk__in=keys).delete()
    return len(keys)


def _saved_measures(judgment_list: JudgmentList) -> set[tuple[str, int]]:
    texts = SavedFormula.objects.filter(query_set=judgment_list.query_set_id).exclude(measures="")
    return {
        (str(measure), stored_digits(digits))
        for text in texts.values_list("measures", flat=True)
        for measure, digits in read_measures(text)
    }


def any_of(pairs: Iterable[tuple[str, int]]) -> Q:
    """The rows of these measures, each with its decimals."""
    condition = Q()
    for measure, digits in pairs:
        condition |= Q(measure=measure, digits=digits)
    return condition


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


E = TypeVar("E", Evaluation, MeasureEvaluation)
Row: TypeAlias = Sequence[int | float | None]
MakeRows: TypeAlias = Callable[[Sequence[Sequence[E]], "Batch", JudgedRun], Iterable[Row]]
AT_ONCE: Final = 50_000
"""From so many grades, those of runs that are scored at once counted for each, the next runs are scored by themselves."""


class Keeper(Protocol):
    """Adjusts something to scores that are replaced."""

    def before(self, state: State, changes: Mapping[int, Collection[int]]) -> None:
        """Called with the queries that change, by evaluation, while the old scores are still there."""

    def after(self) -> None:
        """Called when the new scores are there."""


class Batch:
    """The queries to score again in some evaluations, with their grades ready to be joined to runs.

    `revisions` has the revision of every changed query. Those without a grade get no score.
    """

    def __init__(
        self, revisions: dict[int, int], grades: Mapping[int, QueryGrades], scale: ScaleInfo
    ) -> None:
        self.revisions = revisions
        self.index = GradeIndex([grades[query] for query in revisions if query in grades], scale)


def insert_missing(
    rows: MemberQuerySet[E],
    judgment_list: JudgmentList,
    version: Version | None,
    names: Sequence[str],
    keys: Iterable[tuple[int | str, ...]],
) -> bool:
    """Adds an evaluation for each of the keys, values of these fields, that `rows` lack. Returns whether any was missing.

    Inserts in the order of the keys, so that two views inserting the same rows can't deadlock.
    """
    present = set(rows.values_list(*names))
    missing = [
        rows.model(
            query_set_id=judgment_list.query_set_id,
            judgment_list=judgment_list,
            version=version,
            **dict(zip(names, key, strict=True)),
        )
        for key in keys
        if key not in present
    ]
    rows.model._default_manager.bulk_create(missing, ignore_conflicts=True)
    return bool(missing)


def rescore(
    judgment_list: JudgmentList,
    evaluations: Sequence[E],
    tables: ScoreTables,
    make_rows: MakeRows[E],
    version: Version | None = None,
    keeper: Keeper | None = None,
) -> tuple[list[int], int]:
    """Scores what has changed in these locked evaluations, all of the live list or all of this version.

    Returns the evaluations with new scores, and the fingerprint that their scores now have. The caller updates summaries.
    `make_rows` gets, for each of some runs, its evaluations that have the same queries to score again, and those runs joined to
    one. `keeper` learns which scores will be replaced, and when they have been.
    """
    query_set_id = judgment_list.query_set_id
    state = scores_sql.read_state(
        tables, query_set_id, judgment_list.pk, [one.pk for one in evaluations], version
    )
    stale = [one for one in evaluations if one.revision != state.fingerprint]
    if not stale:
        return [], state.fingerprint
    # Evaluations that were made at the same time have the same queries to score again.
    changes = {made_at: state.changes.get(made_at, {}) for made_at in {one.revision for one in stale}}
    grades = scores_sql.read_grades(judgment_list.pk, set().union(*changes.values()), version)
    scale = scale_info((version or judgment_list).scale)
    batches = {made_at: Batch(queries, grades, scale) for made_at, queries in changes.items()}
    rows = _rows(query_set_id, stale, batches, make_rows)
    if keeper:
        keeper.before(state, {one.pk: changes[one.revision] for one in stale})
    scores_sql.delete_scores(
        tables,
        query_set_id,
        [(one.pk, query) for one in stale if one.revision >= 0 for query in changes[one.revision]],
    )
    scores_sql.copy_scores(tables, rows)
    if keeper:
        keeper.after()
    return [one.pk for one in stale], state.fingerprint


def _rows(
    query_set_id: int,
    stale: Sequence[E],
    batches: Mapping[int, Batch],
    make_rows: MakeRows[E],
) -> list[Row]:
    together: dict[int, dict[int, list[E]]] = defaultdict(lambda: defaultdict(list))
    for one in stale:
        together[one.run_id][one.revision].append(one)
    keys = {
        Key(query, run_id)
        for run_id, by_revision in together.items()
        for made_at in by_revision
        for query in batches[made_at].index.queries
    }
    refresh_hits(query_set_id, list(keys))
    rows: list[Row] = []
    waiting: dict[int, list[tuple[Sequence[E], Sequence[QueryHits]]]] = defaultdict(list)

    def score(made_at: int) -> None:
        groups, hits = zip(*waiting.pop(made_at), strict=True)
        rows.extend(make_rows(groups, batches[made_at], batches[made_at].index.join(*hits)))

    for run_id, hits in _by_run(query_set_id, list(keys), together):
        for made_at, group in together[run_id].items():
            waiting[made_at].append((group, hits))
            if len(waiting[made_at]) * batches[made_at].index.judged >= AT_ONCE:
                score(made_at)
    for made_at in list(waiting):
        score(made_at)
    return rows


def _by_run(
    query_set_id: int, keys: Sequence[Key], run_ids: Iterable[int]
) -> Iterator[tuple[int, Sequence[QueryHits]]]:
    """Each run with its hits, which may be none."""
    without = set(run_ids)
    for run_id, hits in groupby(scores_sql.read_hits(query_set_id, keys), attrgetter("run_id")):
        without.remove(run_id)
        yield run_id, list(hits)
    yield from ((run_id, []) for run_id in sorted(without))


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
    run_ids = sorted({run.pk for run in runs})
    if not _are_outdated(judgment_list, version, run_ids, formula, every_average):
        return
    with transaction.atomic():
        rows = _evaluations(judgment_list, version, run_ids, formula)
        keys = [(run_id, formula.key) for run_id in run_ids]
        new = insert_missing(rows, judgment_list, version, ("run_id", "formula"), keys)
        evaluations = list(rows.only(*_NEEDED).select_for_update(no_key=True).order_by("pk"))
        keeper = TotalsKeeper(judgment_list.query_set_id, evaluations, formula.cutoff)
        stale, fingerprint = rescore(judgment_list, evaluations, SCORES, _maker(formula), version, keeper)
        keeper.finish(stale, fingerprint)
        if every_average:
            further = [
                one.pk for one in evaluations if one.pk in stale or one.further_revision != fingerprint
            ]
            store_further_averages(judgment_list.query_set_id, further, version)
    if new:
        forget_formulas(judgment_list=judgment_list)


def is_up_to_date(
    *, judgment_list: JudgmentList, runs: Iterable[Run], formula: Formula, version: Version | None = None
) -> bool:
    """Whether `bring_up_to_date` would have nothing to do. One statement."""
    return not _are_outdated(judgment_list, version, sorted({run.pk for run in runs}), formula)


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


def _are_outdated(
    judgment_list: JudgmentList,
    version: Version | None,
    run_ids: Collection[int],
    formula: Formula,
    every_average: bool = False,
) -> bool:
    current = count_up_to_date(judgment_list.pk, version, formula.key, run_ids, every_average=every_average)
    return current < len(run_ids)


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


def nullable(values: Floats | Ints, present: Mask) -> list[int | float | None]:
    """The values, with None where they aren't `present`."""
    return [value if there else None for value, there in zip(values.tolist(), present.tolist(), strict=True)]
