"""A page that waits for a worker, in the browser."""

import re

from playwright.sync_api import expect

from evaluation.comparisons.actions import comparing_jobs
from evaluation.models import Run
from evaluation.scores.actions import scoring_jobs
from judgments.models import JudgmentList
from tests.judgments.working import forget_jobs, work


def test_what_is_chosen_while_it_waits_stays_and_a_failed_request_is_not_the_last(
    sign_in, site, page, monkeypatch
):
    monkeypatch.setattr(comparing_jobs, "AT_ONCE", 0)
    page.expected_errors = ("503",)
    forget_jobs()
    judgment_list = JudgmentList.objects.get(name="First pass")
    runs = [Run.objects.get(name=name).pk for name in ("bm25", "postgres-fts")]
    sign_in("engineer")
    page.goto(f"{site}/lists/{judgment_list.pk}/compare/?runs={runs[0]}-{runs[1]}&k=7")
    expect(page.get_by_role("status").filter(has_text="Waiting for a worker")).to_be_visible()
    address = re.compile(re.escape("/compare/?runs="))
    third = page.get_by_role("checkbox", name="title-trigram", include_hidden=True)
    third.evaluate("box => { box.checked = true; }")

    with page.expect_response(address) as unchanged:
        pass
    page.route(address, lambda route: route.fulfill(status=503, body=""), times=1)
    with page.expect_response(lambda response: response.status == 503):
        pass
    with page.expect_response(address) as after:
        pass

    assert (unchanged.value.status, after.value.status) == (204, 204)
    expect(third).to_be_checked()
    work()
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible(timeout=30_000)


def test_a_formula_that_takes_long_to_score_is_waited_for_and_shown(sign_in, site, page, monkeypatch):
    monkeypatch.setattr(scoring_jobs, "AT_ONCE", 0)
    forget_jobs()
    judgment_list = JudgmentList.objects.get(name="First pass")
    sign_in("engineer")
    address = f"{site}/lists/{judgment_list.pk}/runs/?k=17"
    page.goto(address)
    expect(page.get_by_role("status").filter(has_text="Waiting for a worker")).to_be_visible()

    work()

    expect(page.get_by_role("table").first).to_contain_text("bm25", timeout=30_000)
    assert page.url == address
