"""What batches of documents for raters are chosen from: the pages of runs over all of their queries."""

from collections.abc import Sequence
from typing import Final

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
    """Without held-out queries. Five statements. Raises UndecidableError."""
    tags = Comparing.objects.filter(query_set=judgment_list.query_set_id).values_list("held_out", flat=True)
    try:
        pages = read_all_pages(judgment_list, runs, formula, held_out=tags.first() or "")
    except MetricsError as error:
        raise UndecidableError(str(error)) from error
    if not pages.top > 0:
        raise UndecidableError(NO_GAIN)
    return pages
