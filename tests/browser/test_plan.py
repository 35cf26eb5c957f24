"""An admin plans the judging of a list, in the browser."""

import re
from datetime import timedelta

from django.utils import timezone
from playwright.sync_api import expect


def test_a_plan_for_500_queries_4_raters_and_a_deadline_in_ten_clicks(sign_in, site, check_accessibility):
    page = sign_in("admin")
    clicks = []

    def click(locator):
        clicks.append(locator)
        locator.click()

    def enter(label, value):
        field = page.get_by_role("form", name="Plan").get_by_label(label)
        click(field)
        field.fill(value)

    page.goto(site)
    click(page.get_by_role("navigation", name="Main").get_by_role("link", name="Query sets"))
    click(page.get_by_role("link", name="Outdoor shop", exact=True))
    click(page.get_by_role("link", name=re.compile("^First pass")))
    click(page.get_by_role("link", name="Judging", exact=True))
    click(page.get_by_role("link", name="Plan", exact=True))
    check_accessibility()
    enter("Raters", "4")
    enter("Queries", "500")
    enter("New documents per query", "10")
    enter("Deadline", (timezone.localdate() + timedelta(days=14)).isoformat())
    click(page.get_by_role("button", name="Show plan"))

    expect(page.get_by_text("4 raters finish 15,124 judgments")).to_be_visible()
    expect(page.get_by_role("columnheader", name="New documents per query that fit")).to_be_visible()
    assert len(clicks) <= 10
    check_accessibility()
