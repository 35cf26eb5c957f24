"""Scores queries again whose grades have changed, for NDCGs and further measures alike. Called inside a transaction."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Final, Generic, TypeAlias, TypeVar

from evaluation.base.reports import scale_info
from evaluation.models import Evaluation, MeasureEvaluation
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.sql import scores as scores_sql
from evaluation.scores.sql.hits import Key, refresh_hits
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryGrades, QueryHits, ScoreTables, State
from evaluation.scores.sql.up_to_date import LockedEvaluation
from judgments.models.access import MemberQuerySet
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.scale import ScaleInfo

E = TypeVar("E", LockedEvaluation, MeasureEvaluation)
M = TypeVar("M", Evaluation, MeasureEvaluation)
Row: TypeAlias = Sequence[int | float | None]
MakeRows: TypeAlias = Callable[[Sequence[Sequence[E]], "Batch", JudgedRun], Iterable[Row]]
AT_ONCE: Final = 50_000
"""From so many grades, those of runs that are scored at once counted for each, the next runs are scored by themselves."""


class TooManyScoresError(Exception):
    """More scores would have to be made than the caller has time for. Nothing is changed."""


class Batch:
    """The queries to score again in some evaluations, with their grades ready to be joined to runs.

    `revisions` has the revision of every changed query. Those without a grade get no score.
    """

    def __init__(
        self, revisions: Mapping[int, int], grades: Mapping[int, QueryGrades], scale: ScaleInfo
    ) -> None:
        self.revisions = revisions
        self.index = GradeIndex([grades[query] for query in revisions if query in grades], scale)


def insert_missing(
    rows: MemberQuerySet[M],
    scoring: ScoringRequest,
    names: Sequence[str],
    keys: Iterable[tuple[int | str, ...]],
) -> bool:
    """Adds an evaluation for each of the keys, values of these fields, that `rows` lack. Returns whether any was missing.

    Inserts in the order of the keys, so that two views inserting the same rows can't deadlock.
    """
    present = set(rows.values_list(*names))
    missing = [
        rows.model(
            query_set_id=scoring.judgment_list.query_set_id,
            judgment_list=scoring.judgment_list,
            version=scoring.version,
            **dict(zip(names, key, strict=True)),
        )
        for key in keys
        if key not in present
    ]
    rows.model._default_manager.bulk_create(missing, ignore_conflicts=True)
    return bool(missing)


@dataclass(frozen=True, slots=True)
class NewScores(Generic[E]):
    """What has been scored again, and isn't stored yet: the rows of scores, and the `stale` evaluations that they replace some of."""

    state: State
    stale: Sequence[E] = ()
    rows: Sequence[Row] = ()

    def changes(self, one: E) -> Mapping[int, int]:
        """The queries whose scores the rows replace in a stale evaluation. Those without a row have no score any more."""
        return self.state.changes.get(one.revision, {})


def rescore(
    scoring: ScoringRequest,
    evaluations: Sequence[E],
    tables: ScoreTables,
    make_rows: MakeRows[E],
    most: int | None = None,
) -> NewScores[E]:
    """Scores what has changed in these locked evaluations, all of the live list or all of the version.

    `make_rows` gets, for each of some runs, its evaluations that have the same queries to score again, and those runs joined to
    one. Raises TooManyScoresError where more than `most` scores would be replaced.
    """
    judgment_list, version = scoring.judgment_list, scoring.version
    query_set_id = judgment_list.query_set_id
    state = scores_sql.read_state(
        tables, query_set_id, judgment_list.pk, [one.pk for one in evaluations], version
    )
    found = NewScores(state, [one for one in evaluations if one.revision != state.fingerprint])
    if not found.stale:
        return found
    if most is not None and sum(len(found.changes(one)) for one in found.stale) > most:
        raise TooManyScoresError
    # Evaluations that were made at the same time have the same queries to score again.
    changes = {one.revision: found.changes(one) for one in found.stale}
    grades = scores_sql.read_grades(judgment_list.pk, set().union(*changes.values()), version)
    scale = scale_info((version or judgment_list).scale)
    batches = {made_at: Batch(queries, grades, scale) for made_at, queries in changes.items()}
    return replace(found, rows=_rows(query_set_id, found, batches, make_rows))


def store_by_copy(
    tables: ScoreTables, query_set_id: int, found: NewScores[E], stale: Iterable[E], rows: Iterable[Row]
) -> None:
    """Replaces scores of these stale evaluations."""
    old = [(one.pk, query) for one in stale if one.revision >= 0 for query in found.changes(one)]
    scores_sql.delete_scores(tables, query_set_id, old)
    scores_sql.copy_scores(tables, rows)


def _rows(
    query_set_id: int, found: NewScores[E], batches: Mapping[int, Batch], make_rows: MakeRows[E]
) -> list[Row]:
    together: dict[int, dict[int, list[E]]] = defaultdict(lambda: defaultdict(list))
    for one in found.stale:
        together[one.run_id][one.revision].append(one)
    keys = {
        Key(query, run_id)
        for run_id, by_revision in together.items()
        for made_at in by_revision
        for query in batches[made_at].index.queries
    }
    try:
        hits = scores_sql.read_hits(query_set_id, list(keys), found.state.pairs)
        return _rows_from(hits, together, batches, make_rows)
    except scores_sql.StaleHitsError:
        refresh_hits(query_set_id, keys, found.state.pairs)
        return _rows_from(scores_sql.read_hits(query_set_id, list(keys)), together, batches, make_rows)


def _rows_from(
    hits: Iterable[QueryHits],
    together: Mapping[int, Mapping[int, Sequence[E]]],
    batches: Mapping[int, Batch],
    make_rows: MakeRows[E],
) -> list[Row]:
    rows: list[Row] = []
    waiting: dict[int, list[tuple[Sequence[E], Sequence[QueryHits]]]] = defaultdict(list)

    def score(made_at: int) -> None:
        groups, hits = zip(*waiting.pop(made_at), strict=True)
        rows.extend(make_rows(groups, batches[made_at], batches[made_at].index.join(*hits)))

    for run_id, of_run in _by_run(hits, together):
        for made_at, group in together[run_id].items():
            waiting[made_at].append((group, of_run))
            if len(waiting[made_at]) * batches[made_at].index.judged >= AT_ONCE:
                score(made_at)
    for made_at in list(waiting):
        score(made_at)
    return rows


def _by_run(hits: Iterable[QueryHits], run_ids: Iterable[int]) -> Iterator[tuple[int, Sequence[QueryHits]]]:
    """Each run with its hits, which may be none."""
    without = set(run_ids)
    for run_id, of_run in groupby(hits, attrgetter("run_id")):
        without.remove(run_id)
        yield run_id, list(of_run)
    yield from ((run_id, []) for run_id in sorted(without))
