"""The charts of a comparison show the numbers of its files, and the queries to fix say why."""

import csv
import io
import re

import pytest
from django.urls import reverse

from tests import factories as make
from tests.evaluation.scored import make_ranking, text_of
from tests.evaluation.two_runs import comparison_address as address
from tests.evaluation.two_runs import make_two_runs as make_runs

pytestmark = pytest.mark.django_db


def test_the_marks_of_the_plot_are_the_numbers_of_the_file(client, engineer, judgment_list):
    runs = [*make_runs(judgment_list, same=4), make.make_run(judgment_list.query_set, name="third")]
    for place, query in enumerate(judgment_list.query_set.queries.order_by("pk")):
        make_ranking(runs[2], query, ["unknown", f"{place}-good"])

    for on, ideal in (("global", "difference of NDCG-global"), ("max", "NDCG-max")):
        rows = client.get(address(judgment_list, *runs, on=on)).context["forest"]["rows"]
        file = client.get(address(judgment_list, *runs, page="comparison-report", on=on, format="csv"))
        _, *records = csv.DictReader(io.StringIO(file.getvalue().decode()))

        for row, record in zip(rows, records, strict=True):
            numbers = row["marks"].numbers
            assert row["run"].name == record["run"]
            numbers_of_file = {
                name: float(text) for name, text in record.items() if re.fullmatch(r"[-\d.e]+", text)
            }
            assert numbers.difference == numbers_of_file["difference"]
            ends = tuple(numbers_of_file.get(f"interval {end}") for end in ("low", "high"))
            assert (numbers.interval or (None, None)) == ends
            assert (numbers.interval is None) == (row["name"] == "third")  # which is judged less
            assert numbers.detectable == numbers_of_file.get("can show")
            bounds = tuple(numbers_of_file[f"{ideal} at {end}"] for end in ("least", "most"))
            assert (numbers.bounds or (numbers.difference,) * 2) == pytest.approx(bounds)
            settled = (
                on == "max" and row["name"] == "new"
            )  # what the third run shows moves only the ideal of global
            assert (numbers.bounds is None) == settled
            assert row["verdict"].count == numbers_of_file["won"]


def test_the_bars_of_the_causes_are_the_numbers_of_the_file(client, engineer, judgment_list):
    runs = make_runs(judgment_list)

    (row,) = client.get(address(judgment_list, *runs)).context["steps"]["rows"]
    file = client.get(address(judgment_list, *runs, page="comparison-report", format="csv"))

    _, record = csv.DictReader(io.StringIO(file.getvalue().decode()))
    assert {step["name"]: step["mean"] for step in row["steps"]} == {
        name: float(record[f"by {name}"]) for name in ("order", "depth", "recall")
    }
    assert [step["mean"] for step in row["steps"]] == sorted(step["mean"] for step in row["steps"])


def test_the_dots_of_the_segments_are_the_numbers_of_the_file(client, engineer, judgment_list):
    runs = [*make_runs(judgment_list, same=3), make.make_run(judgment_list.query_set, name="empty")]
    queries = judgment_list.query_set.queries.order_by("pk")
    queries.filter(pk__in=queries[:17].values("pk")).update(tags=["a"])
    queries.filter(pk__in=queries[17:].values("pk")).update(tags=["b"], weight=4)

    plots = client.get(address(judgment_list, *runs)).context["segment_plots"]
    file = client.get(address(judgment_list, *runs, page="comparison-report", format="json")).json()

    assert [plot["run"] for plot in plots] == runs[1:]
    for place, plot in enumerate(plots):
        rows = [row for _, of_kind in plot["kinds"] for row in of_kind]
        for row, segment in zip(rows, file["figures"]["segments"], strict=True):
            numbers, of_file = row["marks"].numbers, segment["runs"][place]
            ends = of_file["interval"]
            assert (row["name"], row["kind"]) == (segment["name"], segment["kind"])
            assert numbers.difference == of_file["mean"]
            assert numbers.interval == (ends and (ends["low"], ends["high"]))


def test_a_run_of_equal_values_has_no_segments(client, engineer, judgment_list):
    runs = make_runs(judgment_list, same=20)
    judgment_list.query_set.queries.update(tags=["a"])

    context = client.get(address(judgment_list, *runs)).context

    assert context["segments"]  # the numbers stay
    assert context["segment_plots"] == []


def test_a_plot_of_a_measure_without_bounds_has_none(client, engineer, judgment_list):
    runs = make_runs(judgment_list)

    (row,) = client.get(address(judgment_list, *runs, measures="RR", on="RR")).context["forest"]["rows"]

    assert row["marks"].bounds is None
    assert row["marks"].interval is not None


def test_several_runs_say_what_to_fix_first_and_why(client, engineer, judgment_list):
    baseline, candidate = make_runs(judgment_list)
    third = make.make_run(judgment_list.query_set, name="third")
    first = judgment_list.query_set.queries.earliest("pk")
    make_ranking(third, first, ["0-good", "0-bad"])

    response = client.get(address(judgment_list, candidate, baseline, third))

    old, empty = response.context["fixes"]
    assert [(one["difference"], one["cause"]) for one in old["worse"]] == [
        ("−0.3691", "the first relevant document fell from rank 1 to 2")
    ] * 3
    assert [(one["difference"], one["cause"]) for one in empty["worse"]] == [("−1.0000", "no results")] * 3
    assert first not in [one["query"] for one in empty["worse"]]
    assert reverse("compared-query", args=[judgment_list.pk, empty["worse"][0]["query"].pk]) in text_of(
        response
    )
