"""What the tests of the rating screen share: pairs to judge, and the forms of the pages."""

import re
from html import unescape

from django.urls import reverse

from judgments.lists.actions.pairs import add_pairs
from tests import factories as make

SCRIPT = {"HTTP_HX_REQUEST": "true", "HTTP_ACCEPT": "application/json"}
"""The headers with which the page's script asks."""


def make_pairs(query_set, queries=2, documents=3, **fields):
    judgment_list = make.make_list(query_set, **fields)
    document_ids = [make.make_document(query_set).pk for _ in range(documents)]
    query_ids = [make.make_query(query_set).pk for _ in range(queries)]
    add_pairs(
        judgment_list=judgment_list, pairs=[(query, one) for query in query_ids for one in document_ids]
    )
    return judgment_list


def address(judgment_list, name="judge"):
    return reverse(name, args=[judgment_list.pk])


def found(pattern, html):
    """What the first group of `pattern` matches first, or nothing."""
    match = re.search(pattern, html)
    return unescape(match.group(1)) if match else ""


def hidden(html, name):
    return found(f'<input type="hidden" name="{name}" value="([^"]*)"', html)


def fields_of(response):
    html = response.content.decode()
    return {name: hidden(html, name) for name in ("pair", "request_id", "known") if hidden(html, name)}


def answer(client, judgment_list, fields, **more):
    return client.post(
        address(judgment_list, "judge-answer"), fields | {"grade": "1.0"} | more.pop("data", {}), **more
    )


def html_of(response):
    """The page with single spaces for all white space, which nobody sees."""
    return " ".join(response.content.decode().split())
