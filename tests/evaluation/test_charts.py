"""Every chart shows the numbers of its file: what is drawn is read from the page and compared with the CSV or JSON beside it.

Places in a picture are numbers on a line: two of them fix it, and then all others must lie on it, too.
"""

import csv
import io
import json
import re
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import pytest
from django.conf import settings
from django.urls import reverse

from evaluation.models import Run
from judgments.models import Role
from judgments.overview.reports.burn_down import burn_down
from judgments.overview.sql import Daily
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from tests.evaluation.two_runs import comparison_address, make_two_runs
from tests.judgments.agreed import Agreed

pytestmark = pytest.mark.django_db

DRAWN = {
    "evaluation/comparisons/parts/forest_row.html": "test_the_forest_plot_and_the_bars_of_causes",
    "evaluation/comparisons/parts/compared_causes.html": "test_the_forest_plot_and_the_bars_of_causes",
    "evaluation/comparisons/parts/compared_charts.html": "test_the_charts_of_all_queries",
    "evaluation/scores/parts/trend_chart.html": "test_the_trend_and_the_small_one",
    "evaluation/scores/parts/spread.html": "test_the_histogram_of_a_run",
    "evaluation/scores/parts/sparkline.html": "test_the_trend_and_the_small_one",
    "judgments/agreement/agreement.html": "test_the_bar_of_alpha",
    "judgments/agreement/parts/agreement_drift.html": "test_the_lines_of_raters_over_time",
    "judgments/overview/parts/burn_down.html": "test_the_burn_down",
}
"""The test of each template with a chart of data. The ladders are drawn by a tag: `test_the_ladders_of_losses`."""
NO_DATA = {
    "evaluation/comparisons/parts/compared_forest.html",  # the keys of its legend
    "evaluation/comparisons/parts/forest_axis.html",
    "evaluation/comparisons/parts/two_rankings.html",  # lines between documents: tests/browser/test_comparison.py
    "evaluation/guide/chapters/ideals.html",
    "evaluation/guide/learn.html",  # tests/browser/test_learning.py
    "judgments/judging/judge.html",
    "judgments/lists/scale.html",
    "parts/ladder_legend.html",
}


def html_of(client, address):
    return " ".join(client.get(address).content.decode().split())


def csv_of(client, address):
    response = client.get(address)
    text = b"".join(response.streaming_content) if response.streaming else response.content
    return list(csv.DictReader(io.StringIO(text.decode())))


def numbers(pattern: str, html: str) -> list[float]:
    return [float(one) for one in re.findall(pattern, html)]


def on_a_line(
    places: Sequence[float], values: Sequence[float], *, within: float, turned: bool = False
) -> bool:
    """Whether places grow with the values by one straight line; `turned`: they fall, as heights in SVG do."""
    assert len(places) == len(values) > 1
    assert np.ptp(values) > 0
    slope, start = np.polyfit(values, places, 1)
    return (slope < 0) == turned and bool(
        np.allclose(slope * np.array(values) + start, places, atol=within, rtol=0)
    )


def test_every_chart_has_a_test():
    templates = settings.BASE_DIR / "templates"
    found = {
        str(path.relative_to(templates))
        for path in templates.rglob("*.html")
        if re.search(r"<svg|data-chart=", path.read_text())
    }

    assert found == set(DRAWN) | NO_DATA
    assert set(DRAWN.values()) <= set(globals())


def test_the_forest_plot_and_the_bars_of_causes(client, engineer, judgment_list):
    runs = [*make_two_runs(judgment_list, same=4), make.make_run(judgment_list.query_set, name="third")]
    for place, query in enumerate(judgment_list.query_set.queries.order_by("pk")):
        make_ranking(runs[2], query, ["unknown", f"{place}-good"] if place % 3 else ["unknown"])

    html = html_of(client, comparison_address(judgment_list, *runs))
    _, *records = csv_of(
        client, comparison_address(judgment_list, *runs, page="comparison-report", format="csv")
    )

    forest = re.search(r'<figure class="forest".*?</figure>', html)[0]
    intervals = re.findall(r'<line class="forest-interval" x1="([-\d.]+)%" x2="([-\d.]+)%" y1="42%"', forest)
    bounds = re.findall(r'<line class="forest-bounds" x1="([-\d.]+)%" x2="([-\d.]+)%" y1="78%"', forest)
    places = numbers(r'<circle class="forest-dot" cx="([-\d.]+)%" cy="42%"', forest)
    places += [float(end) for ends in (*intervals, *bounds) for end in ends]
    ideal = "difference of NDCG-global"
    values = [float(record["difference"]) for record in records]
    for names in (("interval low", "interval high"), (f"{ideal} at least", f"{ideal} at most")):
        values += [float(record[name]) for record in records for name in names if record[name]]
    assert on_a_line(places, values, within=0.01)

    causes = re.search(r'<figure class="causes".*?</figure>', html)[0]
    bars = re.findall(r'class="cause-bar cause-(lost|gained|open)" x="[-\d.]+%" width="([-\d.]+)%"', causes)
    drawn = [float(width) * (-1 if kind == "lost" else 1) for kind, width in bars]
    of_file = [float(record[f"by {name}"]) for record in records for name in ("recall", "depth", "order")]
    told, untold = of_file[:3], of_file[3:]  # the third run is judged less, so its bars have no color
    assert [kind for kind, _ in bars] == ["lost" if one < 0 else "gained" for one in told] + ["open"] * 3
    assert on_a_line(drawn, [*told, *map(abs, untold)], within=0.01)


def test_the_charts_of_all_queries(client, engineer, judgment_list):
    runs = make_two_runs(judgment_list, same=4)

    html = html_of(client, comparison_address(judgment_list, *runs, page="compared-queries"))
    records = csv_of(client, comparison_address(judgment_list, *runs, page="compared-queries", format="csv"))

    points = json.loads(re.search(r'id="compared-points"[^>]*>(.*?)</script>', html)[1])["points"]
    drawn = sorted(tuple(point[2:4]) for point in points)
    of_file = sorted((float(one["baseline value"]), float(one["run value"])) for one in records)
    assert np.allclose(drawn, of_file, atol=5e-6, rtol=0)  # five digits are drawn


def test_the_trend_and_the_small_one(client, engineer, judgment_list):
    query_set = judgment_list.query_set
    queries = [make.make_query(query_set) for _ in range(16)]
    for query in queries:
        make_grades(judgment_list, query, {f"{query.external_id}-a": 3})
    for day, hits in enumerate((3, 9, 6, 14)):
        run = make.make_run(query_set, tags=["nightly"])
        Run.objects.filter(pk=run.pk).update(created_at=make.NOW + timedelta(days=day))
        for at, query in enumerate(queries):
            make_ranking(run, query, [f"{query.external_id}-a"] if at < hits else ["x"])
    address = reverse("run-trend", args=[judgment_list.pk]) + "?tag=nightly"

    html = html_of(client, address)
    records = csv_of(client, f"{address}&format=csv")
    home = html_of(client, reverse("home"))

    values = [float(record["value"]) for record in records]
    ends = re.findall(r'class="trend-interval"[^>]*y1="([\d.]+)" y2="([\d.]+)"', html)
    heights = numbers(r'<circle cx="[\d.]+%" cy="([\d.]+)" r="4.5"[^>]*/>', html)
    heights += [float(end) for pair in ends for end in pair]
    of_file = values + [float(record[name]) for record in records for name in ("low", "high")]
    assert on_a_line(heights, of_file, within=0.1, turned=True)
    steps = re.findall(r'class="trend-line"[^>]*y1="([\d.]+)" y2="([\d.]+)"', html)
    assert [float(start) for start, _ in steps] + [float(steps[-1][1])] == heights[: len(values)]
    small = re.search(r'<polyline points="([^"]+)"', home)[1]
    assert on_a_line([float(one.split(",")[1]) for one in small.split()], values, within=0.1, turned=True)


def test_the_histogram_of_a_run(client, engineer, judgment_list):
    run = make.make_run(judgment_list.query_set)
    for place in range(12):
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, {f"{place}-a": 3})
        make_ranking(
            run, query, [*(f"x{rank}" for rank in range(place // 2)), f"{place}-a"] if place != 5 else ["x"]
        )
    address = reverse("run", args=[judgment_list.pk, run.pk])

    html = html_of(client, address)
    values = [float(record["nDCG@10"]) for record in csv_of(client, f"{address}?format=csv")]

    histogram = re.search(r'<ol class="histogram">.*?</ol>', html)[0]
    heights = numbers(r'<rect width="100%" y="[\d.]+%" height="([\d.]+)%"', histogram)
    tops = numbers(r'<rect width="100%" y="([\d.]+)%"', histogram)
    counts = np.histogram(values, np.arange(11) / 10)[0].tolist()
    assert numbers(r">(\d+)</text>", histogram) == counts
    assert sum(counts) == 12
    assert max(heights) == 100
    assert on_a_line(heights, counts, within=0.01)
    assert [height + top for height, top in zip(heights, tops, strict=True)] == [100] * 10


def test_the_ladders_of_losses(client, engineer, judgment_list):
    run, _ = make_two_runs(judgment_list, same=4)
    query = judgment_list.query_set.queries.earliest("pk")
    make_grades(judgment_list, query, {"missed": 2})
    table = reverse("run-table", args=[judgment_list.pk])
    page = reverse("run", args=[judgment_list.pk, run.pk])
    drill_down = reverse("run-query", args=[judgment_list.pk, run.pk, query.pk])

    def drawn(address, size):
        ladder = re.search(rf'<svg class="ladder {size}".*?</svg>', html_of(client, address))[0]
        return dict(re.findall(r'class="seg seg-(\w+)" x="[\d.]+%" width="([\d.]+)%"', ladder))

    def shares(points):
        return {key: 100 * value / sum(points.values()) for key, value in points.items() if value > 0}

    client.get(table)
    (record,) = [one for one in csv_of(client, f"{table}?format=csv&sort=run") if one["run"] == run.name]
    of_file = {name.removeprefix("sum_"): float(record[name]) for name in record if name.startswith("sum_")}
    of_run = client.get(f"{page}?format=json").json()["dcg_points"]
    of_query = client.get(f"{drill_down}?format=json").json()
    lost = of_query["lost"] | {
        "dcg": next(value for key, value in of_query["values"].items() if key.startswith("DCG"))
    }

    for address, size, points in (
        (f"{table}?q={run.name}", "ladder-small", of_file),
        (page, "ladder-large", of_run),
        (drill_down, "ladder-large", lost),
    ):
        assert {key: float(width) for key, width in drawn(address, size).items()} == pytest.approx(
            shares(points), abs=0.01
        )


@pytest.fixture
def scene():
    """Forty pairs: Bob grades as Ann at first, and higher for the last twenty."""
    scene = Agreed(queries=10, documents=4)
    scene.rater("ann", [1.0, 2.0] * 20)
    scene.rater("bob", [1.0, 2.0] * 10 + [2.0, 3.0] * 10)
    return scene


def test_the_lines_of_raters_over_time(client, scene):
    client.force_login(scene.member(Role.ADMIN))
    address = reverse("list-agreement", args=[scene.list.pk])

    html = html_of(client, address)
    records = [one for one in csv_of(client, f"{address}?table=time") if one["rater"] == "bob"]

    line = re.search(r'aria-label="bob: the moving.*?<polyline class="drift-line" points="([^"]+)"', html)[1]
    heights = [float(point.split(",")[1]) for point in line.split()]
    ends = np.cumsum([int(record["judgments"]) for record in records]) - 1
    averages = [float(record["moving_average"]) for record in records]
    assert on_a_line([heights[end] for end in ends], averages, within=0.02, turned=True)


def test_the_bar_of_alpha(client, scene):
    client.force_login(scene.member(Role.ADMIN))

    html = html_of(client, reverse("list-agreement", args=[scene.list.pk]))

    bar = re.search(
        r'<svg class="ladder".*?Alpha ([\d.]+) on a line.*?seg-dcg" x="0%" width="([\d.]+)%"', html
    )
    alpha = float(re.search(r"<dt>Alpha</dt>\s*<dd>([\d.]+)</dd>", html)[1])
    assert float(bar[1]) == pytest.approx(alpha, abs=0.005)
    assert float(bar[2]) == pytest.approx(100 * alpha, abs=0.01)


def test_the_burn_down():
    """There is no file: the table below the chart has the numbers."""
    today = date(2026, 11, 20)
    given = [(7, 30), (6, 0), (5, 12), (4, 40), (3, 5), (2, 9), (1, 20), (0, 3)]
    daily = [Daily(1, today - timedelta(days=days), count, count) for days, count in given if count]

    report = burn_down(daily, missing=37, today=today)

    heights = [float(point.split(",")[1]) for point in report.chart.line.split()]
    assert on_a_line(heights, [day.left for day in report.days], within=0.01, turned=True)
    assert report.days[-1].left == 37
