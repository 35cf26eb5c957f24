"""How far the raters of a list agree: a page, and its tables as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from judgments.agreement.actions.agreement import BeingWorkedOutError, agreement_of, agreement_or_ask
from judgments.agreement.couples import FEW_PAIRS
from judgments.agreement.reports import agreement as reports
from judgments.agreement.reports import agreement_of_raters as of_raters
from judgments.agreement.reports.agreement_figures import Told, from_json
from judgments.agreement.reports.drift import Drift
from judgments.agreement.resampling import FEW_QUERIES
from judgments.base.digits import written
from judgments.content.reports.query_sets import role_in
from judgments.models import Judgment, JudgmentList, Query, Role
from judgments.pages.http import MemberRequest, stands_already
from judgments.pages.trails import list_trail
from touchstone_core.formats.columns import Column, csv_rows
from touchstone_core.formats.spreadsheet import Cell, csv_lines

TEMPLATE = "judgments/agreement/agreement.html"
PER_PAGE = 50
FEW_MIDDLE = 0.1


@require_safe
def agreement(request: MemberRequest, pk: int) -> HttpResponseBase:
    """Figures for engineers and admins; who gave what for admins only. `?table=` gives one of TABLES as CSV.

    `without` leaves a rater out of everything, `one` and `other` choose two raters to compare, `sort` orders queries. Files
    are of the judgments as they are; the page waits for a worker where there are many, or shows earlier figures and says so.
    """
    visible = JudgmentList.objects.visible_to(request.user).select_related("query_set", "scale")
    judgment_list = get_object_or_404(visible, pk=pk)
    steps = reports.steps_of(judgment_list.scale)
    role = role_in(judgment_list.query_set, request.user)
    without = _left_out(request, judgment_list) if role == Role.ADMIN else None
    left_out = [] if without is None else [without]
    if table := request.GET.get("table", ""):
        found = agreement_of(judgment_list=judgment_list, steps=steps, without=without, at=timezone.now())
        told = from_json(found.figures, judgment_list, steps, without=left_out)
        return _file(judgment_list, table, told, all_of_it=role == Role.ADMIN)
    context: dict[str, object] = {
        "judgment_list": judgment_list,
        "steps": steps,
        "role": role,
        "tab": "agreement",
        "trail": list_trail(judgment_list, "Agreement"),
    }
    try:
        result, outdated = agreement_or_ask(
            judgment_list=judgment_list, steps=steps, without=without, at=timezone.now()
        )
    except BeingWorkedOutError as error:
        notice = f"agreement-{'running' if error.running else 'waiting'}"
        if stands_already(request, notice):
            return HttpResponse(status=204)
        return render(request, TEMPLATE, context | {"being_worked_out": error, "notice": notice})
    told = from_json(result.figures, judgment_list, steps, without=left_out)
    context |= {"result": result, "outdated": outdated, "left_out": without}
    return render(request, TEMPLATE, context | _figures(request, told, role))


def _left_out(request: MemberRequest, judgment_list: JudgmentList) -> int | None:
    """The rater that the address names; None where it names none with judgments in this list. A query where it names one."""
    number = _number(request, "without")
    given = Judgment.objects.real().filter(judgment_list=judgment_list, rater=number)
    return number if number is not None and given.exists() else None


def _figures(request: MemberRequest, told: Told, role: str) -> dict[str, object]:
    """What the template is given of the figures. Of single raters only admins are told."""
    steps = told.raters.steps
    sort = request.GET.get("sort", "")
    sort = sort if sort in reports.SORTS else "worth"
    use = of_raters.total_use(list(told.raters.uses.values()), of_raters.labels_of(steps))
    return {
        "headline": told.headline,
        "sort": sort,
        "order": reports.SORTS[sort],
        "columns": [column for column in _columns(steps) if column.key],
        "fewest_first": sort in ("agreement", "alpha"),
        "page": _queries(request, told.by_query, sort),
        "use": use,
        "use_rows": list(zip(use.labels, use.counts, use.shares, strict=True)),
        "few_middle": steps.level != "nominal" and use.middle is not None and use.middle < FEW_MIDDLE,
        "drift": told.drift,
        "few_pairs": FEW_PAIRS,
        "few_queries": FEW_QUERIES,
        **(_rater_context(request, told) if role == Role.ADMIN else {}),
    }


def _number(request: MemberRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 19 else None


def _chosen(request: MemberRequest, name: str, raters: dict[int, reports.GradeUse]) -> int | None:
    """The rater that the address names; None where it names none of these."""
    number = _number(request, name)
    return number if number in raters else None


def _rater_context(request: MemberRequest, told: Told) -> dict[str, object]:
    raters, figures = told.raters, told.raters.figures(told.alphas)
    shown = [one.rater_id for one in figures[: of_raters.SHOWN]]
    one, other = (_chosen(request, name, raters.uses) for name in ("one", "other"))
    if one is None and other is None and len(shown) > 1:
        one, other = shown[:2]
    confusion = raters.confusion(one, other) if one is not None and other is not None else None
    rows = zip(figures, raters.matrix(shown), strict=False)
    return {
        "raters": figures,
        "rater_names": sorted(raters.names.items(), key=lambda named: (named[1], named[0])),
        "matrix": [(row.name, cells) for row, cells in rows],
        "more_raters": len(figures) - len(shown),
        "one": one,
        "other": other,
        "confusion": confusion,
        "grid": _grid(confusion, raters.steps) if confusion else [],
    }


def _grid(
    confusion: of_raters.Confusion, steps: reports.Steps
) -> list[tuple[str, list[tuple[int, int, dict[str, str]]]]]:
    """The rows of the table; each count with its heat and what asks for the pairs behind it in an address."""
    values = [written(float(value)) for value in steps.values]
    return [
        (
            label,
            [
                (count, heat, {"gave": gave, "other_gave": other_gave})
                for (count, heat), other_gave in zip(cells, values, strict=True)
            ],
        )
        for (label, cells), gave in zip(confusion.rows, values, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query with its figures; None where one is not defined. `few`: too few pairs for its alpha to mean much."""

    query: Query
    pairs: int
    agreement: float
    distance: float | None
    alpha: float | None

    @property
    def few(self) -> bool:
        return self.pairs < reports.FEW_PAIRS


def _columns(steps: reports.Steps) -> list[Column[QueryRow]]:
    """Of the table of queries; those with a key order it, each in one direction."""
    agreement = "Within a tenth" if steps.continuous else "Same grade"
    distance = "Mean distance" if steps.level == "interval" else "Grades apart, mean"
    key = "" if steps.level == "nominal" else "distance"
    return [
        Column("query_id", "", "query__external_id"),
        Column("query", "", "query__text"),
        Column("pairs", "", "pairs", label="Pairs", key="pairs"),
        Column("agreement", "", "agreement", label=agreement, key="agreement"),
        Column("mean_distance", "", "distance", label=distance, key=key),
        Column("alpha", "", "alpha", label="Alpha", key="alpha"),
    ]


def _queries(request: MemberRequest, figures: reports.ByQuery, sort: str) -> object:
    page = Paginator(figures.order(sort).tolist(), PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = _rows(figures, list(page.object_list))
    return page


def _rows(figures: reports.ByQuery, order: Sequence[int]) -> list[QueryRow]:
    """One query for the texts. Queries that were deleted since the figures were worked out are passed over."""
    ids = [figures.query_ids[at] for at in order]
    queries = Query.objects.in_bulk(ids)
    return [
        QueryRow(
            queries[figures.query_ids[at]],
            int(figures.pairs[at]),
            float(figures.agreement[at]),
            _known(figures.distance[at]),
            _known(figures.alpha[at]),
        )
        for at in order
        if figures.query_ids[at] in queries
    ]


def _known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _file(judgment_list: JudgmentList, table: str, told: Told, *, all_of_it: bool) -> StreamingHttpResponse:
    """`all_of_it`: also what is said of single raters."""
    rows: Iterator[Sequence[Cell]]
    if table == "queries":
        figures = told.by_query
        rows = csv_rows(_columns(told.raters.steps), _rows(figures, figures.order("worth").tolist()))
    elif all_of_it and table == "raters":
        rows = _rater_table(told)
    elif all_of_it and table == "couples":
        rows = _couple_table(told.raters)
    elif all_of_it and table == "time":
        rows = _time_table(told.drift)
    else:
        raise Http404
    response = StreamingHttpResponse(csv_lines(rows), content_type="text/csv; charset=utf-8")
    name = f"{slugify(judgment_list.name) or 'list'}_agreement_{table}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _rater_table(told: Told) -> Iterator[Sequence[Cell]]:
    heads = ["judgments", "cannot_judge", "compared", "agreement", "kappa", "bias", "alpha_without"]
    yield ["rater", *heads, *(f"gave {label}" for label in of_raters.labels_of(told.raters.steps))]
    for one in told.raters.figures(told.alphas):
        compared = [one.pairs, one.agreement, one.kappa, one.bias, one.alpha_without]
        yield [one.name, one.judgments, one.cannot, *compared, *one.use.counts]


def _couple_table(raters: of_raters.Raters) -> Iterator[Sequence[Cell]]:
    yield ["rater", "other", "pairs", "agreement", "kappa", "bias"]
    yield from raters.table()


def _time_table(over_time: Drift) -> Iterator[Sequence[Cell]]:
    yield [
        "rater",
        "tenth",
        "since",
        "until",
        "judgments",
        "agreement",
        "higher_by",
        "moving_average",
    ]
    for rater in over_time.raters:
        for nth, one in enumerate(rater.slices, start=1):
            dates = [one.since.isoformat(), one.until.isoformat()]
            figures = [one.judgments, one.same, one.apart, one.average]
            yield [rater.name, nth, *dates, *figures]
