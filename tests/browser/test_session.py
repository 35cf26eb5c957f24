"""A session that ends while a page is open, in the browser."""

import re

import pytest
from playwright.sync_api import expect

from judgments.models import JudgmentList


@pytest.fixture
def run_table(sign_in, site):
    """The table of runs, open after its session has ended."""
    page = sign_in("engineer")
    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/runs/")
    page.context.clear_cookies(name="sessionid")
    page.expected_errors = ("401",)
    return page


def test_a_choice_above_a_table_leads_to_signing_in_and_to_what_was_chosen(run_table):
    page = run_table

    page.get_by_label("Formula", exact=True).select_option("quepid")
    page.wait_for_url(re.compile("/accounts/sign-in/"))
    page.locator("button[name=username][value=engineer]").click()

    page.wait_for_url(re.compile("global-uncut"))
    expect(page.get_by_label("Formula", exact=True)).to_have_value("quepid")


def test_after_signing_out_back_shows_no_page_of_the_person_who_left(sign_in, site):
    page = sign_in("admin")
    gold = f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/gold/"
    page.goto(gold)
    expect(page.get_by_role("heading", name="Gold pairs", exact=True)).to_be_visible()
    page.locator(".topbar details summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(re.compile("/accounts/sign-in/"))
    page.go_back()

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text("Gold pairs")).to_have_count(0)


def test_back_leads_through_choices_though_no_page_is_kept(sign_in, site):
    page = sign_in("engineer")
    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/runs/")
    formula = page.get_by_label("Formula", exact=True)
    first = formula.input_value()
    formula.select_option("quepid")
    page.wait_for_url(re.compile("global-uncut"))

    page.go_back()
    expect(formula).to_have_value(first)
    page.go_forward()
    expect(formula).to_have_value("quepid")

    assert page.evaluate("localStorage.getItem('htmx-history-cache')") is None
    assert page.evaluate("sessionStorage.getItem('htmx-history-cache')") is None


def test_an_upload_after_the_session_has_ended_shows_nothing_of_the_account(sign_in, site):
    page = sign_in("engineer")
    shop = JudgmentList.objects.get(name="First pass").query_set_id
    page.goto(f"{site}/query-sets/{shop}/runs/upload/")
    page.context.clear_cookies(name="sessionid")
    file = {"name": "run.trec", "mimeType": "text/plain", "buffer": b"q01 Q0 lamp-01 1 5 run\n"}
    page.locator("input[type=file]").set_input_files(file)

    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_text("your changes weren’t saved")).to_be_visible()
    expect(page.get_by_text("Enno Engineer", exact=True)).to_have_count(0)
    expect(page.get_by_role("navigation", name="Main")).to_have_count(0)
