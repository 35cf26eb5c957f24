"""What bringing scores up to date has in common, whatever the scores are of. Called inside a transaction."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, TypeAlias, TypeVar

from evaluation.base.reports.scales import scale_info
from evaluation.models import Evaluation, MeasureEvaluation
from evaluation.scores.sql import scores as stored
from evaluation.scores.sql.hits import Key, refresh_hits
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryGrades, QueryHits, Stored
from judgments.models import JudgmentList, Version
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.scale import ScaleInfo

E = TypeVar("E", Evaluation, MeasureEvaluation)
Row: TypeAlias = Sequence[int | float | None]
MakeRows: TypeAlias = Callable[[Sequence[E], "Batch", JudgedRun], Iterable[Row]]


class Rescored(NamedTuple):
    """The evaluations whose scores have changed, and what the scores now stand for."""

    evaluations: list[int]
    fingerprint: int


class Batch:
    """The queries to score again in some evaluations, with their grades ready to be joined to one run after another.

    `changed` has the revision of every changed query; those without a grade get no score.
    """

    def __init__(self, changed: dict[int, int], grades: Mapping[int, QueryGrades], scale: ScaleInfo) -> None:
        self.changed = changed
        judged = [grades[query] for query in changed if query in grades]
        self.index = GradeIndex(judged, scale)


def rescore(
    judgment_list: JudgmentList,
    evaluations: Sequence[E],
    tables: Stored,
    make_rows: MakeRows[E],
    version: Version | None = None,
) -> Rescored:
    """Scores again what has changed in these evaluations, which are locked. Summaries are left to the caller.

    All are of the live list, or all of this version.

    `make_rows` gets the evaluations of one run that have the same queries to do again, and that run.
    """
    query_set_id = judgment_list.query_set_id
    state = stored.read_state(
        tables, query_set_id, judgment_list.pk, [one.pk for one in evaluations], version
    )
    outdated = [one for one in evaluations if one.revision != state.fingerprint]
    if not outdated:
        return Rescored([], state.fingerprint)
    # Evaluations that were made at the same time have the same queries to do again.
    changed = {made_at: state.changed(made_at) for made_at in {one.revision for one in outdated}}
    grades = stored.read_grades(judgment_list.pk, set().union(*changed.values()), version)
    scale = scale_info((version or judgment_list).scale)
    batches = {made_at: Batch(queries, grades, scale) for made_at, queries in changed.items()}
    rows = _rows(query_set_id, outdated, batches, make_rows)
    stored.delete_scores(
        tables,
        query_set_id,
        [(one.pk, query) for one in outdated if one.revision >= 0 for query in changed[one.revision]],
    )
    stored.copy_scores(tables, rows)
    return Rescored([one.pk for one in outdated], state.fingerprint)


def _rows(
    query_set_id: int,
    outdated: Sequence[E],
    batches: Mapping[int, Batch],
    make_rows: MakeRows[E],
) -> list[Row]:
    together: dict[int, dict[int, list[E]]] = defaultdict(lambda: defaultdict(list))
    for one in outdated:
        together[one.run_id][one.revision].append(one)
    keys = {
        Key(query, run_id)
        for run_id, by_revision in together.items()
        for made_at in by_revision
        for query in batches[made_at].index.queries
    }
    refresh_hits(query_set_id, list(keys))
    rows: list[Row] = []

    def score(run_id: int, hits: Sequence[QueryHits]) -> None:
        for made_at, group in together.pop(run_id).items():
            rows.extend(make_rows(group, batches[made_at], batches[made_at].index.join(hits)))

    for run_id, hits in groupby(stored.read_hits(query_set_id, list(keys)), attrgetter("run_id")):
        score(run_id, list(hits))
    for run_id in list(together):  # these runs have no ranking for any of the queries
        score(run_id, [])
    return rows
