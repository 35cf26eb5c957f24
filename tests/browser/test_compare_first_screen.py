"""The first screen of a comparison: the verdict and the forest plot, without scrolling."""

import pytest
from playwright.sync_api import Page, expect

from evaluation.models import Run
from judgments.models import JudgmentList

DESKTOP = {"width": 1360, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def address(site) -> str:
    """Three runs of the example beside the fourth."""
    judgment_list = JudgmentList.objects.get(name="First pass")
    names = ("bm25", "keyword-popularity", "postgres-fts", "title-trigram")
    runs = "-".join(str(Run.objects.get(name=name).pk) for name in names)
    return f"{site}/lists/{judgment_list.pk}/compare/?runs={runs}"


def lowest_edge(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["y"] + box["height"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("user", ["engineer", "admin"])
def test_verdict_and_forest_plot_are_on_the_first_screen(sign_in, address, size, user):
    page = sign_in(user)
    page.set_viewport_size(size)
    page.goto(address)

    expect(page.locator(".verdict")).to_have_count(3)
    expect(page.locator(".forest").first).to_be_visible()
    assert lowest_edge(page, "section.compare-verdict") <= size["height"]
    assert lowest_edge(page, "figure.forest >> nth=0") <= size["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


CUT_OFF = "regions => regions.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)"


def test_no_loss_beside_a_cause_is_cut_off(sign_in, address):
    page = sign_in("engineer")
    for width in (1440, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address)

        assert page.locator("section:has(> #fix-first) .table-region").count() == 3
        assert page.locator("section:has(> #fix-first) .table-region").evaluate_all(CUT_OFF) == [], width


def test_the_choice_of_runs_shows_on_a_phone_when_each_was_uploaded(sign_in, address):
    page = sign_in("engineer")
    page.set_viewport_size(PHONE)
    page.goto(address.split("?")[0])

    expect(page.get_by_role("region", name="Runs to choose")).to_be_visible()
    assert page.get_by_role("region", name="Runs to choose").evaluate_all(CUT_OFF) == []


@pytest.mark.sampled
def test_runs_are_removed_added_and_made_the_baseline_by_chips(sign_in, address, check_accessibility):
    page = sign_in("engineer")
    page.goto(address)

    page.get_by_role("link", name="Remove title-trigram").click()
    expect(page.locator(".verdict")).to_have_count(2)
    page.get_by_text("+ run").click()
    page.get_by_role("link", name="title-trigram", exact=True).click()
    expect(page.locator(".verdict")).to_have_count(3)
    page.get_by_text("bm25 baseline: choose another").click()
    check_accessibility()
    page.get_by_role("link", name="Make postgres-fts the baseline").click()
    expect(page.locator(".verdicts")).to_contain_text("bm25 is better than postgres-fts.")


def test_every_row_of_the_plot_says_its_numbers(sign_in, address):
    page = sign_in("engineer")
    page.goto(address)

    row = page.get_by_role("img", name="keyword-popularity: difference")
    expect(row).to_be_visible()
    name = row.get_attribute("aria-label")

    assert name is not None
    for part in ("95 % interval", "detectable from", "unjudged results leave"):
        assert part in name
