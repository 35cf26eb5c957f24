"""The first results of both runs on the report, and its link."""

import re

import pytest

from judgments.lists.actions.versions import freeze_version
from judgments.models import Document, Role
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking
from tests.evaluation.two_runs import comparison_address
from tests.html import html_of

pytestmark = pytest.mark.django_db

PAGE = ["good", "unjudged", "bad", "beyond"]


@pytest.fixture
def runs(judgment_list):
    """The old run has four results, the new one turns them around; of the last query it has none."""
    query_set = judgment_list.query_set
    old, new = make.make_run(query_set, name="old"), make.make_run(query_set, name="new")
    for number in range(3):
        query = make.make_query(query_set, f"q{number}")
        make_grades(judgment_list, query, {"good": 3, "bad": 0})
        make_ranking(old, query, PAGE)
        if number < 2:
            make_ranking(new, query, PAGE[::-1])
    Document.objects.filter(query_set=query_set, external_id="good").update(title="A <b>good</b>\n one")
    return old, new


@pytest.fixture
def report(client, judgment_list, runs):
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
    return lambda **parameters: client.get(
        comparison_address(judgment_list, *runs, page="comparison-report", **parameters), follow=True
    )


def results_of(response, query_id):
    """By run: names and grades of the first results of the query."""
    [row] = response.context["fixes"]
    [one] = [one for one in row["worse"] if one["query"].external_id == query_id]
    return {
        run.name: [(result.name, result.grade.text or result.grade.label) for result in results]
        for run, results in one["results"]
    }


def test_each_query_has_the_first_three_results_of_both_runs_with_grades(report):
    response = report()

    assert results_of(response, "q0") == {
        "old": [("A good one", "3"), ("unjudged", "unjudged"), ("Title of bad", "0")],
        "new": [("beyond", "unjudged"), ("Title of bad", "0"), ("unjudged", "unjudged")],
    }
    assert results_of(response, "q2")["new"] == []
    page = html_of(response)
    assert re.search(r"<dt>old</dt><dd><ol><li><p><span dir=\"auto\">A good one</span>", page)
    assert "<dt>new</dt><dd>no results</dd>" in page


def test_a_version_has_the_grades_of_its_time(report, judgment_list):
    freeze_version(judgment_list=judgment_list, at=make.NOW)
    change_grade(judgment_list, judgment_list.query_set.queries.get(external_id="q0"), "good", 1)

    assert results_of(report(version="1"), "q0")["old"][0] == ("A good one", "3")
    assert results_of(report(), "q0")["old"][0] == ("A good one", "1")


def test_the_file_has_them_too(report):
    assert "A good one" in html_of(report(format="html"))


@pytest.mark.parametrize("page", ["comparison-report", "comparison"])
def test_the_address_of_the_page_can_be_copied_and_is_in_a_field_without_script(
    client, report, judgment_list, runs, page
):
    report()
    response = client.get(comparison_address(judgment_list, *runs, page=page), follow=True)

    html = html_of(response)
    [address] = re.findall(r'<input id="page-link" value="([^"]*)" readonly>', html)
    assert address.replace("&amp;", "&") == response.wsgi_request.build_absolute_uri()
    assert re.search(r'<button[^>]* data-copy="page-link"[^>]* hidden>Copy link</button>', html)


def test_a_file_for_others_has_no_field_for_its_address(report):
    assert "page-link" not in report(format="html").content.decode()
