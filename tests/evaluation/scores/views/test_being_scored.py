"""Pages and calls whose scores a worker makes: another page is shown until they are there."""

import re

import pytest
from django.urls import reverse

from evaluation.scores.actions import scoring_jobs
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.api import Api
from tests.evaluation.scored import text_of
from tests.evaluation.two_runs import make_two_runs
from tests.judgments.working import taken_by_a_dead_worker
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db
WAITS = "Runs under these judgments are being scored"


@pytest.fixture(autouse=True)
def _all_is_many(monkeypatch):
    monkeypatch.setattr(scoring_jobs, "AT_ONCE", 0)


@pytest.fixture
def runs(judgment_list):
    return make_two_runs(judgment_list)


@pytest.fixture
def address(judgment_list):
    return reverse("run-table", args=[judgment_list.pk])


def score(judgment_list, runs):
    bring_up_to_date(ScoringRequest(judgment_list, runs, Formula()))


def notice_of(response):
    notice = re.search(r'id="(scored-[\w-]+)" role="status"\s[^>]*hx-trigger="every 2s"', text_of(response))
    assert notice
    return notice[1]


def test_pages_of_many_scores_wait_and_say_what_to_do_where_no_worker_runs(
    client, admin, judgment_list, runs
):
    version = freeze_version(judgment_list=judgment_list, at=make.NOW)
    own, other = [judgment_list.pk], [judgment_list.pk, runs[0].pk]
    pages = [
        reverse("run-table", args=own),
        reverse("run-trend", args=own),
        reverse("run", args=other),
        reverse("run", args=other, query={"measures": "AP"}),
        reverse("reconcile", args=other),
        reverse("list-rule", args=own, query={"rule": "majority", "tie": "lower"}),
        reverse("rater-effect", args=own),
        reverse("version-difference", args=[judgment_list.pk, version.number]),
    ]

    for page in pages:
        response = client.get(page)
        assert response.status_code == 200, page
        assert WAITS in text_of(response), page
        assert notice_of(response) == "scored-0-waiting"
        assert "If this takes more than a minute, ask whoever runs this site" in text_of(response)


def test_the_page_that_waits_stays_as_it_is_until_something_is_new_and_then_makes_way(
    client, admin, judgment_list, runs, address
):
    chosen = f"{address}?sort=-max"
    asks = {"HX-Request": "true", "HX-Trigger": notice_of(client.get(chosen))}

    waiting = client.get(chosen, headers=asks)
    taken_by_a_dead_worker()
    running = client.get(chosen, headers=asks)
    score(judgment_list, runs[:1])
    half = client.get(chosen, headers=asks | {"HX-Trigger": notice_of(running)})
    score(judgment_list, runs)
    done = client.get(chosen, headers=asks | {"HX-Trigger": notice_of(half)})

    assert (waiting.status_code, waiting.content) == (204, b"")
    assert "0 of 2 runs are done." in text_of(running)
    assert "1 of 2 runs are done." in text_of(half)
    assert "<h1>" not in text_of(half)
    assert done.headers["HX-Redirect"] == chosen
    assert "0.6309" in text_of(client.get(chosen))


@pytest.mark.parametrize("format", ["csv", "json"])
def test_a_file_that_is_not_ready_leads_to_the_page_that_says_so(client, admin, runs, address, format):
    page = client.get(f"{address}?sort=-max&format={format}", follow=True)

    assert page.redirect_chain == [(f"{address}?sort=-max", 302)]
    assert WAITS in text_of(page)


def test_another_formula_chosen_on_a_page_waits_in_its_place(client, admin, judgment_list, runs, address):
    score(judgment_list, runs)
    chosen = {"HX-Request": "true", "HX-Trigger": "formula"}

    assert WAITS not in text_of(client.get(address))
    part = text_of(client.get(f"{address}?k=3", headers=chosen))

    assert part.strip().startswith('<div id="scored">')
    assert "Waiting for a worker" in part


def test_calls_of_the_api_say_when_to_ask_again(admin, judgment_list, runs):
    version = freeze_version(judgment_list=judgment_list, at=make.NOW)
    at, api = f"lists/{judgment_list.pk}", Api(admin)
    of_run = f"{at}/runs/{runs[0].pk}"
    calls = [f"{at}/runs", of_run, f"{of_run}/queries", f"{of_run}/fix-first", f"{of_run}/reconcile"]
    calls += [f"{at}/trend", f"{at}/rule-preview?rule=majority&tie=lower", f"{at}/rater-effect"]
    calls += [f"{at}/versions/{version.number}/difference"]

    for call in calls:
        answer = api.get(call)
        assert (answer.status_code, answer.headers["Retry-After"]) == (202, "3"), call
        assert answer.json()["state"] == "waiting"
        assert answer.json()["detail"] == "The scores are being worked out; try again in a few seconds."

    score(judgment_list, runs)
    assert api.get(f"{at}/runs").status_code == 200
