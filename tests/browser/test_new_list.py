"""A new judgment list in the browser: presets keep what was entered, and Enter creates the list."""

from playwright.sync_api import expect

from judgments.models import JudgmentList, QuerySet


def test_a_preset_keeps_what_was_entered_and_enter_creates_the_list(sign_in, site, check_accessibility):
    shop = QuerySet.objects.get(name="Outdoor shop")
    page = sign_in("admin")
    page.goto(f"{site}/query-sets/{shop.pk}/lists/new/")
    page.get_by_label("Name", exact=True).fill("Spring")
    page.get_by_text("All settings").click()
    page.get_by_label("Description").fill("Before the new ranker")
    page.get_by_label("Scale", exact=True).select_option(label="ESCI")
    page.get_by_role("button", name="Audited").click()

    expect(page.get_by_role("button", name="Audited")).to_have_attribute("aria-current", "true")
    expect(page.get_by_label("Description")).to_have_value("Before the new ranker")
    check_accessibility()
    page.get_by_label("Name", exact=True).press("Enter")

    expect(page.get_by_text("Created Spring.")).to_be_visible()
    made = JudgmentList.objects.get(name="Spring")
    assert (made.description, made.scale.name, made.overlap) == ("Before the new ranker", "ESCI", 3)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site}/query-sets/{shop.pk}/lists/new/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
