"""Real queries and products to judge, a rater, and the rating screen in a window."""

import csv

import pytest

from judgments.lists.actions.pairs import add_pairs
from judgments.models import Document, Query
from tests import factories as make
from tests.browser.judging.pages import open_screen
from tests.shared_data import shared_data

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
    new_list = make.make_list(
        query_set, name="First pass", scale=make.preset("ESCI"), guidelines=GUIDELINES, guidelines_version=1
    )
    add_pairs(judgment_list=new_list, pairs=[(query, one) for query in queries for one in documents])
    return new_list


@pytest.fixture
def rater(judgment_list):
    return make.make_member(judgment_list.query_set, "rater", first_name="Rita", last_name="Rater")


@pytest.fixture
def screen(windows, live_server, judgment_list, rater):
    with open_screen(windows, live_server, judgment_list, rater) as page:
        yield page
