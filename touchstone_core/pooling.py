"""Pooling: which documents of several rankings are worth a judgment.

Depth-k pooling as TREC does it (Spärck Jones & van Rijsbergen 1975): the documents that at least one system shows among
its first k. Rankings are external document ids in evaluated order, best first, each once.
"""

from collections.abc import Container, Sequence


def pool(rankings: Sequence[Sequence[str]], depth: int) -> list[str]:
    """The documents of rank `depth` or better in any of these rankings of one query, each once.

    In the order of their best rank, and among equals in the order of the rankings, so that the same rankings give the
    same pool. Raises ValueError for a depth below 1.
    """
    tops = [_top(ranking, depth) for ranking in rankings]
    longest = max(map(len, tops), default=0)
    return list(dict.fromkeys(top[at] for at in range(longest) for top in tops if at < len(top)))


def holes(ranking: Sequence[str], judged: Container[str], cutoff: int | None = None) -> list[str]:
    """The documents within the cutoff (None: all) that are not known, by rank. Raises ValueError for one below 1."""
    return [document for document in _top(ranking, cutoff) if document not in judged]


def _top(ranking: Sequence[str], depth: int | None) -> Sequence[str]:
    if depth is not None and depth < 1:
        raise ValueError(f"The depth is {depth}; it must be at least 1.")
    return ranking[:depth]
