"""The shop's files as records, and back. Every file is UTF-8 with LF line ends, so that it can be compared byte for byte."""

import csv
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TAG = re.compile(r"<[^>]*>")

Run = dict[str, list[tuple[str, float]]]
"""Query ID → (document ID, retrieval score), best first."""


@dataclass(frozen=True)
class Product:
    id: str
    title: str
    body: str
    sold: int


@dataclass(frozen=True)
class Query:
    id: str
    text: str


@dataclass(frozen=True)
class Truth:
    """The grade that an attentive person gives, and whether another such person could well give another one."""

    grade: int
    borderline: bool


@dataclass(frozen=True)
class Remark:
    """A comment on a judgment; with a reason, the rater could not judge the pair and gave no grade."""

    reason: str
    comment: str


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def products() -> list[Product]:
    """The catalog as a search engine sees it: the body without its markup."""
    sold = {row["document_id"]: int(row["sold"]) for row in rows("sales.csv")}
    return [
        Product(row["document_id"], row["title"], plain(row["body"]), sold[row["document_id"]])
        for row in rows("products.csv")
    ]


def plain(markup: str) -> str:
    return html.unescape(TAG.sub(" ", markup))


def queries() -> list[Query]:
    return [Query(row["query_id"], row["query"]) for row in rows("queries.csv")]


def truth() -> dict[tuple[str, str], Truth]:
    """Products that are not named here have grade 0 for the query."""
    return {
        (row["query"], row["document"]): Truth(int(row["grade"]), row["borderline"] == "yes")
        for row in rows("truth.csv")
    }


def remarks() -> dict[tuple[str, str, str], Remark]:
    return {
        (row["rater"], row["query"], row["document"]): Remark(row["reason"], row["comment"])
        for row in rows("remarks.csv")
    }


def read_run(path: Path) -> Run:
    run: Run = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, []).append((document, float(score)))
    return run


def run_text(name: str, run: Run) -> str:
    """A TREC run; a query without documents has no line and is therefore missing."""
    return "".join(
        f"{query} Q0 {document} {rank} {score:.4f} {name}\n"
        for query, ranking in run.items()
        for rank, (document, score) in enumerate(ranking, start=1)
    )


def write_csv(path: Path, header: Sequence[str], records: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(records)
