"""Which evaluations are from the current grades, and know how much is judged. Called inside a transaction."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from evaluation.scores.sql.scores import FINGERPRINT, VERSION_FINGERPRINT
from evaluation.scores.sql.totals import TOO_SHORT
from judgments.base.sql import copy
from judgments.models import Version

# During an update, hosts of the version before score without coverage, and leave the mean that was stored before as it is.
_UNCOVERED: Final = f"""
    (evaluation.holes > 0 OR evaluation.coverage IS DISTINCT FROM 1) AND EXISTS (
        SELECT FROM evaluation_evaluationtotals totals WHERE totals.evaluation_id = evaluation.id AND {TOO_SHORT}
    )
"""
_THOSE: Final = """
    run_id = ANY(%(runs)s) AND judgment_list_id = %(list)s AND version_id IS NOT DISTINCT FROM %(version)s::bigint
    AND formula = %(formula)s
"""
_FRESHNESS: Final = f"""
    SELECT COUNT(*), COUNT(*) FILTER (
        WHERE revision = ({{fingerprint}}) AND (further_revision = revision OR NOT %(every_average)s) AND NOT ({_UNCOVERED})
    )
    FROM evaluation_evaluation evaluation WHERE {_THOSE}
"""  # noqa: S608
_LOCK: Final = f"""
    SELECT evaluation.id, evaluation.query_set_id, evaluation.run_id, evaluation.revision, evaluation.further_revision,
        evaluation.judged_queries, totals.revision, totals.query_count, totals.last_query, COALESCE({TOO_SHORT}, false)
    FROM evaluation_evaluation evaluation LEFT JOIN evaluation_evaluationtotals totals ON totals.evaluation_id = evaluation.id
    WHERE {_THOSE} ORDER BY evaluation.id FOR NO KEY UPDATE OF evaluation
"""  # noqa: S608
# No list has these revisions. Evaluations of one revision would be read as one, so that each gets a revision of its own.
_OUTDATE: Final = f"""
    WITH uncovered AS MATERIALIZED (
        SELECT id FROM evaluation_evaluation evaluation
        WHERE id = ANY(%(evaluations)s) AND revision >= 0 AND {_UNCOVERED}
    ), scores AS (
        UPDATE evaluation_score score SET revision = -2 FROM uncovered
        WHERE score.query_set_id = %(query_set)s AND score.evaluation_id = uncovered.id
            AND score.coverage IS NULL AND score.shown > score.judged
    )
    UPDATE evaluation_evaluation evaluation SET revision = evaluation.id, further_revision = -1
    FROM uncovered WHERE evaluation.id = uncovered.id
"""  # noqa: S608


class Freshness(NamedTuple):
    """How many runs have no evaluation, and how many none from the current grades, the former among them."""

    missing: int
    outdated: int


class LockedEvaluation(NamedTuple):
    """A locked evaluation with what is known of its totals, if there are any: their revision, the queries that the query set had
    then, with the last one's ID, and whether a host of an earlier version has summed them."""

    pk: int
    query_set_id: int
    run_id: int
    revision: int
    further_revision: int
    judged_queries: int
    totals_revision: int | None
    query_count: int | None
    last_query: int | None
    is_short: bool

    @property
    def has_waited(self) -> bool:
        """Whether the totals may be from before the wait for the lock: PostgreSQL reads only locked rows again after it."""
        return self.revision >= 0 and self.totals_revision != self.revision

    def has_totals(self, queries: tuple[int, int]) -> bool:
        """Whether the totals are of the same state as the scores, while the query set has these queries.

        A deleted query takes its scores and rankings along, and no revision tells. Then the query set has fewer queries than
        when the totals were summed, or others came later and the last ID is another.
        """
        of_state = self.totals_revision == self.revision and not self.is_short
        return of_state and (self.query_count, self.last_query) == queries


def read_freshness(
    judgment_list_id: int,
    version: Version | None,
    formula: str,
    run_ids: Collection[int],
    *,
    every_average: bool = False,
) -> Freshness:
    """What these runs lack under the formula; with `every_average`, medians and weighted means included."""
    statement = _FRESHNESS.format(fingerprint=VERSION_FINGERPRINT if version else FINGERPRINT)
    those = _those(judgment_list_id, version, formula, run_ids)
    fingerprint = version and version.fingerprint
    counts = copy.row(statement, **those, fingerprint=fingerprint, every_average=every_average)
    return Freshness(*(len(run_ids) - count for count in counts))


def lock(
    judgment_list_id: int, version: Version | None, formula: str, run_ids: Collection[int]
) -> list[LockedEvaluation]:
    """The evaluations of these runs under the formula."""
    return [
        LockedEvaluation(*row)
        for row in copy.rows(_LOCK, **_those(judgment_list_id, version, formula, run_ids))
    ]


def _those(
    judgment_list_id: int, version: Version | None, formula: str, run_ids: Collection[int]
) -> dict[str, Any]:
    return {
        "list": judgment_list_id,
        "version": version and version.pk,
        "formula": formula,
        "runs": list(run_ids),
    }


def outdate_uncovered(query_set_id: int, evaluation_ids: Collection[int]) -> None:
    """Marks what was scored without coverage as out of date, in locked evaluations.

    What is judged whole needs no new score. Looks through all scores, so only to be asked where totals are short.
    """
    copy.run(_OUTDATE, query_set=query_set_id, evaluations=list(evaluation_ids))
