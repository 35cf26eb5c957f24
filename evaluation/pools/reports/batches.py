"""What batches of documents for raters are chosen from: the pages of runs over all of their queries."""

from collections.abc import Sequence
from typing import Final

from django.db.models import Subquery

from evaluation.base.errors import EvaluationError
from evaluation.comparisons.reports.deciding import AllPages, read_all_pages
from evaluation.models import Comparing, Run
from judgments.models import JudgmentList
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula

NO_GAIN: Final = "No grade of this list gains anything, so every page is worth 0."


class UndecidableError(EvaluationError):
    """The grades, or their scale, are none from which this can be worked out; the text says why."""


def pages_to_judge(judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula) -> AllPages:
    """Without held-out queries. Three statements, and one for the levels of the scale. Raises UndecidableError."""
    tag = Comparing.objects.filter(query_set=judgment_list.query_set_id).values("held_out")
    try:
        pages = read_all_pages(judgment_list, runs, formula, held_out=Subquery(tag))
    except MetricsError as error:
        raise UndecidableError(str(error)) from error
    if not pages.top > 0:
        raise UndecidableError(NO_GAIN)
    return pages
