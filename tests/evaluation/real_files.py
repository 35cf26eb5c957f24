"""The real runs and judgments of the shared data, read without our own readers."""

from collections import defaultdict

import numpy as np

from touchstone_core.metrics.order import order

ESCI_RUNS = [
    "bm25_full_stem",
    "bm25_title_desc_stem_k09",
    "bm25_title_nostem",
    "bm25plus_full_nostem_b0",
    "lsa300_full",
    "rrf_bm25_lsa",
    "tfidf_full_bigram",
    "tfidf_title_char",
]


def read_qrels(path):
    judgments = defaultdict(dict)
    for query, _, document, grade in map(str.split, path.read_text().splitlines()):
        judgments[query][document] = float(grade)
    return judgments


def read_run(path):
    scored = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, document, _, score, *_ = line.split()
        scored[query][document] = float(score)
    return {query: in_order(found) for query, found in scored.items()}


def in_order(scored):
    documents = list(scored)
    return [documents[index] for index in order(np.array(list(scored.values())), documents)]
