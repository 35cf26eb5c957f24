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
