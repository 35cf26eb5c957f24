"""The disagreements of a list: a page of them, widest first, and what was decided as a file."""

from math import isfinite
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from judgments.agreement.forms import FilterForm
from judgments.agreement.reports import decisions
from judgments.agreement.reports import disagreements as reports
from judgments.agreement.reports.disagreements import Place, Wanted
from judgments.models import JudgmentList
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_trail
from judgments.raters.reports.rater_names import Names
from touchstone_core.formats.spreadsheet import csv_lines

KEPT = ("state", "show", "q", "least", "cause", "rater", "other", "gave", "other_gave", "names")


@require_safe
def disagreements(request: MemberRequest, pk: int) -> HttpResponse:
    """Those that the address asks for; `names=shown` says who is who, `after` where the page begins."""
    judgment_list = own_list(request, pk)
    names = names_of(request, judgment_list)
    raters = reports.raters_to_choose(judgment_list, names)
    form = FilterForm(_asked(request.GET), judgment_list=judgment_list, raters=raters)
    found = reports.found(judgment_list, wanted_by(form, judgment_list), _place(request.GET.get("after", "")))
    causes = decisions.causes(judgment_list)
    context = {
        "judgment_list": judgment_list,
        "form": form,
        "found": found,
        "causes": causes,
        "decided": sum(count for _, _, count in causes),
        "pair_of_raters": _pair_of_raters(form, names),
        "kept": kept(request.GET),
        "switch": kept(request.GET, names="" if names.shown else "shown"),
        "next": kept(request.GET, after=_written(found.last)) if found.last else "",
        "later": "after" in request.GET,
        "filtered": any(request.GET.get(name) for name in KEPT if name not in ("names", "state")),
        "names": names,
        "role": "admin",
        "tab": "disagreements",
        "trail": list_trail(judgment_list, "Disagreements"),
    }
    return render(request, "judgments/agreement/list_disagreements.html", context)


@require_safe
def decisions_file(request: MemberRequest, pk: int) -> StreamingHttpResponse:
    """Every decision as CSV, with the answers; raters by their letters unless `names=shown`."""
    judgment_list = own_list(request, pk)
    rows = decisions.table(judgment_list, names_of(request, judgment_list))
    name = f"{slugify(judgment_list.name) or 'list'}_decisions.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(csv_lines(rows), headers=headers, content_type="text/csv; charset=utf-8")


def own_list(request: MemberRequest, pk: int) -> JudgmentList:
    mine = JudgmentList.objects.administered_by(request.user)
    return get_object_or_404(
        mine.select_related("query_set", "scale").prefetch_related("scale__grades"), pk=pk
    )


def names_of(request: MemberRequest, judgment_list: JudgmentList) -> Names:
    return Names(judgment_list, shown=request.GET.get("names") == "shown")


def wanted_in(request: MemberRequest, judgment_list: JudgmentList, names: Names) -> Wanted:
    """Which disagreements the address asks for."""
    raters = reports.raters_to_choose(judgment_list, names) if request.GET.get("rater") else []
    return wanted_by(
        FilterForm(_asked(request.GET), judgment_list=judgment_list, raters=raters), judgment_list
    )


def wanted_by(form: FilterForm, judgment_list: JudgmentList) -> Wanted:
    """What is not valid of the form counts as not asked."""
    chosen = form.chosen
    text = chosen.get("q", "")
    cause = chosen.get("cause", "")
    return Wanted(
        state="decided" if cause else chosen.get("state") or "open",
        cause=cause,
        undecided=chosen.get("show") == "undecided",
        cannot=chosen.get("show") == "cannot",
        queries=reports.queries_like(judgment_list, text) if text else None,
        least=chosen.get("least"),
        rater=chosen.get("rater"),
        other=chosen.get("other"),
        gave=chosen.get("gave"),
        other_gave=chosen.get("other_gave"),
    )


def kept(asked: QueryDict, **more: str) -> str:
    """What the address asks for, as an address again; `more` in the stead of what it says."""
    values = {name: asked[name] for name in KEPT if asked.get(name)} | more
    return urlencode({name: value for name, value in values.items() if value})


def _asked(asked: QueryDict) -> dict[str, Any]:
    """What an empty address means."""
    return {"state": "decided" if asked.get("cause") else "open"} | {name: asked[name] for name in asked}


def _pair_of_raters(form: FilterForm, names: Names) -> tuple[str, str] | None:
    one, other = form.chosen.get("rater"), form.chosen.get("other")
    return (names.of(one), names.of(other)) if one is not None and other is not None else None


def _written(place: Place | None) -> str:
    return "" if place is None else f"{place.spread!r},{place.answers},{place.pair_id}"


def _place(text: str) -> Place | None:
    """None for what is no place, and for none."""
    try:
        spread, answers, pair_id = text.split(",")
        place = Place(float(spread), int(answers), int(pair_id))
    except ValueError:
        return None
    within = isfinite(place.spread) and abs(place.answers) < 2**31 and abs(place.pair_id) < 2**63
    return place if within else None
