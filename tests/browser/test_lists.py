"""How an admin runs a list, and how a rater looks back, in the browser."""

import re

from django.utils import timezone
from playwright.sync_api import expect

from judgments.judging.actions import queue
from judgments.models import GoldPair, JudgmentList, Slot, User


def test_another_number_of_raters_is_saved_after_its_effect_was_read(sign_in, site, check_accessibility):
    first_pass = JudgmentList.objects.get(name="First pass")
    page = sign_in("admin")
    page.goto(f"{site}/lists/{first_pass.pk}/edit/")

    page.get_by_label("Raters per pair", exact=True).fill("4")
    page.get_by_role("button", name="Save").press("Enter")

    expect(page.get_by_text("Not saved yet.")).to_be_visible()
    expect(page.locator(".notice")).to_contain_text(re.compile("more judgments are required"))
    check_accessibility()
    page.get_by_role("button", name="Save this").first.press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    first_pass.refresh_from_db()
    assert first_pass.overlap == 4
    check_accessibility()


def test_what_a_rater_holds_is_released(sign_in, site, check_accessibility):
    first_pass = JudgmentList.objects.get(name="First pass")
    rater = User.objects.get(username="rater")
    held = len(queue.claim(user=rater, judgment_list=first_pass, at=timezone.now()))
    page = sign_in("admin")
    page.goto(f"{site}/lists/{first_pass.pk}/raters/")
    page.locator("summary", has_text=re.compile(rf"{held} pairs,\s+until")).click()
    check_accessibility()

    page.get_by_role("button", name=re.compile("^Release all")).click()

    expect(page.get_by_text(f"Released {held} pairs of rater.")).to_be_visible()
    assert not Slot.objects.filter(lease_until__gt=timezone.now()).exists()


def test_a_pair_becomes_gold_by_keyboard(sign_in, site, check_accessibility):
    first_pass = JudgmentList.objects.get(name="First pass")
    page = sign_in("admin")
    page.goto(f"{site}/lists/{first_pass.pk}/gold/")
    check_accessibility()

    page.get_by_label("Query or document").fill("tent")
    page.get_by_label("Two or more raters agree").press("Space")
    page.keyboard.press("Enter")
    page.get_by_role("link", name=re.compile("^Use")).first.press("Enter")
    check_accessibility()
    page.get_by_label("Why").fill("It is what was asked for.")
    page.get_by_role("button", name="Mark as gold").press("Enter")

    expect(page.get_by_text("Marked as gold.")).to_be_visible()
    assert GoldPair.objects.get().explanation == "It is what was asked for."
    check_accessibility()


def test_a_rater_finds_an_own_judgment_and_takes_all_home(sign_in_at_home, site, check_accessibility):
    first_pass = JudgmentList.objects.get(name="First pass")
    page = sign_in_at_home("rater")
    page.locator(".account summary").click()
    page.get_by_role("link", name="Your judgments").click()
    check_accessibility()

    page.get_by_role("link", name=f"{first_pass} {first_pass.query_set}").click()
    page.get_by_label("Query or document").fill("cast iron pan")
    page.get_by_role("button", name="Find").click()

    expect(page.get_by_role("row").nth(1)).to_contain_text("for cast iron pan")
    check_accessibility()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert download.value.suggested_filename == "first-pass_rater.csv"
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/judgments/", f"/lists/{first_pass.pk}/judge/done/"):
        page.goto(site + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
