"""A second factor from the account page to the next sign-in, and the page that erases personal data."""

import os

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from judgments.models import User
from tests import factories as make
from tests.judgments.people.totp import totp
from tests.judgments.working import forget_jobs, work

SHOTS = os.environ.get("TOUCHSTONE_SHOTS", "")


def look(page: Page, name: str) -> None:
    """Saves pictures of the page where somebody wants to look at it; the width is that of desktop and telephone."""
    for width, height in ((1360, 900), (390, 844)) if SHOTS else ():
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=f"{SHOTS}/{name}-{width}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")


def enter(page: Page, site: str) -> None:
    page.goto(f"{site}/accounts/sign-in/?next={reverse('account')}")
    page.get_by_role("textbox", name="Username").fill("kim")
    page.get_by_role("textbox", name="Password").fill("pass")
    page.get_by_role("button", name="Sign in", exact=True).click()


@pytest.mark.usefixtures("transactional_db")
def test_a_second_factor_is_set_up_and_asked(page, site, settings, check_accessibility):
    settings.SECOND_FACTOR = "optional"
    make.make_user("kim")
    enter(page, site)
    page.get_by_role("link", name="Set up a second factor").click()
    check_accessibility()
    look(page, "set-up")
    secret = page.get_by_text("Type this key").locator("code").inner_text()

    page.get_by_role("textbox", name="Code").fill(totp(secret))
    page.get_by_role("textbox", name="Your password").fill("pass")
    page.get_by_role("button", name="Set up").click()

    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    check_accessibility()
    look(page, "recovery-codes")
    code = page.locator(".recovery-codes code").first.inner_text()
    page.get_by_role("link", name="I saved them").click()
    check_accessibility()
    look(page, "account")

    page.context.clear_cookies()
    enter(page, site)
    expect(page.get_by_role("heading", name="Your code")).to_be_visible()
    check_accessibility()
    look(page, "ask")
    page.get_by_role("textbox", name="Code").fill(code)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(f"{site}{reverse('account')}")


@pytest.mark.usefixtures("transactional_db")
def test_the_page_that_erases_is_for_everybody(sign_in, page, site, settings, check_accessibility):
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {"APPS": [{"provider_id": "oidc", "name": "Example Corp", "client_id": "a"}]}
    }
    page.goto(f"{site}/accounts/sign-in/")
    expect(page.get_by_role("link", name="Continue with Example Corp")).to_be_visible()
    check_accessibility()
    look(page, "sign-in")
    forget_jobs()
    User.objects.filter(username="admin").update(is_superuser=True, is_staff=True)
    sign_in("admin")
    rater = User.objects.get(username="rater")
    page.goto(f"{site}{reverse('person-erase', args=[rater.pk])}")
    check_accessibility()
    look(page, "erase")

    page.get_by_label("Type the username").fill("rater")
    page.get_by_role("button", name="Erase personal data").click()
    expect(page.get_by_text("A worker is erasing the personal data")).to_be_visible()
    check_accessibility()
    work()
    page.get_by_role("link", name="look again").click()

    expect(page.get_by_role("heading", name=f"erased-{rater.pk}")).to_be_visible()
    check_accessibility()
    look(page, "erased")
    page.goto(f"{site}{reverse('admin:judgments_user_changelist')}")
    page.get_by_role("link", name="admin", exact=True).click()
    expect(page.get_by_role("link", name="Erase personal data")).to_be_visible()
    look(page, "site-administration")
