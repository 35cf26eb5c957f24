"""The trend of runs under a judgment list."""

from itertools import groupby
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from evaluation.models import Run
from evaluation.scores.forms import TrendForm
from evaluation.scores.reports import trend as report
from evaluation.scores.reports.run_averages import WORDS
from evaluation.scores.reports.run_table import tags_of
from evaluation.scores.reports.state import list_state
from evaluation.scores.trend_chart import Mean, TrendChart, trend_chart
from evaluation.scores.views.scored_page import (
    bring_form_up_to_date,
    canonical,
    list_context,
    read_address,
    render_page,
    waits_for_scores,
)
from judgments.base.replica import reads_replica
from judgments.pages.http import MemberRequest, csv_response, json_response, parameters_without
from judgments.pages.trails import list_trail
from touchstone_core.formats.columns import csv_rows, page_table

PER_PAGE = 60
TEMPLATE = "evaluation/scores/trend.html"


@require_safe
@waits_for_scores
@reads_replica
def trend(request: MemberRequest, pk: int) -> HttpResponse | StreamingHttpResponse:
    """One measure of the runs with a tag, from the oldest to the newest, under one formula and one state of the list."""
    judgment_list, versions, form = read_address(request, pk)
    version = versions.chosen
    runs = report.runs_by_age(judgment_list)
    measures = form.measures if form.is_valid() else ()
    choice = TrendForm(
        request.GET, tags_of(runs), report.choices_on(form.formula, measures) if form.is_valid() else []
    )
    shown: list[Run] = []
    if form.is_valid() and choice.is_valid():
        if redirect := canonical(request, form):
            return redirect
        tag = choice.cleaned_data["tag"]
        newest_first = [run for run in reversed(runs) if not tag or tag in run.tags]
        page = Paginator(newest_first, PER_PAGE).get_page(request.GET.get("page"))
        shown = list(page.object_list)[::-1]
        bring_form_up_to_date(judgment_list, shown, form, version)
    steps = list_trail(judgment_list, ("Trend", ""))
    context = list_context(
        request,
        judgment_list,
        form,
        versions,
        tab="trend",
        trail=steps,
        has_average=True,
        choice=choice,
        has_runs=bool(runs),
    )
    if not (form.is_valid() and choice.is_valid()):
        return render_page(request, TEMPLATE, context, status=422)
    trend_choice = report.Trend(form.formula, form.measures, choice.cleaned_data["on"], form.average)
    points = report.points(judgment_list, shown, trend_choice, version)
    state = list_state(judgment_list, version)
    if request.GET.get("format") == "csv":
        before = {"list": judgment_list.name, "formula": form.formula.key, "measure": trend_choice.heading}
        rows = csv_rows(report.COLUMNS, points, before=before, after={"average": form.average, **state.cells})
        return csv_response(rows, judgment_list.name, "trend", tag or "runs")
    marks = report.marks(judgment_list, versions.all, [point.run for point in points])
    if request.GET.get("format") == "json":
        return json_response(report.trend_json(trend_choice, points, marks, state.as_json))
    context |= {
        "page": page,
        "points": points,
        "marks": marks,
        "trend_choice": trend_choice,
        "tag": tag,
        "chart": _chart(points, marks) if points else None,
        "table": page_table(report.COLUMNS, points),
        "caption": f"{trend_choice.heading} of the runs, the oldest first",
        "average_words": WORDS[form.average],
        "has_intervals": any(point.interval for point in points),
        "has_provisional": any(point.is_provisional for point in points),
        "state": state,
        "kept_by_choice": parameters_without(request, "tag", "on", "page"),
    }
    return render_page(request, TEMPLATE, context)


def _chart(points: list[report.Point], marks: list[report.Mark]) -> dict[str, Any]:
    """The picture, with what each dot and each mark stands for beside its place."""
    means = [
        Mean(
            point.value, *(point.interval.low, point.interval.high) if point.interval else (point.value,) * 2
        )
        for point in points
    ]
    picture: TrendChart = trend_chart(means, [mark.place for mark in marks])
    return {
        "picture": picture,
        "dots": list(zip(picture.dots, points, strict=True)),
        "marks": _marks(picture.marks, marks),
    }


def _marks(places: list[float], marks: list[report.Mark]) -> list[tuple[float, str, list[report.Mark]]]:
    """Each place with the numbers and the changes there: `2`, or `1–3` where several lie between the same two runs."""
    found = []
    numbered = enumerate(zip(places, marks, strict=True), start=1)
    for place, changes in groupby(numbered, key=lambda change: change[1][0]):
        numbers, here = zip(*((number, mark) for number, (_, mark) in changes), strict=True)
        text = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
        found.append((place, text, list(here)))
    return found
