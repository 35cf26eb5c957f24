"""From a blank site to the verdict: files dropped together, one preview, one button. Clicks are counted."""

from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from evaluation.models import Run
from judgments.lists.actions.scales import write_presets
from judgments.models import Judgment, Query, User
from tests.browser.conftest import SCREENSHOTS
from tests.evaluation.start.views.drafting import SHOP
from tests.judgments.working import forget_jobs, work
from tests.shared_data import shared_data

MOST_CLICKS = 12
NAMELESS_PRODUCTS = "number,label,price\nd1,Red shoes,10\nd2,Blue shoes,20\nd3,Boots,30\n"


class Clicks:
    """Clicks as a hand does, and counts them. Choosing files is a click on the zone that opens the dialog."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def click(self, target: Locator) -> None:
        self.count += 1
        target.click()

    def choose(self, target: Locator, paths: list[Path]) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.click(target)
        chooser.value.set_files(paths)

    def select(self, target: Locator, label: str) -> None:
        """One click opens the list, another one chooses."""
        self.count += 2
        with self.page.expect_navigation():
            target.select_option(label=label)


@pytest.fixture
def clicks(page, live_server, transactional_db) -> Clicks:
    """On the first page of a blank site, signed in."""
    forget_jobs()
    write_presets()
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
    page.goto(live_server.url)
    return Clicks(page)


def write(folder: Path, files: dict[str, str]) -> list[Path]:
    for name, content in files.items():
        (folder / name).write_text(content)
    return [folder / name for name in files]


def take(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for width, height, kind in ((1360, 900, "desktop"), (390, 844, "phone")):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=SCREENSHOTS / f"{name}-{kind}-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 860})
    page.emulate_media(color_scheme="light")


def file_of(page: Page, name: str) -> Locator:
    return page.locator(".files > li").filter(has=page.get_by_text(name, exact=True))


def drop_zone(page: Page) -> Locator:
    return page.locator(".drop-title")


def test_small_files_lead_to_the_verdict_and_every_page_on_the_way_is_accessible(
    page, clicks, tmp_path, check_accessibility
):
    check_accessibility()
    take(page, "home-blank")
    clicks.choose(drop_zone(page), write(tmp_path, SHOP))
    clicks.click(page.get_by_role("button", name="Preview", exact=True))
    expect(page.get_by_text("Creates 2 queries, 3 documents, 3 judgments and 2 runs")).to_be_visible()
    check_accessibility()
    take(page, "draft")
    clicks.click(page.get_by_role("button", name="Show me the results"))

    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
    assert clicks.count <= MOST_CLICKS
    assert Run.objects.count() == 2


@pytest.mark.sampled
def test_what_does_not_fit_is_cured_with_a_click_each(page, clicks, tmp_path, check_accessibility):
    files = SHOP | {
        "products.csv": NAMELESS_PRODUCTS,
        "qrels.txt": SHOP["qrels.txt"] + "q3 0 d1 1\nq3 0 d2 x\n",
        "notes.md": "# Notes\n\nOf last week.\n",
        "spanish.csv": "query_id,query\nq4,año\n",
    }
    clicks.choose(drop_zone(page), write(tmp_path, files))
    clicks.click(page.get_by_role("button", name="Preview", exact=True))
    expect(page.get_by_text("Not ready")).to_be_visible()
    check_accessibility()
    take(page, "draft-problems")

    clicks.select(file_of(page, "notes.md").get_by_label("What it is"), "Leave this file out")
    clicks.select(file_of(page, "products.csv").get_by_label("document id"), "number")
    clicks.select(file_of(page, "products.csv").get_by_label("title"), "label")
    with page.expect_navigation():
        clicks.click(page.get_by_label("Leave out the 1 line with problems"))
    clicks.click(page.get_by_role("button", name="Show me the results"))

    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
    assert clicks.count <= MOST_CLICKS
    assert sorted(Query.objects.values_list("external_id", flat=True)) == ["q1", "q2", "q3", "q4"]
    assert Judgment.objects.count() == 4


def test_the_example_is_two_clicks_from_its_verdict(page, clicks, check_accessibility):
    clicks.click(page.get_by_role("button", name="Try the example"))
    expect(page.get_by_text("4 runs", exact=False).first).to_be_visible()
    check_accessibility()
    take(page, "draft-example")
    clicks.click(page.get_by_role("button", name="Show me the results"))

    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
    assert clicks.count == 2


def test_real_files_lead_to_the_verdict_in_few_clicks(page, clicks):
    folder = shared_data("esci_small")
    runs = shared_data("esci_runs")
    paths = [runs / "bm25_full_stem.trec", runs / "lsa300_full.trec"]
    paths += [folder / name for name in ("qrels.txt", "queries.csv", "products.csv")]
    clicks.choose(drop_zone(page), paths)
    clicks.click(page.get_by_role("button", name="Preview", exact=True))
    expect(page.get_by_role("status").filter(has_text="Waiting for a worker")).to_be_visible()
    take(page, "draft-is-read")
    work()
    expect(page.get_by_role("button", name="Show me the results")).to_be_visible(timeout=60_000)
    take(page, "draft-esci")
    clicks.click(page.get_by_role("button", name="Show me the results"))
    expect(page.get_by_role("status").filter(has_text="Waiting for a worker")).to_be_visible()
    take(page, "draft-waits")
    work()

    expect(page.get_by_role("heading", name="Verdict")).to_be_visible(timeout=60_000)
    take(page, "verdict-esci")
    assert clicks.count <= MOST_CLICKS
    assert Query.objects.count() == 30


@pytest.mark.sampled
@pytest.mark.sampled
def test_forty_files_fit_on_few_screens_and_folded_ones_open_by_key(
    page, clicks, tmp_path, check_accessibility
):
    """Its height was 6,400 pixels."""
    runs = {f"run-{n:02}.trec": SHOP["good.trec"].replace("good", f"run-{n:02}") for n in range(34)}
    files = SHOP | runs | {"notes.md": "# Notes\n\nOf last week.\n"}
    clicks.choose(drop_zone(page), write(tmp_path, files))
    clicks.click(page.get_by_role("button", name="Preview", exact=True))
    expect(page.get_by_text("Not ready")).to_be_visible()
    check_accessibility()
    take(page, "draft-of-forty")

    assert page.evaluate("document.documentElement.scrollHeight") < 1_800
    assert page.locator(".files > li:visible").first.inner_text().startswith("notes.md")
    fold = page.locator("summary", has_text="36 files without problems")
    fold.press("Enter")
    name = file_of(page, "run-07.trec").get_by_role("textbox", name="Name")
    expect(name).to_be_visible()
    name.fill("seventh")
    name.press("Enter")
    expect(page.locator("summary", has_text="35 files without problems")).to_be_visible()
    expect(name).to_have_value("seventh")
    check_accessibility()
