"""Data sets, made from a seed: runs that look like BM25 over a large corpus, and their judgments.

Document IDs are not padded, so that their order as text is not their order as numbers. Scores have four decimals and
stand in descending order; about seven neighbors of a query are tied, in no particular order. 59 % of the judged
documents are retrieved.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

SEED = 20261121
CORPUS = 3_200_000
RETRIEVED_SHARE = 0.59
GRADES = [0.55, 0.25, 0.13, 0.07]


@dataclass(frozen=True, slots=True)
class Size:
    name: str
    queries: int
    depth: int
    judged: int  # for each query


SIZES = {
    size.name: size
    for size in (Size("S", 50, 1000, 239), Size("M", 1000, 1000, 100), Size("L", 6980, 1000, 50))
}
SMALL = Size("XS", 50, 10, 20)
MANY = Size("many", 30, 816, 300)
MANY_RUNS = 143  # as many rows and runs as the first round of TREC-COVID


@dataclass(frozen=True, slots=True)
class Files:
    qrels: Path
    run: Path


def files(size: Size, folder: Path) -> Files:
    """The files of a size; made when they are not there, or were made by another seed or recipe."""
    made = Files(folder / f"{size.name}.qrels", folder / f"{size.name}.run")
    with _made_once(folder / f"{size.name}.json", size) as is_needed:
        if is_needed:
            rng, query, retrieved = _drawn(size)
            _write_run(size, made.run, rng, query, retrieved, "bench-1")
            _write_qrels(size, made.qrels, rng, query, retrieved)
    return made


def many_runs(folder: Path) -> tuple[Path, list[Path]]:
    """Qrels and runs over the same queries. Each run has about half of the documents of the first, in another order."""
    qrels, first = (made := files(MANY, folder)).qrels, made.run
    runs = [folder / f"{MANY.name}-{number:03}.run" for number in range(2, MANY_RUNS + 1)]
    with _made_once(folder / f"{MANY.name}-runs.json", MANY) as is_needed:
        if is_needed:
            _, query, retrieved = _drawn(MANY)
            known = retrieved.reshape(MANY.queries, MANY.depth)
            others = np.broadcast_to(np.arange(MANY.depth) + CORPUS + 10_000, known.shape)
            for number, run in enumerate(runs, 2):
                rng = np.random.default_rng([SEED, number])
                documents = rng.permuted(np.concatenate([known, others], axis=1), axis=1)[:, : MANY.depth]
                _write_run(MANY, run, rng, query, documents.ravel(), f"bench-{number}")
    return qrels, [first, *runs]


@contextmanager
def _made_once(stamp: Path, size: Size) -> Iterator[bool]:
    """Whether files have to be made. The stamp says of which recipe they are, and is written once they are all there."""
    recipe = json.dumps([SEED, CORPUS, RETRIEVED_SHARE, GRADES, size.queries, size.depth, size.judged, 2])
    is_needed = not (stamp.exists() and stamp.read_text() == recipe)
    if is_needed:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
    yield is_needed
    stamp.write_text(recipe)


def _drawn(size: Size) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    """The generator, and query and document of each row."""
    rng = np.random.default_rng([SEED, size.queries, size.depth])
    retrieved = np.concatenate([_distinct(rng, size.depth) for _ in range(size.queries)])
    query = np.repeat(rng.permutation(1_000_000)[: size.queries] + 1, size.depth)
    return rng, query, retrieved


def _distinct(rng: np.random.Generator, count: int) -> np.ndarray:
    drawn = np.unique(rng.integers(1, CORPUS + 1, size=count + count // 10 + 50))
    return rng.permutation(drawn)[:count]


def _write_run(
    size: Size, path: Path, rng: np.random.Generator, query: np.ndarray, retrieved: np.ndarray, tag: str
) -> None:
    falling = -np.sort(-rng.gamma(2.0, 3.0, size=(size.queries, size.depth)) - 2.0, axis=1)
    columns = {
        "query": query,
        "q0": np.full(len(query), "Q0"),
        "document": retrieved,
        "rank": np.tile(np.arange(1, size.depth + 1), size.queries),
        "score": np.round(falling, 4).ravel(),
        "tag": np.full(len(query), tag),
    }
    frame = pl.DataFrame(columns).with_columns(pl.format("D{}", pl.col("document")))
    frame.write_csv(path, separator=" ", include_header=False, float_precision=4, quote_style="never")


def _write_qrels(
    size: Size, path: Path, rng: np.random.Generator, query: np.ndarray, retrieved: np.ndarray
) -> None:
    found = round(size.judged * RETRIEVED_SHARE)
    places = np.argsort(rng.random((size.queries, size.depth)), axis=1)[:, : min(found, size.depth)]
    hits = np.take_along_axis(retrieved.reshape(size.queries, size.depth), places, axis=1)
    missed = (
        CORPUS + 1 + np.argsort(rng.random((size.queries, 1000)), axis=1)[:, : size.judged - hits.shape[1]]
    )
    documents = rng.permuted(np.concatenate([hits, missed], axis=1), axis=1)
    columns = {
        "query": np.repeat(query[:: size.depth], size.judged),
        "iteration": np.zeros(documents.size, dtype=np.int64),
        "document": documents.ravel(),
        "grade": rng.choice(len(GRADES), size=documents.size, p=GRADES),
    }
    frame = pl.DataFrame(columns).with_columns(pl.format("D{}", pl.col("document")))
    frame.write_csv(path, separator=" ", include_header=False, quote_style="never")
