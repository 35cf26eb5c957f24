"""Depth-k pooling: which documents of several rankings to judge.

As in TREC, a pool holds the documents that at least one system has in its top k (Spärck Jones & van Rijsbergen 1975).
Rankings are external document IDs, best first, each once.
"""

from collections.abc import Container, Sequence


def pool(rankings: Sequence[Sequence[str]], depth: int) -> list[str]:
    """Returns the documents in the top `depth` of any of these rankings of one query.

    Sorts them by their best rank, then in the order of the rankings. Raises ValueError for a depth below 1.
    """
    tops = [_top(ranking, depth) for ranking in rankings]
    longest = max(map(len, tops), default=0)
    return list(dict.fromkeys(top[at] for at in range(longest) for top in tops if at < len(top)))


def differing_documents(rankings: Sequence[Sequence[str]], depth: int) -> list[str]:
    """Returns the documents of the pool that don't have the same rank in all of these rankings of one query, in its order.

    The others gain the same for every run. So once these are judged, no missing grade can change a difference of DCG or
    NDCG-max with this cutoff, if unjudged documents keep their ranks. NDCGs with other ideals can change: the ideal may grow.
    Carterette, Allan & Sitaraman (SIGIR 2006) judge what separates two systems. A run without an answer is an empty ranking.
    """
    tops = [_top(ranking, depth) for ranking in rankings]
    same = {documents[0] for documents in zip(*tops, strict=False) if len(set(documents)) == 1}
    return [document for document in pool(rankings, depth) if document not in same]


def holes(ranking: Sequence[str], judged: Container[str], cutoff: int | None = None) -> list[str]:
    """Returns the unjudged documents within the cutoff, or all if None, by rank. Raises ValueError for a cutoff below 1."""
    return [document for document in _top(ranking, cutoff) if document not in judged]


def _top(ranking: Sequence[str], depth: int | None) -> Sequence[str]:
    if depth is not None and depth < 1:
        raise ValueError(f"The depth is {depth}; it must be at least 1.")
    return ranking[:depth]
