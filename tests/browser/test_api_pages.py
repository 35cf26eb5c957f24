"""Tokens on the account page, and the page about the API, in the browser."""

import re

from playwright.sync_api import expect

from tests.browser.accessibility import axe_findings


def test_a_token_is_made_used_and_revoked(sign_in, site):
    page = sign_in("engineer")
    page.goto(f"{site}/accounts/")
    page.get_by_label("Name").fill("nightly build")
    page.get_by_role("button", name="Create token").click()

    token = page.get_by_label("The token").input_value()
    expect(page.get_by_role("row", name=re.compile("nightly build"))).to_be_visible()
    assert axe_findings(page) == []
    answer = page.request.get(f"{site}/api/v1/account", headers={"Authorization": f"Bearer {token}"})
    assert answer.json()["username"] == "engineer"

    page.get_by_role("button", name="Revoke the token nightly build").click()
    expect(page.get_by_text("is revoked")).to_be_visible()
    refused = page.request.get(f"{site}/api/v1/account", headers={"Authorization": f"Bearer {token}"})
    assert refused.status == 401


def test_the_page_about_the_api_shows_an_operation(sign_in, site):
    page = sign_in("engineer")
    page.goto(f"{site}/api/v1/docs/")
    page.locator("#upload summary").click()

    expect(page.locator("#upload")).to_contain_text("file_name")
    assert axe_findings(page) == []
