"""The rating screen in a real browser: keys, announcements, what is kept when saving fails."""

import csv
import re

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import expect

from judgments.actions.pairs import add_pairs
from judgments.models import Document, Judgment, Query
from tests import factories as make
from tests.browser.accessibility import serious_violations
from tests.shared_data import shared_data

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GUIDELINES = """
Judge how well the product **fulfills the query**, not how good the product is.

- *Exact*: everything that was asked for, brand and size included.
- *Substitute*: could serve in its place.

When in doubt between two grades, take the lower one.
"""


@pytest.fixture
def judgment_list():
    """Six real products for each of three real queries; the last product has a body in HTML."""
    folder = shared_data("esci_small")
    query_set = make.make_query_set(name="Shop")
    with (folder / "products.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["bullet_points"]][:6]
    documents = [
        Document.objects.create(
            query_set=query_set,
            external_id=row["asin"],
            title=row["title"],
            body=row["description"] or "<p>Soft &amp; <b>light</b>.</p><ul><li>one</li></ul>",
            url=f"https://shop.example/{row['asin']}",
            fields={name: row[name] for name in ("brand", "color", "category", "bullet_points") if row[name]},
        ).pk
        for row in rows
    ]
    texts = ["kindle paperwhite waterproof", "silicone earring backs for sensitive ears", "light"]
    need = "Finds a reader that can be used in the bath. Accessories are of no use."
    queries = [
        Query.objects.create(query_set=query_set, external_id=text, text=text, information_need=need).pk
        for text in texts
    ]
    found = make.make_list(
        query_set, name="First pass", scale=make.preset("ESCI"), guidelines=GUIDELINES, guidelines_version=1
    )
    add_pairs(judgment_list=found, pairs=[(query, one) for query in queries for one in documents])
    return found


@pytest.fixture
def rater(judgment_list):
    return make.make_member(judgment_list.query_set, "rater", first_name="Rita", last_name="Rater")


def sign_in(context, live_server, user):
    session = SessionStore()
    session[SESSION_KEY] = user._meta.pk.value_to_string(user)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session.session_key, "url": live_server.url}
    context.add_cookies([cookie])


@pytest.fixture
def screen(browser, live_server, judgment_list, rater):
    """The first card in a window of its own. What the console complains about fails the test."""
    errors = []
    page = browser.new_page()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    sign_in(page.context, live_server, rater)
    page.goto(f"{live_server.url}/lists/{judgment_list.pk}/judge/")
    yield page
    page.close()
    expected = ("Failed to load resource", "Response Status Error Code")
    assert [error for error in errors if not error.startswith(expected)] == []


def step(page):
    return page.locator(".query-step")


def say(page):
    return page.locator("#judge-announce")


def test_twenty_keys_judge_and_every_step_is_said(screen):
    expect(step(screen)).to_have_text("Query 1 of 3 · document 1 of 6")

    for number in range(1, 6):
        screen.keyboard.press(str(number % 4))
        expect(step(screen)).to_have_text(f"Query 1 of 3 · document {number + 1} of 6")
        expect(say(screen)).to_contain_text(f"saved. Document {number + 1} of 6")

    assert Judgment.objects.filter(method="key", active_ms__isnull=False, wall_ms__isnull=False).count() == 5
    expect(screen.locator(".save-state")).to_have_text(re.compile(r"saved \d\d:\d\d:\d\d"))


def test_a_new_query_is_announced_and_keys_wait_a_moment(screen):
    for number in range(2, 8):
        screen.keyboard.press("1")
        place = f"Query 1 of 3 · document {number} of 6" if number < 7 else "Query 2 of 3 · document 1 of 6"
        expect(step(screen)).to_have_text(place)
    screen.keyboard.press("2")

    expect(say(screen)).to_contain_text("New query. Query 2 of 3: silicone earring backs")
    expect(screen.locator(".query-new")).to_be_visible()
    assert Judgment.objects.count() == 6
    screen.wait_for_timeout(700)
    screen.keyboard.press("2")
    expect(step(screen)).to_have_text("Query 2 of 3 · document 2 of 6")


def test_undo_skip_reasons_comment_and_folds_have_keys(screen):
    title = screen.locator(".doc-title").inner_text()
    screen.keyboard.press("3")
    expect(step(screen)).to_contain_text("document 2")
    screen.keyboard.press("u")
    expect(screen.locator(".doc-title")).to_have_text(title)
    expect(screen.locator("[data-key='3']")).to_have_attribute("aria-pressed", "true")

    screen.keyboard.press("s")
    expect(screen.locator(".doc-title")).not_to_have_text(title)
    expect(step(screen)).to_contain_text("document 1")

    screen.keyboard.press("c")
    screen.keyboard.type("so 3 x")
    screen.keyboard.press("Escape")
    screen.keyboard.press("x")
    expect(screen.locator("#judge-reasons")).to_be_visible()
    assert Judgment.objects.count() == 0
    screen.keyboard.press("3")
    expect(step(screen)).to_contain_text("document 2")
    judgment = Judgment.objects.get()
    assert (judgment.reason, judgment.comment) == ("language", "so 3 x")

    screen.keyboard.press("t")
    expect(screen.locator(".doc-card mark")).to_have_count(0)
    screen.keyboard.press("g")
    screen.keyboard.press("?")
    expect(screen.locator("#judge-help")).to_be_visible()
    screen.keyboard.press("2")
    screen.keyboard.press("Control+2")
    assert Judgment.objects.count() == 1


def test_keys_that_are_off_judge_nothing(screen, rater):
    rater.single_key_shortcuts = False
    rater.save()
    screen.reload()

    screen.keyboard.press("2")
    screen.locator("[data-key='2']").click()

    expect(step(screen)).to_contain_text("document 2")
    assert Judgment.objects.get().method == "click"


def test_a_double_click_judges_once(screen):
    screen.locator("[data-key='2']").dblclick()

    expect(step(screen)).to_contain_text("document 2")
    screen.wait_for_timeout(300)
    expect(step(screen)).to_contain_text("document 2")
    assert Judgment.objects.count() == 1


@pytest.mark.parametrize(
    ("status", "text"), [(500, "Not saved – try again"), (401, "your session has ended. Sign in again")]
)
def test_when_saving_fails_the_card_stays_and_the_same_answer_can_be_given_again(screen, status, text):
    screen.route("**/answer/", lambda route: route.fulfill(status=status, body="no"), times=1)
    screen.keyboard.press("c")
    screen.keyboard.type("kept")
    screen.keyboard.press("Escape")
    screen.keyboard.press("2")
    expect(screen.locator("[data-failure]")).to_contain_text(text)
    if status == 401:
        screen.get_by_role("button", name="Back to the document").click()

    screen.keyboard.press("2")

    expect(step(screen)).to_contain_text("document 2")
    assert Judgment.objects.get().comment == "kept"


def test_a_continuous_scale_is_judged_by_figures_and_by_the_slider(screen, judgment_list):
    judgment_list.scale = make.preset("Slider 0–100")
    judgment_list.save()
    screen.reload()
    box, slider = screen.locator("[data-number]"), screen.locator("[data-slider]")
    expect(box).to_have_value("")
    expect(slider).to_have_class("unset")

    screen.keyboard.press("Enter")
    screen.keyboard.type("37")
    expect(slider).to_have_value("37")
    expect(slider).not_to_have_class("unset")
    box.press("Enter")
    expect(step(screen)).to_contain_text("document 2")
    slider.focus()
    slider.press("End")
    slider.press("Enter")
    expect(step(screen)).to_contain_text("document 3")

    assert sorted(Judgment.objects.values_list("value", flat=True)) == [37, 100]


def test_when_all_is_done_the_page_says_so(screen, judgment_list):
    query = judgment_list.list_queries.earliest("position").query
    judgment_list.pairs.exclude(query=query).delete()
    for number in range(2, 8):
        screen.locator("[data-key='1']").click()
        if number < 7:
            expect(step(screen)).to_contain_text(f"document {number}")

    expect(screen.get_by_text("All done")).to_be_visible()


def test_a_long_text_unfolds_and_an_unknown_document_says_so(screen):
    Document.objects.update(body="A very long text. " * 200)
    screen.reload()
    screen.keyboard.press("f")
    expect(screen.locator("[data-full] .prose")).to_be_visible()
    expect(screen.locator("[data-excerpt]")).to_be_hidden()

    Document.objects.update(title="", body="", url="", fields={})
    screen.reload()

    expect(screen.get_by_text("No text for this document")).to_be_visible()


def test_without_javascript_the_buttons_work(browser, live_server, judgment_list, rater):
    with browser.new_page(java_script_enabled=False) as page:
        sign_in(page.context, live_server, rater)
        page.goto(f"{live_server.url}/lists/{judgment_list.pk}/judge/")
        page.locator("[data-key='3']").click()
        expect(step(page)).to_contain_text("document 2")
        page.get_by_role("button", name="Later").click()
        expect(step(page)).to_contain_text("document 2")
        page.get_by_role("button", name="Undo").click()
        expect(step(page)).to_contain_text("document 1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 780)])
def test_no_one_is_shut_out_of_the_screen(browser, live_server, judgment_list, rater, scheme, width, height):
    with browser.new_page(color_scheme=scheme, viewport={"width": width, "height": height}) as page:
        sign_in(page.context, live_server, rater)
        address = f"{live_server.url}/lists/{judgment_list.pk}/judge/"
        page.goto(address)
        page.locator("[data-key='3']").click()
        expect(step(page)).to_contain_text("document 2")
        found = serious_violations(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        page.goto(f"{address}done/")

    assert found == []
    assert wide <= width
