"""The page that compares runs."""

import html
import re

import pytest
from django.urls import reverse

from evaluation.models import ComparisonLook, ComparisonResult
from evaluation.runs.actions.details import pin_baseline
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking, text_of
from tests.evaluation.two_runs import comparison_address as address
from tests.evaluation.two_runs import make_two_runs as make_runs
from tests.html import html_of

pytestmark = pytest.mark.django_db


def test_a_run_that_wins_every_query_is_better(client, engineer, judgment_list):
    runs = make_runs(judgment_list)

    page = text_of(client.get(address(judgment_list, *runs)))

    # From 1/log2(3) to 1 on each of 20 queries.
    assert "<strong>new is better than old.</strong>" in page
    assert "0.6309 → 1.0000, " in page
    assert "+0.3691 on average over 20 queries" in page
    assert "wins 20 of 20 queries." in re.sub("<[^>]+>", "", page)
    assert "p &lt; 0.001" in page


@pytest.mark.parametrize(
    ("on", "values"),
    [("AP", "0.5000 → 1.0000, "), ("dcg", "1.8928 → 3.0000, "), ("P@2", "0.5000 → 0.5000, ")],
)
def test_the_verdict_shows_both_values_of_any_measure(client, engineer, judgment_list, on, values):
    """The only relevant document, of grade 3, is second of one run and first of the other: 3/log2(3) = 1.8928."""
    runs = make_runs(judgment_list)

    page = text_of(client.get(address(judgment_list, *runs, on=on, measures="AP P@2")))

    assert values in page


def test_the_baseline_is_the_first_run_of_the_address(client, engineer, judgment_list):
    baseline, candidate = make_runs(judgment_list)

    page = text_of(client.get(address(judgment_list, candidate, baseline)))

    assert "<strong>old is worse than new.</strong>" in page
    assert "−0.3691 on average" in page


def test_few_changed_queries_show_nothing(client, engineer, judgment_list):
    runs = make_runs(judgment_list, same=18)

    page = text_of(client.get(address(judgment_list, *runs)))

    assert "Too few changed queries" in page
    assert "2 of 20 queries changed in value: fewer than 15, so that no test can be trusted." in page
    assert "The exact p over all 4 assignments of signs = 0.500, but it decides nothing." in page
    assert "queries needed" in page
    assert "delta-up" not in page
    assert "To detect one" not in page


def test_one_query_is_no_queries(client, engineer, judgment_list):
    runs = make_runs(judgment_list, queries=1)

    page = text_of(client.get(address(judgment_list, *runs)))

    assert "1 of 1 query changed with new" in page
    assert "1 queries" not in page
    assert "so that no test can be trusted. With a single changed query the exact p is always 1.000." in page
    assert "assignments" not in page


def test_identical_runs_are_the_same(client, engineer, judgment_list):
    runs = make_runs(judgment_list, same=20)

    page = text_of(client.get(address(judgment_list, *runs)))

    assert "The same value on every one of 20 queries." in page
    assert "0 of 20 queries changed with new" in page


def test_unjudged_documents_that_could_turn_it_take_the_badge(client, engineer, judgment_list):
    baseline, candidate = make_runs(judgment_list)
    third = make.make_run(judgment_list.query_set, name="third")
    for place, query in enumerate(judgment_list.query_set.queries.order_by("pk")):
        make_ranking(third, query, ["unknown", f"{place}-good"])

    page = text_of(client.get(address(judgment_list, third, candidate)))

    assert "<strong>new: can’t tell until more is judged.</strong>" in page
    assert "100.0 % of this run’s pages are judged" in page
    assert f" {baseline.name}" not in page.split('id="verdict"')[1].split("</section>")[0]


def test_local_and_recall_rank_nothing(client, engineer, judgment_list):
    runs = make_runs(judgment_list)

    page = text_of(client.get(address(judgment_list, *runs, on="local")))

    assert "It ranks nothing here." in page
    assert "is better than" not in page
    assert "Another skill of ordering, given what was shown" in page


def test_a_measure_that_is_no_quality_ranks_nothing(client, engineer, judgment_list):
    baseline, _ = make_runs(judgment_list)
    third = make.make_run(judgment_list.query_set, name="third")
    for place, query in enumerate(judgment_list.query_set.queries.order_by("pk")):
        make_ranking(third, query, ["unknown", f"{place}-good"])

    page = text_of(client.get(address(judgment_list, baseline, third, measures="Holes@10", on="Holes@10")))

    assert "Holes@10 does not say which run is better. It ranks nothing here." in page
    assert "<strong>third and old have different values, by more than noise.</strong>" in page
    assert "is better than" not in page


@pytest.mark.parametrize("on", ["local", "Judged@10"])
def test_where_more_is_not_better_nothing_is_won_lost_or_at_risk(client, engineer, judgment_list, on):
    runs = make_runs(judgment_list)

    page = text_of(client.get(address(judgment_list, *runs, measures="Judged@10", on=on)))

    assert re.search(r'scope="col"[^>]*> ?Higher ', page)
    assert re.search(r'scope="col"[^>]*> ?The same ', page)
    for word in ("P(better)", ">won<", ">lost<", " lost</a>", "improved", "TRisk", "worst first"):
        assert word not in page
    assert not re.search(r'scope="col"[^>]*> ?(<a [^>]*>)?(Won|Lost)\b', page)


def test_chips_lead_to_the_same_comparison_with_other_runs(client, engineer, judgment_list):
    old, new = make_runs(judgment_list, queries=1)
    third, fourth = (make.make_run(judgment_list.query_set, name=name) for name in ("third", "fourth"))

    page = text_of(client.get(address(judgment_list, old, new, third, k=5)))

    for chosen in ((old, third), (old, new), (new, old, third), (third, old, new), (old, new, third, fourth)):
        assert f'href="?runs={"-".join(str(run.pk) for run in chosen)}&amp;k=5"' in page


def test_engineers_and_admins_can_request_what_is_missing(client, judgment_list):
    baseline, _ = make_runs(judgment_list)
    third = make.make_run(judgment_list.query_set, name="third")
    for query in judgment_list.query_set.queries.all():
        make_ranking(third, query, ["unknown"])
    link = (
        f"{reverse('list-pairs', args=[judgment_list.pk])}?run={baseline.pk}&amp;run={third.pk}&amp;depth=10"
    )

    for role in (Role.ADMIN, Role.ENGINEER):
        client.force_login(make.make_member(judgment_list.query_set, role))
        assert link in text_of(client.get(address(judgment_list, baseline, third)))


def test_the_bounds_name_their_ideal(client, engineer, judgment_list):
    runs = make_runs(judgment_list)

    on_max = text_of(client.get(address(judgment_list, *runs, on="max")))
    on_dcg = text_of(client.get(address(judgment_list, *runs, on="dcg")))

    assert "NDCG-max@10, whatever grades are missing" in on_max
    assert "NDCG-global@10, whatever grades are missing" in on_dcg
    assert "if anything may exist" in on_dcg
    assert "if anything may exist" not in on_max
    assert "Difference of NDCG-max" in on_max


def test_without_bounds_it_is_said_that_nothing_is_known(client, engineer, judgment_list):
    runs = make_runs(judgment_list)
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"good": 3})
    for run in runs:
        make_ranking(run, query, ["good", "nobody judged it"])

    page = text_of(client.get(address(judgment_list, *runs, unjudged="condensed")))

    assert "this formula has no bounds" in page


def test_a_further_measure_can_be_compared(client, engineer, judgment_list):
    runs = make_runs(judgment_list)

    page = text_of(client.get(address(judgment_list, *runs, measures="RR P@1", on="P@1")))

    assert "+1.0000 on average over 20 queries" in page
    assert "<strong>new is better than old.</strong>" in page  # all is judged


def test_the_form_of_choice_leads_to_an_address_with_the_baseline_first(client, engineer, judgment_list):
    baseline, candidate = make_runs(judgment_list)
    sent = {"run": [baseline.pk, candidate.pk], "baseline": candidate.pk, "k": 5}

    response = client.get(address(judgment_list), sent)

    assert response.status_code == 302
    assert response.url == address(judgment_list, candidate, baseline, k=5)


def test_a_run_that_leaves_queries_out_says_so_and_equal_runs_have_no_chance_to_be_better(
    client, engineer, judgment_list
):
    baseline, candidate = make_runs(judgment_list, same=20)
    candidate.rankings.filter(query=judgment_list.query_set.queries.earliest("pk")).delete()
    empty = make.make_run(judgment_list.query_set, name="empty")
    again = make.make_run(judgment_list.query_set, name="again")

    page = text_of(client.get(address(judgment_list, baseline, candidate, empty)))
    equal = text_of(client.get(address(judgment_list, empty, again)))

    assert "new answers 19 of 20 judged queries; the others count as 0." in page
    assert "empty answers none of 20 judged queries; the others count as 0." in page
    assert "old answers" not in page
    assert "The same value on every one of 20 queries." in equal
    assert "Order, depth and recall gained and lost nothing." in equal
    assert "Order, depth and recall gained and lost nothing." not in page
    assert "0.0 %" not in equal.split("Values <small>")[1].split("</table>")[0]


def test_of_several_runs_some_are_chosen_with_the_pinned_one_as_baseline(client, engineer, judgment_list):
    pinned, _ = make_runs(judgment_list)
    make.make_run(judgment_list.query_set, name="another")
    pin_baseline(query_set=judgment_list.query_set, run=pinned)

    page = text_of(client.get(address(judgment_list)))

    assert "Choose the runs" in page
    assert "Verdict" not in page
    checked = re.findall(r'type="radio" name="baseline" value="(\d+)"[^>]*checked', page)
    assert checked == [str(pinned.pk)]


@pytest.mark.parametrize("pinned", [None, 0, 1])
def test_two_runs_are_compared_at_once_the_pinned_or_earlier_one_as_baseline(
    client, engineer, judgment_list, pinned
):
    runs = make_runs(judgment_list)
    if pinned is not None:
        pin_baseline(query_set=judgment_list.query_set, run=runs[pinned])
    expected = runs[::-1] if pinned == 1 else runs

    response = client.get(address(judgment_list, k="5"))

    assert response.status_code == 302
    assert response["Location"] == address(judgment_list, *expected, k="5")


def test_one_run_makes_no_comparison(client, engineer, judgment_list):
    make.make_run(judgment_list.query_set)

    assert "Two runs make a comparison" in text_of(client.get(address(judgment_list)))


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        ("{0}", "Choose at least one run to compare with the baseline."),
        ("{0}-{0}", "This link names a run twice."),
        ("{0}-999999", "1 of 2 runs of this link was deleted, or isn’t in this query set."),
        ("{0}-x", "1 of 2 runs of this link was deleted, or isn’t in this query set."),
    ],
)
def test_a_wrong_choice_of_runs_is_told(client, engineer, judgment_list, runs, sentence):
    baseline, _ = make_runs(judgment_list, queries=1)

    response = client.get(address(judgment_list), {"runs": runs.format(baseline.pk)})

    assert response.status_code == 422
    assert sentence in text_of(response)


def test_too_many_runs_are_told(client, engineer, judgment_list):
    runs = [make.make_run(judgment_list.query_set) for _ in range(21)]

    response = client.get(address(judgment_list, *runs))

    assert response.status_code == 422
    assert "Up to 20 runs are compared at once." in text_of(response)


def test_a_bad_formula_shows_no_figures(client, engineer, judgment_list):
    runs = make_runs(judgment_list, queries=1)

    response = client.get(address(judgment_list, *runs, k="0"))

    assert response.status_code == 422
    assert "Verdict" not in text_of(response)


def test_a_list_without_grades_has_nothing_to_compare(client, engineer, judgment_list):
    runs = [make.make_run(judgment_list.query_set) for _ in range(2)]

    page = text_of(client.get(address(judgment_list, *runs)))

    assert "No query has a value in every run" in page


def test_figures_are_computed_once_for_each_state_of_the_grades(client, engineer, judgment_list):
    runs = make_runs(judgment_list)
    client.get(address(judgment_list, *runs))
    client.get(address(judgment_list, *runs))

    once = ComparisonResult.objects.count()
    change_grade(judgment_list, judgment_list.query_set.queries.first(), "0-bad", 1)
    client.get(address(judgment_list, *runs))

    assert (once, ComparisonResult.objects.count()) == (1, 2)


def test_two_runs_are_counted_once_whichever_is_the_baseline(client, engineer, judgment_list):
    baseline, candidate = make_runs(judgment_list)

    client.get(address(judgment_list, baseline, candidate))
    page = text_of(client.get(address(judgment_list, candidate, baseline)))
    client.get(address(judgment_list, candidate, baseline, on="max"))

    assert "1 comparison of two runs has been made on this query set" in page
    assert sorted(ComparisonLook.objects.values_list("measure", "by")) == [
        ("nDCG(ideal='max')@10", engineer.pk),
        ("nDCG@10", engineer.pk),
    ]


def test_three_runs_stand_beside_each_other_too(client, engineer, judgment_list):
    runs = [*make_runs(judgment_list), make.make_run(judgment_list.query_set, name="empty")]

    page = text_of(client.get(address(judgment_list, *runs)))

    assert "randomized Tukey HSD" in page
    assert "adjusted for 2 runs" in page


def test_each_further_measure_stands_under_its_own_name(client, engineer, judgment_list):
    """PostgreSQL keeps the names of a record sorted, shorter ones first: here not as the address has them."""
    runs = make_runs(judgment_list)

    table = client.get(address(judgment_list, *runs, measures="P@1 RR")).context["tables"]["values"]

    headings = [heading.column.heading for heading in table.headings]
    shown = [dict(zip(headings, row.cells, strict=True)) for row in table.rows]
    assert headings[6:8] == ["P@1", "RR"]
    assert [[row[name].value.text for name in ("P@1", "RR")] for row in shown] == [
        ["0.0000", "0.5000"],
        ["1.0000", "1.0000"],
    ]


@pytest.mark.parametrize("name", ["comparison", "comparison-report", "compared-queries", "compared-query"])
def test_a_measure_that_is_not_among_the_further_ones_is_named_beside_what_is_shown(
    client, engineer, judgment_list, name
):
    runs = make_runs(judgment_list)
    keys = [judgment_list.pk]
    if name == "compared-query":
        keys.append(judgment_list.query_set.queries.first().pk)
    parameters = {"runs": "-".join(str(run.pk) for run in runs), "on": "RR"}

    def page_with(measures):
        response = client.get(reverse(name, args=keys), parameters | {"measures": measures}, follow=True)
        return html_of(response)

    says = "NDCG-global@10 is shown:</strong> this link asks for RR, which isn’t among its further measures."
    assert says in page_with("AP")
    assert "this link asks for" not in page_with("AP RR")
    links = re.findall(r'href="([^"]*)">Show RR</a>', page_with("AP"))
    assert ["measures=AP+RR" in link for link in links] == ([] if name == "comparison-report" else [True])


@pytest.mark.parametrize("on", ["bogus", "'", "AP P@1"])
def test_what_is_no_measure_is_refused(client, engineer, judgment_list, on):
    runs = make_runs(judgment_list)

    response = client.get(address(judgment_list, *runs, on=on))

    assert response.status_code == 422
    assert f"Nothing is compared because “{on}” isn’t a measure." in html.unescape(text_of(response))
    assert "comparison" not in response.context


def test_pages_of_a_comparison_on_what_is_no_measure_lead_to_the_one_that_says_so(
    client, engineer, judgment_list
):
    runs = make_runs(judgment_list)

    response = client.get(address(judgment_list, *runs, page="comparison-report", on="bogus"), follow=True)

    assert response.status_code == 422
