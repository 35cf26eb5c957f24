"""Every column head and every figure has an explanation, or says by itself what it is."""

import re
from html import unescape

import pytest

from tests.test_page_cost import World

pytestmark = pytest.mark.django_db

HEADS = r"<th\b[^>]*scope=\"col\"[^>]*>.*?</th>|<dl class=\"tiles.*?</dl>"
FIGURES = r"<dt\b[^>]*>.*?</dt>"
# Everybody knows what these are; or the head is somebody's own name for something.
PLAIN = set(
    """
account account,name action actions added after all answer answers before cause color decided description document,and,query
""".split()
)


def unexplained(html: str) -> set[str]:
    """The column heads and figures without a button that explains them."""
    found = set()
    for part in re.findall(HEADS, html, re.DOTALL):
        for head in re.findall(FIGURES, part, re.DOTALL) if part.startswith("<dl") else [part]:
            if 'class="about"' not in head:
                found.add(" ".join(unescape(re.sub(r"<[^>]*>", " ", head)).split()).lower())
    return found - {""}


def test_every_head_and_figure_of_every_page_is_explained(client):
    world = World()
    world.grow(2)
    found: dict[str, str] = {}
    for who, address in world.pages():
        client.force_login(getattr(world, who))
        for head in unexplained(client.get(address).content.decode()):
            found.setdefault(head, address)

    assert {head: address for head, address in sorted(found.items())} == {}
