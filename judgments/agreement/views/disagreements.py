"""The disagreements of a list: a page of them, the widest apart first, and a file of the decisions."""

from math import isfinite
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from judgments.agreement.forms import FilterForm
from judgments.agreement.reports import decisions
from judgments.agreement.reports import disagreements as reports
from judgments.agreement.reports.disagreements import DisagreementFilters, DisagreementPage, Place
from judgments.models import JudgmentList
from judgments.pages.fetching import administered_list
from judgments.pages.http import MemberRequest, csv_response
from judgments.pages.trails import list_page
from judgments.raters.reports.rater_names import Names

PARAMETERS = ("state", "show", "q", "least", "cause", "rater", "other", "gave", "other_gave", "names")
EXACT = ("least", "rater", "other", "gave", "other_gave")


@require_safe
def disagreements(request: MemberRequest, pk: int) -> HttpResponse:
    """Those that match the address; `names=shown` shows raters' names, the page begins after `after`."""
    judgment_list = administered_list(request, pk)
    names = names_of(request, judgment_list)
    raters = reports.raters_to_choose(judgment_list, names)
    form = FilterForm(_with_defaults(request.GET), judgment_list=judgment_list, raters=raters)
    valid, page = form.is_valid(), DisagreementPage()
    if valid:
        after = read_place(request.GET.get("after", ""))
        page = reports.disagreement_page(judgment_list, filters_of(form, judgment_list), after)
    causes = decisions.causes(judgment_list)
    context = list_page(judgment_list, "admin", "disagreements", "Disagreements") | {
        "form": form,
        "page": page,
        "causes": causes,
        "decisions": sum(one["count"] for one in causes),
        "pair_of_raters": _pair_of_raters(form, names),
        "parameters": parameters(request.GET),
        "switch": parameters(request.GET, names="" if names.shown else "shown"),
        "next": parameters(request.GET, after=write_place(page.last)) if page.last else "",
        "later": "after" in request.GET,
        "filtered": any(request.GET.get(name) for name in PARAMETERS if name not in ("names", "state")),
        "names": names,
        "all_url": reverse("list-disagreements", args=[pk]) + ("?names=shown" if names.shown else ""),
    }
    status = 200 if valid else 422
    return render(request, "judgments/agreement/list_disagreements.html", context, status=status)


@require_safe
def decisions_file(request: MemberRequest, pk: int) -> StreamingHttpResponse:
    """Every decision as CSV, with the answers; raters are letters unless `names=shown`."""
    judgment_list = administered_list(request, pk)
    rows = decisions.table(judgment_list, names_of(request, judgment_list))
    return csv_response(rows, judgment_list.name, "decisions")


def names_of(request: MemberRequest, judgment_list: JudgmentList) -> Names:
    return Names(judgment_list, shown=request.GET.get("names") == "shown")


def filters_in(request: MemberRequest, judgment_list: JudgmentList, names: Names) -> DisagreementFilters:
    """The filters in the address."""
    return filters_of(filter_form(request, judgment_list, names), judgment_list)


def filter_form(request: MemberRequest, judgment_list: JudgmentList, names: Names) -> FilterForm:
    """Asks for raters only if the address names some."""
    named = request.GET.get("rater") or request.GET.get("other")
    raters = reports.raters_to_choose(judgment_list, names) if named else []
    return FilterForm(_with_defaults(request.GET), judgment_list=judgment_list, raters=raters)


def filters_of(form: FilterForm, judgment_list: JudgmentList) -> DisagreementFilters:
    """Ignores invalid fields of the form."""
    values = form.valid_values
    text, cause, show = values.get("q", ""), values.get("cause", ""), values.get("show")
    exact: dict[str, Any] = {name: values.get(name) for name in EXACT}
    return DisagreementFilters(
        state="decided" if cause else values.get("state") or "open",
        cause=cause,
        undecided=show == "undecided",
        cannot=show == "cannot",
        queries=reports.queries_like(judgment_list, text) if text else None,
        **exact,
    )


def parameters(address: QueryDict, **changes: str) -> str:
    """The filters in the address as a query string, with these changes."""
    values = {name: address[name] for name in PARAMETERS if address.get(name)} | changes
    return urlencode({name: value for name, value in values.items() if value})


def _with_defaults(address: QueryDict) -> dict[str, Any]:
    return {"state": "decided" if address.get("cause") else "open"} | address.dict()


def _pair_of_raters(form: FilterForm, names: Names) -> tuple[str, str] | None:
    one, other = form.valid_values.get("rater"), form.valid_values.get("other")
    return (names.of(one), names.of(other)) if one is not None and other is not None else None


def write_place(place: Place) -> str:
    return f"{place.spread!r},{place.answers},{place.pair_id}"


def read_place(text: str) -> Place | None:
    """None for anything but a place."""
    try:
        spread, answers, pair_id = text.split(",")
        place = Place(float(spread), int(answers), int(pair_id))
    except ValueError:
        return None
    within = isfinite(place.spread) and abs(place.answers) < 2**31 and abs(place.pair_id) < 2**63
    return place if within else None
