"""Titles of documents on every page: the words, never the markup that files have in them."""

import re

import pytest
from django.urls import reverse

from evaluation.guide.views.formulas import CHAPTERS
from judgments.models import Document
from tests.sweeps import SHARES, draw_addresses
from tests.test_page_cost import World

pytestmark = pytest.mark.django_db

TITLE = "Salt <b>good</b> &amp; pepper {}"
MARKUP = re.compile(
    r"(&lt;|\\u003C)b(&gt;|\\u003E)good|good(&lt;|\\u003C)/b|amp;amp; pepper|u0026amp; pepper"
)
WORDS = re.compile(r"Salt good (&amp;|\\u0026) pepper")


@SHARES
def test_no_page_shows_the_markup_of_a_title(share, client):
    world = World()
    world.grow(2)
    for document in Document.objects.all():
        Document.objects.filter(pk=document.pk).update(title=TITLE.format(document.external_id))
    pages = list(world.pages())
    guide = next(address for _, address in pages if address.startswith(f"{reverse('formulas')}?list="))
    pages += [("admin", f"{guide}&chapter={chapter.key}") for chapter in CHAPTERS]
    with_markup, with_words = [], []
    for who, address in draw_addresses(pages, share):
        client.force_login(getattr(world, who))
        page = client.get(address, follow=True).content.decode()
        # The form of a document shows what is stored.
        if not re.search("/documents/[0-9]+/edit/", address):
            with_markup += [address] * bool(MARKUP.search(page))
            with_words += [address] * bool(WORDS.search(page))

    assert with_markup == []
    assert len(with_words) >= 15 or share < 1
