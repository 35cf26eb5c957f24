"""Which evaluations are from the current grades, and know how much is judged. Called inside a transaction."""

from collections.abc import Collection
from typing import Final

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
_UP_TO_DATE: Final = f"""
    SELECT COUNT(*) FROM evaluation_evaluation evaluation
    WHERE run_id = ANY(%(runs)s) AND judgment_list_id = %(list)s AND version_id IS NOT DISTINCT FROM %(version)s::bigint
        AND formula = %(formula)s AND revision = ({{fingerprint}})
        AND (further_revision = revision OR NOT %(every_average)s) AND NOT ({_UNCOVERED})
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


def count_up_to_date(
    judgment_list_id: int,
    version: Version | None,
    formula: str,
    run_ids: Collection[int],
    *,
    every_average: bool = False,
) -> int:
    """How many of these runs have an evaluation under the formula that is from the current grades.

    With `every_average`, medians and weighted means included.
    """
    count = copy.value(
        _UP_TO_DATE.format(fingerprint=VERSION_FINGERPRINT if version else FINGERPRINT),
        list=judgment_list_id,
        version=version and version.pk,
        fingerprint=version and version.fingerprint,
        formula=formula,
        every_average=every_average,
        runs=list(run_ids),
    )
    return int(count)


def outdate_uncovered(query_set_id: int, evaluation_ids: Collection[int]) -> int:
    """Marks what was scored without coverage as out of date, in locked evaluations, and returns how many these are.

    What is judged whole needs no new score.
    """
    return copy.run(_OUTDATE, query_set=query_set_id, evaluations=list(evaluation_ids))
