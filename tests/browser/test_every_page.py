"""Every page: axe finds nothing, nothing is wider than the screen, and nothing is logged as an error."""

from typing import NamedTuple

import pytest

from evaluation.models import Run
from judgments.models import Document, JudgmentList, Query, QuerySet
from tests.browser.accessibility import axe_findings
from tests.sweeps import SHARES, draw_addresses
from tests.test_page_cost import World


class Look(NamedTuple):
    scheme: str
    width: int
    height: int
    colours_only: bool

    def take(self, page):
        page.set_viewport_size({"width": self.width, "height": self.height})
        page.emulate_media(color_scheme=self.scheme, reduced_motion="reduce")


NOT_SHOWN = ("/judge/shell/",)
"""Kept by the browser for when the network is gone: it has no content of its own."""
DESKTOP, PHONE = Look("light", 1360, 900, False), Look("dark", 390, 844, True)
LONG = 9 * "Donaudampfer"
"""People name things without spaces, too."""


@pytest.fixture
def pages(transactional_db, live_server, client, page):
    """Opens each page as somebody who may."""
    world = World()
    world.grow(2)
    Document.objects.update(title=LONG)
    Query.objects.update(text=LONG)
    QuerySet.objects.update(name=LONG)
    for one in (JudgmentList, Run):
        one.objects.filter(pk=one.objects.earliest("pk").pk).update(name=LONG)

    def walk(share):
        signed_in = None
        for who, address in draw_addresses(world.pages(), share):
            if any(part in address for part in NOT_SHOWN):
                continue
            if who != signed_in:
                client.force_login(getattr(world, who))
                cookie = client.cookies["sessionid"].value
                page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
                signed_in = who
            answer = page.goto(f"{live_server.url}{address}")
            assert answer.status == 200, address
            yield address

    return walk


@SHARES
@pytest.mark.parametrize(
    "looks",
    [
        pytest.param([DESKTOP, PHONE], id="desktop, then the colors of a phone"),
        pytest.param([PHONE._replace(colours_only=False)], id="phone, all rules", marks=pytest.mark.thorough),
    ],
)
def test_axe_finds_nothing_and_nothing_is_too_wide(pages, page, looks, share):
    found, wide = [], {}
    looks[0].take(page)
    for address in pages(share):
        for look in looks:
            look.take(page)
            found += axe_findings(page, colours_only=look.colours_only)
            if (needed := page.evaluate("document.documentElement.scrollWidth")) > look.width:
                wide[look.scheme, address] = needed
        looks[0].take(page)

    assert found == []
    assert wide == {}
