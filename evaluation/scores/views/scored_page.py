"""What pages with values share: formula and version in the URL, the part for htmx, the CSV."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec

from django.db.models import OuterRef, Subquery
from django.http import HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django_htmx.http import HttpResponseClientRedirect

from evaluation.base.reports import scale_info
from evaluation.formulas.forms import AS, DEFAULTS, PARAMETERS, FormulaForm
from evaluation.formulas.reports import CUTOFFS
from evaluation.models import Run, SavedFormula
from evaluation.scores.actions.scoring_jobs import BeingScoredError, score_or_ask
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.reports.run_averages import MEAN
from evaluation.scores.reports.state import LIVE
from judgments.models import STAFF_ROLES, JudgmentList, Membership, Role, Version
from judgments.pages.fetching import VersionNotFoundError
from judgments.pages.http import MemberRequest, is_already_shown, parameters_without
from judgments.pages.trails import Step, list_page, list_trail
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.selection import write_measures

VERSION: Final = "version"
BEING_SCORED: Final = "scored-"
"""What the ID of the notice begins with that is shown while a worker scores the runs of a page."""

FILES: Final = frozenset({"format", "table"})
"""Parameters that ask for a file instead of the page."""

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of a list, the newest first, and the one that the URL names; None for the live list."""

    all: list[Version]
    chosen: Version | None

    @property
    def parameters(self) -> dict[str, str]:
        """How an address names the version."""
        return {VERSION: str(self.chosen.number)} if self.chosen else {}


def list_with_role(request: MemberRequest, pk: int) -> JudgmentList:
    """The list with query set, scale and grades, and with the account's role, if it may see the values."""
    lists = JudgmentList.objects.visible_to(request.user).with_scale().select_related("query_set__comparing")
    mine = Membership.objects.filter(user=request.user.pk, query_set=OuterRef("query_set_id"))
    lists = lists.annotate(member_role=Subquery(mine.values("role")[:1]))
    judgment_list = get_object_or_404(lists, pk=pk)
    request.is_staff_member = vars(judgment_list)["member_role"] in STAFF_ROLES  # saves the top bar a query
    return judgment_list


def read_versions(request: MemberRequest, judgment_list: JudgmentList) -> Versions:
    """Reads `version=3`. “live” or nothing means the list as it is now; any other value raises VersionNotFoundError.

    One query; two more where the list has another scale by now.
    """
    every = list(judgment_list.versions.all())
    number = request.GET.get(VERSION) or LIVE
    if number == LIVE:
        return Versions(every, None)
    chosen = next((one for one in every if str(one.number) == number), None)
    if chosen is None:
        raise VersionNotFoundError(judgment_list, number)
    chosen.judgment_list = judgment_list
    if chosen.scale_id == judgment_list.scale_id:
        chosen.scale = judgment_list.scale
    return Versions(every, chosen)


def read_formula(
    request: MemberRequest, judgment_list: JudgmentList, version: Version | None = None
) -> FormulaForm:
    """The formula of the URL, or the query set's default, on the scale that the values are made with. One query."""
    saved = SavedFormula.objects.filter(query_set=judgment_list.query_set_id).order_by("name")
    return FormulaForm(request.GET, scale_info((version or judgment_list).scale), list(saved))


def read_address(request: MemberRequest, pk: int) -> tuple[JudgmentList, Versions, FormulaForm]:
    """The list, and the version and the formula that the URL names."""
    judgment_list = list_with_role(request, pk)
    versions = read_versions(request, judgment_list)
    return judgment_list, versions, read_formula(request, judgment_list, versions.chosen)


def canonical(request: MemberRequest, form: FormulaForm) -> HttpResponseRedirect | None:
    """A redirect to the URL with exactly the parameters that aren't defaults; None if this is it.

    So a choice by name leads to the formula that it names, and a link keeps its meaning if the name changes.
    """
    others = {name: str(value) for name, value in request.GET.items() if value and name not in PARAMETERS}
    parameters = others | form.parameters
    if parameters == request.GET.dict():
        return None
    return HttpResponseRedirect(f"{request.path}?{urlencode(parameters)}" if parameters else request.path)


def bring_form_up_to_date(
    judgment_list: JudgmentList, runs: list[Run], form: FormulaForm, version: Version | None
) -> None:
    """Scores these runs under the form's formula and measures. A measure that these grades don't allow becomes an error of the form.

    Raises BeingScoredError while a worker does it.
    """
    try:
        score_or_ask(
            ScoringRequest(
                judgment_list,
                runs,
                form.formula,
                measures=form.measures,
                version=version,
                every_average=form.average != MEAN,
            )
        )
    except MetricsError as error:
        form.add_error("measures", str(error))


def waits_for_scores(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[MemberRequest, P], HttpResponseBase]:
    """While a worker scores what the view shows, another page is shown instead, also of its files."""

    @wraps(view)
    def or_waits(request: MemberRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            response = view(request, *args, **kwargs)
        except BeingScoredError as error:
            return _being_scored(request, error)
        if request.htmx and (request.htmx.trigger or "").startswith(BEING_SCORED):
            return HttpResponseClientRedirect(request.get_full_path())
        return response

    return or_waits


def _being_scored(request: MemberRequest, work: BeingScoredError) -> HttpResponse:
    if not FILES.isdisjoint(request.GET):
        return HttpResponseRedirect(request.path + _query(parameters_without(request, *FILES)))
    notice = f"{BEING_SCORED}{work.done}-{'running' if work.running else 'waiting'}"
    if is_already_shown(request, notice):
        return HttpResponse(status=204)
    of = work.judgment_list
    context = list_page(of, role_in_list(request, of), "runs", "Being scored") | {
        "work": work,
        "notice": notice,
    }
    return render_page(request, "evaluation/scores/being_scored.html", context)


def formula_context(request: MemberRequest, form: FormulaForm, versions: Versions | None) -> dict[str, Any]:
    """What parts/formula.html needs. `formula_query` goes behind every address with the same formula and version.

    `other_list_query` leaves the version out.
    """
    frozen = versions.parameters if versions else {}
    others = parameters_without(request, *PARAMETERS, "page", "format", VERSION)
    formula_fields = {
        name: value
        for name, value in request.GET.items()
        if name in {*DEFAULTS, AS, "sort", VERSION, "intent"}
    }
    context: dict[str, Any] = {
        "form": form,
        "cutoffs": CUTOFFS,
        "kept": others,
        "kept_formula": formula_fields,
    }
    context["default_query"] = _query(others | frozen)
    context |= {"versions": versions.all, "version": versions.chosen} if versions else {}
    if form.is_valid():
        parameters = form.parameters
        context |= {
            "formula": form.formula,
            "measures_text": write_measures(form.measures),
            "names": form.names,
            "cutoff_links": [
                (
                    cutoff,
                    f"?{urlencode(others | frozen | form.parameters_of(form.chosen.at(cutoff)) or {'k': str(cutoff)})}",
                )
                for cutoff in CUTOFFS
            ],
            "formula_query": _query(frozen | parameters),
            "other_list_query": _query(parameters),
        }
    return context


def _query(parameters: Mapping[str, str]) -> str:
    return f"?{urlencode(parameters)}" if parameters else ""


def render_page(
    request: MemberRequest, template: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """The page, or only its part `scored` when htmx replaces it."""
    part = request.htmx and not request.htmx.history_restore_request
    response = render(request, f"{template}#scored" if part else template, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def runs_trail(judgment_list: JudgmentList, *steps: Step) -> list[dict[str, str]]:
    """The way to the run table, and to the pages of one run."""
    table = reverse("run-table", args=[judgment_list.pk])
    return list_trail(judgment_list, ("Runs", table) if steps else "Runs", *steps)


def list_context(
    request: MemberRequest, judgment_list: JudgmentList, form: FormulaForm, versions: Versions, **others: Any
) -> dict[str, Any]:
    """What every page of runs under a list shows."""
    return formula_context(request, form, versions) | {
        "judgment_list": judgment_list,
        "query_set": judgment_list.query_set,
        "tab": "runs",
        "role": role_in_list(request, judgment_list),
        **others,
    }


def role_in_list(request: MemberRequest, judgment_list: JudgmentList) -> str:
    """The account's role for the tabs of a list that comes from `list_with_role`, or that only admins get."""
    return Role.ADMIN if request.user.is_superuser else vars(judgment_list).get("member_role", Role.ADMIN)
