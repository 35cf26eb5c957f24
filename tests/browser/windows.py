"""Windows of the browser that tests use one after the other: a new one costs half a second of processor each time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.templatetags.static import static
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, ViewportSize

from judgments.models import User
from tests.signing_in import make_session

VIEWPORT = ViewportSize(width=1280, height=860)
OPTIONS = {"viewport": VIEWPORT, "reduced_motion": "reduce", "service_workers": "block"}
"""Nothing is kept for being opened offline, except where a test allows the service worker."""


MOST_USES = 20
"""A window takes more and more memory."""


class Windows:
    """Opens windows and keeps in `clean` the one that the next test may use, with the number of its uses.

    What can't be taken back from a page (its clock, scripts that it begins with, a test's own listeners) needs a
    window that is not kept: a test says so by the mark `own_window`.
    """

    def __init__(self, browser: Browser, site: str, clean: dict[Page, int], keep: bool) -> None:
        self.browser = browser
        self.site = site
        self.clean = clean
        self.keep = keep

    @contextmanager
    def open(self, **options: Any) -> Iterator[Page]:
        """A window without cookies and storage of another test. It is closed if a test fails, or has options for it."""
        keep = self.keep and not options
        page, uses = self.clean.popitem() if keep and self.clean else (None, 0)
        page = page or self.browser.new_context(**OPTIONS | options).new_page()
        kept = False
        try:
            yield page
            if keep and not self.clean and uses < MOST_USES and not page.is_closed():
                clean_up(page, self.site)
                self.clean[page] = uses + 1
                kept = True
        finally:
            if not kept:
                page.context.close()


def sign_in(context: BrowserContext, address: str, user: User) -> None:
    """As if the person had signed in, without the two pages that this takes."""
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": make_session(user), "url": address}])


@contextmanager
def errors_of(page: Page) -> Iterator[list[str]]:
    """What the page complains about meanwhile: a refused script or style, a missing file, an exception."""
    found: list[str] = []

    def keep(message: ConsoleMessage) -> None:
        if message.type == "error":
            found.append(message.text)

    def keep_exception(error: Error) -> None:
        found.append(str(error))

    page.on("console", keep)
    page.on("pageerror", keep_exception)
    yield found
    page.remove_listener("console", keep)
    page.remove_listener("pageerror", keep_exception)


def clean_up(page: Page, site: str) -> None:
    """Makes a page and all that its context remembers like new."""
    context = page.context
    for other in context.pages:
        if other != page:
            other.close()
    page.unroute_all(behavior="ignoreErrors")
    context.unroute_all(behavior="ignoreErrors")
    context.set_offline(False)
    page.evaluate(
        "try { sessionStorage.clear() } catch {}"
    )  # refused where a page is an error of the browser
    page.mouse.up()
    page.mouse.move(-1, -1)
    page.goto(
        f"{site}{static('img/favicon.svg')}"
    )  # nothing runs there, and the process of the page lives on
    browser_itself = context.new_cdp_session(page)
    browser_itself.send("Storage.clearDataForOrigin", {"origin": site, "storageTypes": "all"})
    browser_itself.detach()
    context.clear_cookies()
    context.clear_permissions()
    page.set_viewport_size(VIEWPORT)
    page.emulate_media(media="null", color_scheme="null", forced_colors="null")
