"""What the pages of a run have too little of, documents that are shown and documents that are judged; and how they spread."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Count, F, Func, IntegerField, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Least

from evaluation.base.reports import scale_info
from evaluation.models import Evaluation
from evaluation.scores.reports.run_page import scores
from evaluation.scores.reports.spread import COUNTS, Spread
from judgments.models import ListQuery, VersionGrades
from touchstone_core.comparison.values import Segment
from touchstone_core.metrics.content import ContentLoss
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.short_pages import ShortPages

_COUNTS: Final = (
    "answered",
    "short",
    "empty",
    "locals",
    "globals",
    "local",
    "ideal_global",
    "counted",
    *COUNTS,
)


def read_pages(evaluation: Evaluation, formula: Formula) -> tuple[ShortPages, ContentLoss, Spread | None]:
    """Pages with fewer documents than the cutoff, among the queries that the run answers; the content loss of those that count; and
    how NDCG-global spreads.

    One statement, whose rows are as many as there are numbers of judged documents up to the cutoff.
    """
    answered = Q(retrieved__isnull=False)
    short = answered & Q(shown__gt=0, shown__lt=formula.cutoff)
    rows = (
        scores(evaluation, formula)
        .annotate(known=Least(_judged(evaluation), formula.cutoff))
        .order_by()
        .values("known")
        .annotate(
            answered=Count("pk", filter=answered),
            short=Count("pk", filter=answered & Q(shown__lt=formula.cutoff)),
            empty=Count("pk", filter=answered & Q(shown=0)),
            locals=Count("ndcg_local", filter=short),
            globals=Count("ndcg_global", filter=short),
            local=Sum("ndcg_local", filter=short, default=0.0),
            ideal_global=Sum("ndcg_global", filter=short, default=0.0),
            counted=Count("lost_content"),
            **COUNTS,
        )
    )
    found = list(rows.values("known", *_COUNTS))
    total = {name: sum(row[name] for row in found) for name in _COUNTS}
    scale = scale_info((evaluation.version or evaluation.judgment_list).scale)
    judged = {row["known"]: row["counted"] for row in found}
    return (
        ShortPages(
            formula.cutoff,
            total["answered"],
            total["short"],
            total["empty"],
            total["local"] / total["locals"] if total["locals"] else None,
            total["ideal_global"] / total["globals"] if total["globals"] else None,
        ),
        ContentLoss.of(formula, scale, judged, evaluation.sum_content),
        Spread.of(total, evaluation.median_ndcg_global),
    )


def content_parts(content: ContentLoss, ladder: Sequence[Segment]) -> list[Segment]:
    """The two parts of the content loss, as shares of the same whole as the ladder."""
    whole = sum(one.value for one in ladder)
    parts = {
        "too few judged": (content.too_few, content.what_would_fix_it),
        "low grades": (content.low_grades, "find better documents, or judge deeper"),
    }
    return [
        Segment(name, name, fix, 0.0, 100 * points / whole, points)
        for name, (points, fix) in parts.items()
        if whole
    ]


def _judged(evaluation: Evaluation) -> Any:
    """How many documents of a score's query are judged."""
    query = OuterRef("query_id")
    if evaluation.version_id is None:
        rows = ListQuery.objects.filter(judgment_list=evaluation.judgment_list_id, query=query)
        return Subquery(rows.values("graded_count"))
    of_version = VersionGrades.objects.filter(version=evaluation.version_id, query=query)
    return Subquery(
        of_version.values(judged=Func(F("documents"), function="cardinality", output_field=IntegerField()))
    )
