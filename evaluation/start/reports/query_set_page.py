"""The first page of a query set: its lists with their trends, its latest runs, and what needs attention."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Run
from evaluation.pools.reports.contests import latest_contests
from evaluation.scores.reports.sparklines import Sparkline, runs_with_values, sparklines
from judgments.lists.reports.lists import lists_of
from judgments.models import JudgmentList, QuerySet, Role, Upload, User
from judgments.overview.reports.overview import LatestAgreement, latest_agreement
from touchstone_core.words import counted

MOST_RUNS: Final = 8
LATELY: Final = timedelta(days=7)
LITTLE_AGREEMENT: Final = 0.4
"""Below this alpha raters agree little, as the list's page says."""
ENOUGH_JUDGED: Final = 0.9
"""Of the first results of the newest run: what is missing could change the order of runs."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that needs attention, and where to do something about it; without an address, somebody else must."""

    about: str
    text: str
    url: str = ""
    action: str = ""


def lists_runs_and_notices(query_set: QuerySet, user: User, role: str) -> dict[str, Any]:
    """For the template. Six queries, and one more for admins. The query set needs its counts (`with_counts`)."""
    lists = list(
        lists_of(query_set)
        .select_related("agreement_headline")
        .annotate(covered=Count("list_queries", filter=Q(list_queries__pair_count__gt=0)))
    )
    trends = sparklines(lists)
    first_list = min(lists, key=lambda one: one.pk, default=None)
    trend = trends.get(first_list.pk) if first_list else None
    runs = Run.objects.filter(query_set=query_set).order_by("-created_at", "-pk")
    latest = runs.only("name", "tags", "is_baseline", "query_count", "created_at")[:MOST_RUNS]
    return {
        "lists": [(one, trends.get(one.pk)) for one in lists],
        "runs": runs_with_values((run, trend) for run in latest),
        "run_count": runs.count(),
        "first_list": first_list,
        "notices": []
        if query_set.archived_at
        else [
            *_files(query_set, user),
            *_contests(query_set),
            *_of_lists(query_set, lists, trends, role == Role.ADMIN),
        ],
    }


def _files(query_set: QuerySet, user: User) -> Iterator[Notice]:
    """What the account uploaded here and neither imported nor discarded. One query."""
    waiting = Upload.objects.importable_by(user).filter(query_set=query_set, applied_at=None)
    for upload in waiting.order_by("created_at")[:MOST_RUNS]:
        url = reverse("upload", args=[upload.pk])
        if upload.requested_at:
            yield Notice(upload.name, "Being imported in the background.", url, "Show progress")
        elif upload.failure:
            yield Notice(upload.name, f"Not imported: {upload.failure}", url, "Open preview")
        else:
            yield Notice(upload.name, "Uploaded, but not imported yet.", url, "Open preview")


def _contests(query_set: QuerySet) -> Iterator[Notice]:
    """What raters decide now, or decided lately. One query."""
    for one in latest_contests(query_set, since=timezone.now() - LATELY):
        judgment_list = one.contest.judgment_list
        yield Notice(
            judgment_list.name, one.sentence, reverse("list-pairs", args=[judgment_list.pk]), "Show details"
        )


def _of_lists(
    query_set: QuerySet, lists: Sequence[JudgmentList], trends: dict[int, Sparkline], is_admin: bool
) -> Iterator[Notice]:
    for one in lists:
        counts = vars(one)
        pairs = reverse("list-pairs", args=[one.pk])
        settings = reverse("list-edit", args=[one.pk]) if is_admin else ""
        if one.paused:
            yield Notice(one.name, "Judging is paused.", settings, "Open settings")
        without_pairs = vars(query_set)["query_count"] - counts["covered"]
        if not counts["pair_count"]:
            yield Notice(one.name, "It has no pairs to judge yet.", pairs, "Add pairs")
        elif without_pairs > 0:
            verb = "has" if without_pairs == 1 else "have"
            text = f"{counted(without_pairs, 'query', 'queries')} {verb} no pairs."
            yield Notice(one.name, text, pairs, "Add pairs")
        if notice := _agreement(one, latest_agreement(one, counts["judgment_count"])):
            yield notice
        if trend := trends.get(one.pk):
            yield from _newest_run(one, trend, pairs)


def _agreement(judgment_list: JudgmentList, agreement: LatestAgreement | None) -> Notice | None:
    alpha = agreement.figures["alpha"] if agreement else None
    if agreement is None or alpha is None or alpha >= LITTLE_AGREEMENT:
        return None
    url = reverse("list-agreement", args=[judgment_list.pk])
    return Notice(
        judgment_list.name, agreement.reading.split(". ")[0].rstrip(".") + ".", url, "Show agreement"
    )


def _newest_run(judgment_list: JudgmentList, trend: Sparkline, pairs: str) -> Iterator[Notice]:
    run, cutoff = trend.newest, trend.formula.cutoff
    if run.judged < ENOUGH_JUDGED:
        share = f"{int(100 * run.judged)} %"
        text = f"Only {share} of the first {cutoff} results of {run.run_name}, the newest run, are judged."
        url = pairs and f"{pairs}?run={run.run_id}&depth={cutoff}&queries=graded"
        yield Notice(judgment_list.name, text, url, "Request missing judgments")
    if run.missing:
        url = reverse("run", args=[judgment_list.pk, run.run_id]) + "?show=missing"
        text = (
            f"{run.run_name}, the newest run, lacks {counted(run.missing, 'judged query', 'judged queries')}."
        )
        yield Notice(judgment_list.name, text, url, "Show queries")
