"""How far the raters of a list agree: a page, and its tables as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from django.core.paginator import Paginator
from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from judgments.actions.agreement import keep_headline
from judgments.agreement.couples import FEW_PAIRS
from judgments.agreement.resampling import FEW_QUERIES
from judgments.digits import written
from judgments.formats.spreadsheet import Cell, csv_lines
from judgments.models import JudgmentList, Query, Role
from judgments.reports import agreement as reports
from judgments.reports import agreement_of_raters as of_raters
from judgments.reports.attention import figures_of
from judgments.reports.drift import Drift, drift
from judgments.reports.lists import coverage
from judgments.reports.query_sets import role_in
from judgments.views.http import MemberRequest
from judgments.views.trails import list_trail

PER_PAGE = 50
FEW_MIDDLE = 0.1


@require_safe
def agreement(request: MemberRequest, pk: int) -> HttpResponseBase:
    """Figures for engineers and admins; who gave what for admins only. `?table=` gives one of TABLES as CSV.

    `without` leaves a rater out of everything, `one` and `other` choose two raters to compare, `sort` orders queries.
    """
    visible = JudgmentList.objects.visible_to(request.user).select_related("query_set", "scale")
    judgment_list = get_object_or_404(visible, pk=pk)
    role = role_in(judgment_list.query_set, request.user)
    steps = reports.steps_of(judgment_list.scale)
    uses = of_raters.grade_uses(judgment_list, steps)
    left_out = _chosen(request, "without", uses) if role == Role.ADMIN else None
    without = [] if left_out is None else [left_out]
    given = coverage(judgment_list).judgments
    found = reports.agreement(judgment_list, steps, without=without)
    if not without:
        figures, now = figures_of(found.headline), timezone.now()
        keep_headline(judgment_list=judgment_list, figures=figures, judgments=given, at=now)
    raters, of_each, over_time = None, [], None
    if role == Role.ADMIN:
        raters = of_raters.Raters(judgment_list, steps, uses, without=without)
        of_each = raters.figures(raters.alphas_without(found))
        ids = [one.rater_id for one in of_each]
        over_time = drift(judgment_list, steps, raters.names, ids, without=without)
    if table := request.GET.get("table", ""):
        return _file(judgment_list, table, found, raters, of_each, over_time)
    sort = request.GET.get("sort", "")
    sort = sort if sort in reports.SORTS else "worth"
    kept = {rater_id: use for rater_id, use in uses.items() if rater_id not in without}
    use = of_raters.total_use(list(kept.values()), of_raters.labels_of(steps))
    context = {
        "judgment_list": judgment_list,
        "steps": steps,
        "headline": found.headline,
        "sort": sort,
        "order": reports.SORTS[sort],
        "columns": _columns(steps),
        "page": _queries(request, found.by_query, sort),
        "use": use,
        "use_rows": list(zip(use.labels, use.counts, use.shares, strict=True)),
        "few_middle": steps.level != "nominal" and use.middle is not None and use.middle < FEW_MIDDLE,
        "left_out": left_out,
        "drift": over_time,
        "few_pairs": FEW_PAIRS,
        "few_queries": FEW_QUERIES,
        "role": role,
        "tab": "agreement",
        "trail": list_trail(judgment_list, "Agreement"),
    }
    return render(request, "judgments/agreement.html", context | _rater_context(request, raters, of_each))


def _chosen(request: MemberRequest, name: str, raters: dict[int, reports.GradeUse]) -> int | None:
    """The rater that the address names; None where it names none of this list."""
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 19 and int(text) in raters else None


def _rater_context(
    request: MemberRequest, raters: of_raters.Raters | None, figures: Sequence[of_raters.RaterFigures]
) -> dict[str, object]:
    if raters is None:
        return {}
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


def _columns(steps: reports.Steps) -> list[tuple[str, str, str]]:
    """The columns by which queries can be ordered: key, name, direction."""
    distance = "Mean distance" if steps.level == "interval" else "Grades apart, mean"
    columns = [
        ("pairs", "Pairs", "descending"),
        ("agreement", "Within a tenth" if steps.continuous else "Same grade", "ascending"),
        ("distance", distance, "descending"),
        ("alpha", "Alpha", "ascending"),
    ]
    return [column for column in columns if column[0] != "distance" or steps.level != "nominal"]


def _queries(request: MemberRequest, figures: reports.ByQuery, sort: str) -> object:
    page = Paginator(figures.order(sort).tolist(), PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = _rows(figures, list(page.object_list))
    return page


def _rows(figures: reports.ByQuery, order: Sequence[int]) -> list[QueryRow]:
    """One query for the texts."""
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
    ]


def _known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _file(
    judgment_list: JudgmentList,
    table: str,
    found: reports.Agreement,
    raters: of_raters.Raters | None,
    figures: Sequence[of_raters.RaterFigures],
    over_time: Drift | None,
) -> StreamingHttpResponse:
    if table == "queries":
        rows = _query_table(found.by_query)
    elif raters is not None and table == "raters":
        rows = _rater_table(found.steps, figures)
    elif raters is not None and table == "couples":
        rows = _couple_table(raters)
    elif over_time is not None and table == "time":
        rows = _time_table(over_time)
    else:
        raise Http404
    response = StreamingHttpResponse(csv_lines(rows), content_type="text/csv; charset=utf-8")
    name = f"{slugify(judgment_list.name) or 'list'}_agreement_{table}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _query_table(figures: reports.ByQuery) -> Iterator[Sequence[Cell]]:
    yield ["query_id", "query", "pairs", "agreement", "mean_distance", "alpha"]
    for row in _rows(figures, figures.order("worth").tolist()):
        yield [row.query.external_id, row.query.text, row.pairs, row.agreement, row.distance, row.alpha]


def _rater_table(steps: reports.Steps, figures: Sequence[of_raters.RaterFigures]) -> Iterator[Sequence[Cell]]:
    heads = ["judgments", "cannot_judge", "compared", "agreement", "kappa", "bias", "alpha_without"]
    yield ["rater", *heads, *(f"gave {label}" for label in of_raters.labels_of(steps))]
    for one in figures:
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
        "limit",
    ]
    for rater in over_time.raters:
        for nth, one in enumerate(rater.slices, start=1):
            dates = [one.since.isoformat(), one.until.isoformat()]
            figures = [one.judgments, one.same, one.apart, one.average, over_time.limit]
            yield [rater.name, nth, *dates, *figures]
