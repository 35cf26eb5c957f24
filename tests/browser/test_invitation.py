"""From an invitation to the first judgment, in the browser; and what becomes of a query set afterwards."""

import re

import pytest
from playwright.sync_api import expect

from judgments.models import Judgment, QuerySet, User


def test_somebody_is_invited_joins_and_judges(sign_in, site, check_accessibility):
    page = sign_in("admin")
    shop = QuerySet.objects.get(name="Outdoor shop")
    page.goto(f"{site}/query-sets/{shop.pk}/members/")
    check_accessibility()
    page.get_by_label("For whom").fill("Rita")
    page.get_by_role("button", name="Create link").click()
    check_accessibility()
    link = page.get_by_label("Link of the invitation").input_value()
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.context.clear_cookies()

    page.goto(link)
    check_accessibility()
    expect(page.locator("h1")).to_have_text("Join Outdoor shop")
    form = page.locator("form", has=page.get_by_role("button", name="Create account and join"))
    form.get_by_label("Username").fill("rita")
    for field in form.locator("input[type=password]").all():
        field.fill("kettle-and-teapot")
    form.get_by_role("button").click()
    expect(page.get_by_text("You are now rater of Outdoor shop.")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Judge")).first.click()
    page.get_by_role("button", name=re.compile("Highly relevant")).click()
    expect(page.get_by_text(re.compile("Highly relevant saved")).first).to_be_visible()

    rita = User.objects.get(username="rita")
    assert Judgment.objects.filter(rater__user=rita).count() == 1
    page.goto(link)
    expect(page.get_by_text("You already joined as rater")).to_be_visible()
    check_accessibility()


@pytest.mark.sampled
def test_a_query_set_is_archived_copied_and_deleted(sign_in, site, check_accessibility):
    page = sign_in("admin")
    zoo = QuerySet.objects.get(name="Zoolander")
    page.goto(f"{site}/query-sets/{zoo.pk}/edit/")
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("nothing in it can be changed").first).to_be_visible()
    page.goto(f"{site}/query-sets/{zoo.pk}/edit/")
    check_accessibility()

    page.get_by_role("link", name="Copy").click()
    check_accessibility()
    page.get_by_label("Judgments with their consensus grades").check()
    page.get_by_role("button", name="Create copy").click()
    expect(page.locator("h1")).to_have_text("Zoolander (copy)")

    page.goto(f"{site}/query-sets/{zoo.pk}/delete/")
    check_accessibility()
    page.get_by_label(re.compile("Type its name")).fill("Zoolander")
    page.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_text("Zoolander was deleted with everything in it.")).to_be_visible()
    check_accessibility()

    assert sorted(QuerySet.objects.values_list("name", flat=True)) == ["Outdoor shop", "Zoolander (copy)"]
