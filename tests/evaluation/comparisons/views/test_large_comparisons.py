"""Pages of a comparison that a worker makes: each says so, and what somebody typed stays."""

import re

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.comparisons.actions import comparing_jobs
from evaluation.comparisons.actions.comparing import Question, compare_runs
from evaluation.models import Comparison
from tests import factories as make
from tests.evaluation.scored import change_grade, text_of
from tests.evaluation.two_runs import comparison_address, make_two_runs
from tests.judgments.working import taken_by_a_dead_worker
from touchstone_core.metrics.formula import Formula

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engineer")]
LATER = "The comparison is being worked out; try again in a few seconds."


@pytest.fixture(autouse=True)
def _everything_is_large(monkeypatch):
    monkeypatch.setattr(comparing_jobs, "AT_ONCE", 9)


@pytest.fixture
def runs(judgment_list):
    return make_two_runs(judgment_list)


@pytest.fixture
def outdated(judgment_list, runs):
    """There is an answer of earlier grades."""
    question = Question(judgment_list=judgment_list, version=None, runs=runs, formula=Formula(), on="global")
    compare_runs(question=question, user=None, at=make.NOW)
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)


@pytest.mark.parametrize("form", [{}, {"format": "csv"}, {"format": "json"}])
def test_report_and_files_of_an_outdated_comparison_say_why_they_do_not_come(
    client, judgment_list, runs, outdated, form
):
    page = client.get(comparison_address(judgment_list, *runs, page="comparison-report", **form), follow=True)

    assert page.redirect_chain == [(comparison_address(judgment_list, *runs), 302)]
    assert LATER in text_of(page)
    assert "Verdict" in text_of(page)


def test_the_queries_of_runs_that_were_never_scored_say_why_they_do_not_come(client, judgment_list, runs):
    page = client.get(comparison_address(judgment_list, *runs, page="compared-queries"), follow=True)

    assert LATER in text_of(page)
    assert "Waiting for a worker" in text_of(page)


def test_an_outdated_comparison_says_what_to_do_where_no_worker_runs(client, judgment_list, runs, outdated):
    page = text_of(client.get(comparison_address(judgment_list, *runs)))

    assert "A worker is computing it again." in page
    assert "If this takes more than a minute, ask whoever runs this site" in page


def test_the_queries_of_an_outdated_comparison_are_shown(client, judgment_list, runs, outdated):
    page = client.get(comparison_address(judgment_list, *runs, page="compared-queries"))

    assert page.status_code == 200
    assert not ProcrastinateJob.objects.filter(args__list_id=judgment_list.pk).exists()


def test_what_was_typed_to_save_an_outdated_comparison_stays(client, judgment_list, runs, outdated):
    address = comparison_address(judgment_list, *runs, page="comparison-save")

    page = client.post(address, {"name": "New ranker", "notes": "With synonyms."})

    assert page.status_code == 422
    assert LATER in text_of(page)
    assert 'value="New ranker"' in text_of(page)
    assert "With synonyms." in text_of(page)
    assert not Comparison.objects.filter(judgment_list=judgment_list).exists()


def test_what_cannot_be_compared_is_told_by_the_page_alone(client, judgment_list, runs):
    empty = make.make_list(judgment_list.query_set)

    page = client.get(comparison_address(empty, *runs, page="comparison-report"), follow=True)

    assert text_of(page).count("there is nothing to compare") == 1


def test_while_nothing_has_changed_the_page_that_waits_stays_as_it_is(client, judgment_list, runs):
    page = comparison_address(judgment_list, *runs)
    notice = re.search(
        r'id="(compared-\w+)" role="status" [^>]*hx-trigger="every 2s"', text_of(client.get(page))
    )
    asks = {"HX-Request": "true", "HX-Trigger": notice[1]}

    waiting = client.get(page, headers=asks)
    another_choice = client.get(page, headers={"HX-Request": "true", "HX-Trigger": "formula"})
    taken_by_a_dead_worker()
    running = client.get(page, headers=asks)
    question = Question(judgment_list=judgment_list, version=None, runs=runs, formula=Formula(), on="global")
    compare_runs(question=question, user=None, at=make.NOW)
    done = client.get(page, headers=asks)

    assert (waiting.status_code, waiting.content) == (204, b"")
    assert "Waiting for a worker" in text_of(another_choice)
    assert "Being computed" in text_of(running)
    for page in (another_choice, running):
        assert "If this takes more than a minute, ask whoever runs this site" in text_of(page)
    assert "Verdict" in text_of(done)
