"""What people do with the run table: filter, columns, baseline, selection, saved views."""

import re

import pytest
from django.urls import reverse

from evaluation.models import Run, SavedView
from judgments.models import Act
from tests import factories as make
from tests.evaluation.scored import cells_of, make_grades, make_ranking
from tests.evaluation.scores.views.test_run_table import address, download
from tests.html import html_of

pytestmark = pytest.mark.django_db

SECOND = 1 / 1.584962500721156  # the discount of rank 2


@pytest.fixture
def runs(judgment_list):
    """`good` puts the only relevant document first, `poor` second, `none` doesn't find it."""
    query_set = judgment_list.query_set
    query = make.make_query(query_set)
    make_grades(judgment_list, query, {"a": 3, "b": 0})
    good = make.make_run(query_set, name="good", tags=["nightly", "50% off"], commit="abc123")
    poor = make.make_run(query_set, name="poor", tags=["nightly"])
    none = make.make_run(query_set, name="none")
    for run, documents in ((good, ["a"]), (poor, ["b", "a"]), (none, ["b"])):
        make_ranking(run, query, documents)
    return good, poor, none


def names(response):
    return [row.row.run.name for row in response.context["table"].rows]


def headings(response):
    return [heading.column.heading for heading in response.context["table"].headings]


@pytest.mark.parametrize(
    ("sent", "listed"),
    [
        ({"q": "OO"}, ["good", "poor"]),
        ({"q": "night"}, ["good", "poor"]),
        ({"q": "abc1"}, ["good"]),
        ({"q": "50%"}, ["good"]),
        ({"q": "%"}, ["good"]),
        ({"q": "_"}, []),
        ({"tag": "nightly"}, ["good", "poor"]),
        ({"tag": "night"}, []),
        ({"tag": "50% off", "q": "good"}, ["good"]),
        ({"tag": "50% off", "q": "poor"}, []),
    ],
)
def test_runs_are_found_by_name_tag_and_commit(client, engineer, judgment_list, runs, sent, listed):
    response = client.get(address(judgment_list), sent)

    assert response.status_code == 200
    assert names(response) == listed
    assert response.context["page"].paginator.count == len(listed)


def test_without_a_match_the_page_leads_back_to_all_runs(client, engineer, judgment_list, runs):
    html = html_of(client.get(address(judgment_list, "?q=zzz&sort=run")))

    assert "No matching runs" in html
    assert 'href="?sort=run"' in html


@pytest.mark.parametrize("sent", [{"q": "a\x00b"}, {"tag": "a\x00"}, {"q": "x" * 201}, {"tag": "x" * 61}])
def test_a_filter_that_nothing_can_match_is_an_error_and_lists_nothing(
    client, engineer, judgment_list, runs, sent
):
    response = client.get(address(judgment_list), sent)

    assert response.status_code == 422
    assert 'role="alert"' in response.content.decode()
    assert "table" not in response.context


def test_files_have_the_runs_that_are_listed_and_what_is_said_about_them(
    client, engineer, judgment_list, runs
):
    _, (header, *rows) = download(client, address(judgment_list, "?q=abc&format=csv"))
    [row] = [dict(zip(header, row, strict=True)) for row in rows]
    [record] = client.get(address(judgment_list, "?q=abc&format=json")).json()["runs"]

    assert (row["run"], row["tags"], row["commit"]) == ("good", "nightly; 50% off", "abc123")
    assert (record["run"], record["tags"], record["commit"]) == ("good", ["nightly", "50% off"], "abc123")


def test_only_the_chosen_columns_are_shown_in_their_usual_order(client, engineer, judgment_list, runs):
    response = client.get(address(judgment_list), {"column": ["commit", "global"], "sort": "run"})
    assert response.status_code == 302
    response = client.get(response["Location"])

    assert headings(response) == ["✓", "Run", "global", "commit"]
    assert names(response) == ["good", "none", "poor"]


@pytest.mark.parametrize("columns", ["nothing", "'; DROP", "columns=global"])
def test_words_that_are_no_columns_are_ignored(client, engineer, judgment_list, runs, columns):
    usual = headings(client.get(address(judgment_list)))
    response = client.get(address(judgment_list), {"columns": columns})

    assert response.status_code == 200
    assert headings(response) == usual


def test_a_choice_of_columns_without_any_is_the_usual_table(client, engineer, judgment_list, runs):
    usual = headings(client.get(address(judgment_list)))

    assert headings(client.get(address(judgment_list), {"column": ""}, follow=True)) == usual
    assert "tags" in usual
    assert "commit" not in usual


def test_counts_that_say_nothing_are_left_out_until_somebody_asks(client, engineer, judgment_list, runs):
    usual = headings(client.get(address(judgment_list)))
    asked = headings(client.get(address(judgment_list), {"columns": "missing answered"}))
    make.make_run(judgment_list.query_set, name="empty")

    assert not {"missing", "answered"} & set(usual)
    assert asked == ["✓", "Run", "answered", "missing"]
    assert "missing" in headings(client.get(address(judgment_list)))


def test_a_pinned_baseline_gives_every_row_its_difference(client, engineer, judgment_list, runs):
    good, poor, _ = runs
    Run.objects.filter(pk=poor.pk).update(is_baseline=True)

    response = client.get(address(judgment_list), {"measures": "RR", "sort": "-change-global"})

    rows = {row.row.run.name: cells_of(row) for row in response.context["table"].rows}
    assert names(response) == ["good", "poor", "none"]
    assert rows["good"]["change-global"].number == pytest.approx(1 - SECOND, abs=1e-12)
    assert rows["none"]["change-global"].number == pytest.approx(-SECOND, abs=1e-12)
    assert rows["none"]["change-global"].text == "−0.6309"
    assert rows["poor"]["change-global"].number is None
    assert rows["good"]["change-RR"].number == pytest.approx(0.5, abs=1e-12)
    html = html_of(response)
    links = re.findall(r'href="([^"]*/compare/\?runs=[^"]*)"', html)
    assert f"/lists/{judgment_list.pk}/compare/?runs={poor.pk}-{good.pk}&amp;measures=RR&amp;on=RR" in links
    assert "doesn’t say whether it’s more than noise" in html


def test_differences_follow_the_average_that_is_shown(client, engineer, judgment_list, runs):
    good, poor, _ = runs
    Run.objects.filter(pk=poor.pk).update(is_baseline=True)
    other = make.make_query(judgment_list.query_set, weight=3)
    make_grades(judgment_list, other, {"a": 3, "b": 0})
    make_ranking(good, other, ["b", "a"])
    make_ranking(poor, other, ["a"])

    response = client.get(address(judgment_list), {"average": "weighted"})

    rows = {row.row.run.name: cells_of(row) for row in response.context["table"].rows}
    expected = ((1 + 3 * SECOND) - (SECOND + 3)) / 4
    assert rows["good"]["change-global"].number == pytest.approx(expected, abs=1e-12)


def test_without_a_baseline_there_are_no_differences(client, engineer, judgment_list, runs):
    response = client.get(address(judgment_list), {"sort": "-change-global"})

    assert response.status_code == 200
    assert not any(heading.startswith("Δ") for heading in headings(response))
    assert response.context["baseline"] is None


def test_files_have_the_differences_and_name_the_baseline(client, engineer, judgment_list, runs):
    good, poor, _ = runs
    Run.objects.filter(pk=poor.pk).update(is_baseline=True)

    _, (header, *rows) = download(client, address(judgment_list, "?format=csv"))
    found = client.get(address(judgment_list, "?format=json")).json()

    row = next(one for one in (dict(zip(header, row, strict=True)) for row in rows) if one["run"] == "good")
    assert float(row["nDCG@10 minus baseline"]) == pytest.approx(1 - SECOND, abs=1e-12)
    assert row["baseline"] == "poor"
    record = next(one for one in found["runs"] if one["id"] == good.pk)
    assert record["minus_baseline"]["nDCG@10"] == pytest.approx(1 - SECOND, abs=1e-12)
    assert found["baseline"] == "poor"


def test_a_baseline_that_a_filter_hides_still_gives_differences(client, engineer, judgment_list, runs):
    Run.objects.filter(name="poor").update(is_baseline=True)

    response = client.get(address(judgment_list), {"q": "good"})

    [row] = response.context["table"].rows
    assert cells_of(row)["change-global"].number == pytest.approx(1 - SECOND, abs=1e-12)


def test_the_selection_goes_to_the_comparison_with_the_baseline_first(client, engineer, judgment_list, runs):
    good, poor, none = runs
    Run.objects.filter(pk=poor.pk).update(is_baseline=True)
    html = html_of(client.get(address(judgment_list, "?k=5")))
    [form] = re.findall(r'<form [^>]*id="selected-runs".*?</form>', html)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))

    response = client.get(
        reverse("comparison", args=[judgment_list.pk]), fields | {"run": [good.pk, none.pk]}, follow=True
    )

    assert fields == {"k": "5", "baseline": str(poor.pk)}
    assert [run.name for run in response.context["choice"].runs] == ["poor", "good", "none"]


def test_a_view_is_saved_as_what_the_table_shows_and_leads_back_to_it(client, engineer, judgment_list, runs):
    parameters = "?k=5&q=oo&columns=global+tags&sort=run"
    page = client.get(address(judgment_list, parameters + "&page=1"))
    form = {"name": "Short", "query": page.context["view_query"], "next": address(judgment_list, parameters)}

    response = client.post(reverse("run-views", args=[judgment_list.query_set_id]), form)

    assert response["Location"] == address(judgment_list, parameters)
    view = SavedView.objects.get()
    assert (view.name, view.created_by) == ("Short", engineer)
    again = client.get(f"{address(judgment_list)}?{view.query}")
    assert headings(again) == ["✓", "Run", "global", "tags"]
    assert (names(again), again.context["formula"].cutoff) == (["good", "poor"], 5)
    assert again.context["current_view"] == view
    assert Act.objects.filter(verb="created", subject="view Short of the run table").exists()


def test_a_view_keeps_nothing_but_what_a_table_consists_of(client, engineer, judgment_list):
    sent = {"name": "Odd", "query": "k=5&page=7&version=2&next=//elsewhere&format=csv&q=a"}

    client.post(reverse("run-views", args=[judgment_list.query_set_id]), sent)

    assert SavedView.objects.get().query == "k=5&q=a"


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"name": ""}, "Fill in this field"),
        ({"name": "SHORT"}, "taken already"),
        ({"name": "x" * 81}, "at most 80"),
        ({"name": "a\x00"}, "Remove the character NUL"),
        ({"name": "Long", "query": "q=" + "x" * 20_000}, "at most 20,000"),
    ],
)
def test_a_view_that_cannot_be_saved_says_why(client, engineer, judgment_list, sent, says):
    make.make_saved_view(judgment_list.query_set, name="Short")
    back = {"next": address(judgment_list)}

    response = client.post(reverse("run-views", args=[judgment_list.query_set_id]), sent | back, follow=True)

    assert says in html_of(response)
    assert SavedView.objects.count() == 1


def test_a_query_set_has_a_limited_number_of_views(client, engineer, judgment_list, monkeypatch):
    monkeypatch.setattr("evaluation.scores.actions.saved_views.MOST_VIEWS", 1)
    make.make_saved_view(judgment_list.query_set)
    sent = {"name": "One more", "next": address(judgment_list)}

    response = client.post(reverse("run-views", args=[judgment_list.query_set_id]), sent, follow=True)

    assert "1 saved views, the most it can have" in html_of(response)
    assert SavedView.objects.count() == 1


def test_a_deleted_view_is_gone_and_in_the_log(client, engineer, judgment_list):
    view = make.make_saved_view(judgment_list.query_set, name="Short", query="k=5")

    client.post(reverse("run-view-delete", args=[view.pk]), {"next": address(judgment_list)})

    assert not SavedView.objects.exists()
    assert Act.objects.get(verb="deleted").before == {"query": "k=5"}
