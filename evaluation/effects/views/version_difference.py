"""What differs between a version of a list and another one, or the live list, and what that does to runs."""

from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.effects.reports.effect import Effect, effect, stored_means
from evaluation.models import Run
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.reports.state import LIVE
from evaluation.scores.views.scored_page import read_formula, role_in, visible_list
from judgments.lists.sql.versions import count_differences, read_differences
from judgments.models import JudgmentList, Version
from judgments.pages.http import MemberRequest, csv_response
from judgments.pages.trails import list_trail
from touchstone_core.metrics.formula import IDEALS, Formula

MOST_ROWS = 100
MOST_IN_FILE = 1_000_000


@require_safe
def version_difference(request: MemberRequest, pk: int, number: int) -> HttpResponse | StreamingHttpResponse:
    """From the earlier of the version and what `to` names to the later: grades added, changed and removed; means of runs under both."""
    judgment_list = visible_list(request, pk)
    version, other = two_versions(request, judgment_list, number)
    sides: dict[str, Any] = {"list_id": pk, "earlier": version.pk, "later": other and other.pk}
    if request.GET.get("format") == "csv":
        rows = read_differences(**sides, limit=MOST_IN_FILE)
        lines = [(row.query_id, row.document_id, row.before, row.after) for row in rows]
        header = ("query", "document", str(version), str(other or LIVE))
        return csv_response([header, *lines], judgment_list.name, version, "to", other or LIVE)
    form = read_formula(request, judgment_list)
    formula = form.formula if form.is_valid() else Formula()
    at = reverse("list-version", args=[pk, number])
    context = {
        "judgment_list": judgment_list,
        "version": version,
        "other": other,
        "counted": count_differences(**sides),
        "rows": read_differences(**sides, limit=MOST_ROWS),
        "effect": effect_on_runs(judgment_list, version, other, formula),
        "formula": formula,
        "ideals": IDEALS,
        "role": role_in(request, judgment_list),
        "tab": "versions",
        "trail": list_trail(
            judgment_list,
            ("Versions", reverse("list-versions", args=[pk])),
            (f"Version {number}", at),
            "Difference",
        ),
    }
    return render(request, "evaluation/effects/version_difference.html", context)


def two_versions(
    request: MemberRequest, judgment_list: JudgmentList, number: int
) -> tuple[Version, Version | None]:
    """This version and what `to` names, the earlier first; None for the live list."""
    version, target = _version(judgment_list, str(number)), request.GET.get("to") or LIVE
    other = None if target == LIVE else _version(judgment_list, target)
    if other is not None and other.number < version.number:
        return other, version
    return version, other


def effect_on_runs(
    judgment_list: JudgmentList, version: Version, other: Version | None, formula: Formula
) -> Effect:
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
    means = []
    for side in (version, other):
        bring_up_to_date(judgment_list=judgment_list, runs=runs, formula=formula, version=side)
        means.append(stored_means(judgment_list, runs, formula, side))
    return effect(runs, *means)


def _version(judgment_list: JudgmentList, number: str) -> Version:
    versions = judgment_list.versions.select_related("scale")
    version = get_object_or_404(
        versions, number=int(number) if number.isdecimal() and len(number) < 10 else 0
    )
    version.judgment_list = judgment_list
    if version.scale_id == judgment_list.scale_id:
        version.scale = judgment_list.scale
    return version
