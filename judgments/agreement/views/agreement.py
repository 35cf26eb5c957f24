"""How far the raters of a list agree: a page, and its tables as CSV."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judgments.agreement.actions.agreement import AgreementPendingError, agreement_of, agreement_or_ask
from judgments.agreement.rater_pairs import FEW_PAIRS
from judgments.agreement.reports import agreement as reports
from judgments.agreement.reports import rater_agreement as of_raters
from judgments.agreement.reports.agreement_tables import (
    pair_table,
    query_columns,
    query_rows,
    rater_table,
    time_table,
)
from judgments.agreement.reports.machines import COLUMNS as MACHINE_COLUMNS
from judgments.agreement.reports.noise import noise_of
from judgments.agreement.reports.stored_agreement import AgreementFigures, from_json
from judgments.agreement.resampling import FEW_QUERIES
from judgments.base.digits import written
from judgments.base.keys import key_in
from judgments.content.reports.query_sets import role_in
from judgments.models import Judgment, JudgmentList, Role
from judgments.pages.fetching import visible_list
from judgments.pages.http import MemberRequest, csv_response, is_already_shown
from judgments.pages.trails import list_page
from touchstone_core.formats.columns import csv_rows
from touchstone_core.formats.spreadsheet import Cell

TEMPLATE = "judgments/agreement/agreement.html"
PER_PAGE = 50
FEW_MIDDLE = 0.1


@require_safe
def agreement(request: MemberRequest, pk: int) -> HttpResponseBase:
    """Figures for engineers and admins; only admins see single raters. `?table=` downloads a table as CSV.

    `without` leaves a rater out of everything, `one` and `other` name two raters to compare, `sort` orders queries. Files
    are always up to date. With many judgments the page waits for a worker, or shows earlier figures and says so.
    """
    judgment_list = visible_list(request, pk)
    steps = reports.steps_of(judgment_list.scale)
    role = role_in(judgment_list.query_set, request.user)
    without = _left_out(request, judgment_list) if role == Role.ADMIN else None
    left_out = [] if without is None else [without]
    if table := request.GET.get("table", ""):
        result = agreement_of(judgment_list=judgment_list, steps=steps, without=without, at=timezone.now())
        figures = from_json(result.figures, judgment_list, steps, without=left_out)
        return _file(judgment_list, table, figures, with_raters=role == Role.ADMIN)
    context: dict[str, object] = list_page(judgment_list, role, "agreement", "Agreement") | {"steps": steps}
    try:
        result, is_stale = agreement_or_ask(
            judgment_list=judgment_list, steps=steps, without=without, at=timezone.now()
        )
    except AgreementPendingError as error:
        notice = f"agreement-{'running' if error.running else 'waiting'}"
        if is_already_shown(request, notice):
            return HttpResponse(status=204)
        return render(request, TEMPLATE, context | {"pending": error, "notice": notice})
    figures = from_json(result.figures, judgment_list, steps, without=left_out)
    context |= {"result": result, "is_stale": is_stale, "left_out": without}
    context["noise"] = noise_of(figures, judgment_list.consensus_rule)
    return render(request, TEMPLATE, context | _figures(request, figures, role))


def _left_out(request: MemberRequest, judgment_list: JudgmentList) -> int | None:
    """The rater named in the address, if this rater has judgments in the list."""
    number = key_in(request.GET.get("without"))
    return number if number is not None and is_rater_of(judgment_list, number) else None


def is_rater_of(judgment_list: JudgmentList, rater_id: int) -> bool:
    """Whether this rater has judgments in the list."""
    return Judgment.objects.real().filter(judgment_list=judgment_list, rater=rater_id).exists()


def _figures(request: MemberRequest, figures: AgreementFigures, role: str) -> dict[str, object]:
    """The figures for the template; single raters for admins only."""
    steps = figures.raters.steps
    sort = request.GET.get("sort", "")
    sort = sort if sort in reports.SORTS else "worth"
    use = of_raters.total_use(list(figures.raters.uses.values()), of_raters.labels_of(steps))
    return {
        "headline": figures.headline,
        "has_excluded": figures.headline.judgments > figures.counting_headline.judgments,
        "sort": sort,
        "order": reports.SORTS[sort],
        "columns": [column for column in query_columns(steps) if column.key],
        "fewest_first": sort in ("agreement", "alpha"),
        "page": _queries(request, figures.by_query, sort),
        "use": use,
        "use_rows": list(zip(use.labels, use.counts, use.shares, strict=True)),
        "few_middle": steps.level != "nominal" and use.middle is not None and use.middle < FEW_MIDDLE,
        "drift": figures.drift,
        "few_pairs": FEW_PAIRS,
        "few_queries": FEW_QUERIES,
        **(_rater_context(request, figures) if role == Role.ADMIN else {}),
    }


def _rater_context(request: MemberRequest, figures: AgreementFigures) -> dict[str, object]:
    raters, rows = figures.raters, figures.raters.figures(figures.alphas)
    rater_ids = [row.rater_id for row in rows[: of_raters.MATRIX_SIZE]]
    numbers = (key_in(request.GET.get(name)) for name in ("one", "other"))
    one, other = (number if number in raters.uses else None for number in numbers)
    if one is None and other is None and len(rater_ids) > 1:
        one, other = rater_ids[:2]
    confusion = raters.confusion(one, other) if one is not None and other is not None else None
    machines = {one.rater_id for one in figures.machines}
    names = sorted(
        ((key, name) for key, name in raters.names.items() if key not in machines),
        key=lambda item: (item[1], item[0]),
    )
    return {
        "raters": rows,
        "rater_names": names,
        "counted_raters": [(key, name) for key, name in names if key != key_in(request.GET.get("without"))],
        "matrix": [(row.name, cells) for row, cells in zip(rows, raters.matrix(rater_ids), strict=False)],
        "more_raters": len(rows) - len(rater_ids),
        "one": one,
        "other": other,
        "machines": [(row, _grid(row.figures.counts, raters.steps)) for row in figures.machine_rows],
        "machine_columns": [column for column in MACHINE_COLUMNS if column.label],
        "confusion": confusion,
        "grid": _grid(confusion.counts, raters.steps, {"state": "any", "rater": one, "other": other})
        if confusion
        else [],
    }


def _grid(
    counts: Sequence[Sequence[int]], steps: reports.Steps, address: dict[str, object] | None = None
) -> list[tuple[str, list[tuple[int, int, str]]]]:
    """The rows of a confusion matrix; each count with its heat and, if there is an `address`, the parameters of the link to its pairs."""
    values = [written(float(value)) for value in steps.values]
    most = max((count for row in counts for count in row), default=0) or 1
    return [
        (
            label,
            [
                (
                    count,
                    10 * count // most,
                    urlencode(address | {"gave": gave, "other_gave": other_gave}) if address else "",
                )
                for count, other_gave in zip(row, values, strict=True)
            ],
        )
        for label, gave, row in zip(steps.labels, values, counts, strict=True)
    ]


def _queries(request: MemberRequest, figures: reports.ByQuery, sort: str) -> object:
    page = Paginator(figures.order(sort).tolist(), PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = query_rows(figures, list(page.object_list))
    return page


def _file(
    judgment_list: JudgmentList, table: str, figures: AgreementFigures, *, with_raters: bool
) -> StreamingHttpResponse:
    """`with_raters`: tables of single raters are allowed."""
    rows: Iterator[Sequence[Cell]]
    if table == "queries":
        by_query = figures.by_query
        order = by_query.order("worth").tolist()
        rows = csv_rows(query_columns(figures.raters.steps), query_rows(by_query, order))
    elif with_raters and table == "raters":
        rows = rater_table(figures)
    elif with_raters and table == "couples":
        rows = pair_table(figures.raters)
    elif with_raters and table == "machines":
        rows = csv_rows(MACHINE_COLUMNS, figures.machine_rows)
    elif with_raters and table == "time":
        rows = time_table(figures.drift)
    else:
        raise Http404
    return csv_response(rows, judgment_list.name, "agreement", table)
