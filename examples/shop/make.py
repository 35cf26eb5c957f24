"""Makes the shop's runs, pairs and judgments from its catalog, queries and truth.

python -m examples.shop.make                         the committed PostgreSQL run is kept
python -m examples.shop.make --postgres              made anew by an embedded PostgreSQL
python -m examples.shop.make --postgres URL          made anew by that PostgreSQL (nothing is left behind there)
"""

import argparse
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

from examples.shop import files, raters
from examples.shop.files import Product, Query, Run
from examples.shop.ranking import bm25, keyword_popularity, ranked, title_trigram

POOLED = ("bm25", "postgres-fts", "keyword-popularity")  # title-trigram came later: its own finds are holes
POOL_DEPTH = 10
JUDGMENT_COLUMNS = ("query", "document", "rater", "grade", "reason", "comment", "judged_at", "seconds")


def plain_runs(products: list[Product], queries: list[Query]) -> dict[str, Run]:
    """The three runs that need no server."""
    rankers = {
        "bm25": bm25(products),
        "title-trigram": title_trigram(products),
        "keyword-popularity": keyword_popularity(products),
    }
    return {name: ranked(queries, ranker) for name, ranker in rankers.items()}


def postgres_run(url: str, products: list[Product], queries: list[Query]) -> Run:
    """By the server at `url`, or by an embedded one where that is empty."""
    from examples.shop.fulltext import embedded_server, postgres_fts

    with nullcontext(url) if url else embedded_server() as address:
        return postgres_fts(address, products, queries)


def pool(runs: Mapping[str, Run], queries: list[Query]) -> list[tuple[str, str]]:
    """The pairs to be judged: the top of the pooled runs, and the perfect products that somebody knew by heart."""
    known = {pair for pair, true in files.truth().items() if true.grade == raters.TOP}
    found = {
        (query, document)
        for name in POOLED
        for query, ranking in runs[name].items()
        for document, _ in ranking[:POOL_DEPTH]
    }
    order = {query.id: number for number, query in enumerate(queries)}
    return sorted(known | found, key=lambda pair: (order[pair[0]], pair[1]))


def judgment_rows(pairs: list[tuple[str, str]]) -> list[raters.Row]:
    return raters.judgments(pairs, files.truth(), files.remarks())


def make(folder: Path, postgres: Run) -> None:
    products, queries = files.products(), files.queries()
    runs = {**plain_runs(products, queries), "postgres-fts": postgres}
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for name, run in runs.items():
        (folder / "runs" / f"{name}.trec").write_text(
            files.run_text(name, run), encoding="utf-8", newline="\n"
        )
    pairs = pool(runs, queries)
    files.write_csv(folder / "pairs.csv", ("query", "document"), pairs)
    files.write_csv(folder / "judgments.csv", JUDGMENT_COLUMNS, judgment_rows(pairs))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m examples.shop.make")
    parser.add_argument("--postgres", nargs="?", const="", metavar="URL", help="make the PostgreSQL run anew")
    parser.add_argument("--folder", type=Path, default=files.HERE, help="where to write")
    options = parser.parse_args()
    if options.postgres is None:
        postgres = files.read_run(files.HERE / "runs" / "postgres-fts.trec")
    else:
        postgres = postgres_run(options.postgres, files.products(), files.queries())
    make(options.folder, postgres)


if __name__ == "__main__":
    main()
