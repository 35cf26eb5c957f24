"""Scores queries again whose grades have changed, for NDCGs and further measures alike. Called inside a transaction."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, Protocol, TypeAlias, TypeVar

from evaluation.base.reports import scale_info
from evaluation.models import Evaluation, MeasureEvaluation
from evaluation.scores.sql import scores as scores_sql
from evaluation.scores.sql.hits import Key, refresh_hits
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryGrades, QueryHits, ScoreTables, State
from judgments.models import JudgmentList, Version
from judgments.models.access import MemberQuerySet
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.scale import ScaleInfo

E = TypeVar("E", Evaluation, MeasureEvaluation)
Row: TypeAlias = Sequence[int | float | None]
MakeRows: TypeAlias = Callable[[Sequence[Sequence[E]], "Batch", JudgedRun], Iterable[Row]]
AT_ONCE: Final = 50_000
"""From so many grades, those of runs that are scored at once counted for each, the next runs are scored by themselves."""


class TooManyScoresError(Exception):
    """More scores would have to be made than the caller has time for. Nothing is changed."""


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
    most: int | None = None,
) -> tuple[list[int], int]:
    """Scores what has changed in these locked evaluations, all of the live list or all of this version.

    Returns the evaluations with new scores, and the fingerprint that their scores now have. The caller updates summaries.
    `make_rows` gets, for each of some runs, its evaluations that have the same queries to score again, and those runs joined to
    one. `keeper` learns which scores will be replaced, and when they have been. Raises TooManyScoresError where that would be more
    than `most` scores.
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
    if most is not None and sum(len(changes[one.revision]) for one in stale) > most:
        raise TooManyScoresError
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
    query_set_id: int, stale: Sequence[E], batches: Mapping[int, Batch], make_rows: MakeRows[E]
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
