"""Judges two runs by batches until the rule says that enough is judged, and compares with the truth. R runs, Q queries, N ranks."""

from dataclasses import dataclass
from math import inf

import numpy as np

from touchstone_core.deciding.batch import next_batch
from touchstone_core.deciding.difference import difference
from touchstone_core.deciding.documents import Documents
from touchstone_core.deciding.stopping import Check, is_decided
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.moves import number_documents

RANKS = 10


@dataclass(frozen=True)
class Outcome:
    """`by_model` if missing grades could still turn it when it was decided; `judged` is the share that was judged for it."""

    truth: float
    right: bool
    by_model: bool
    judged: float


def judge(document, gain, top, seed, *, first_judged=False):
    """Begins with nothing judged, or with the pages of the first run."""
    random = np.random.default_rng(seed)
    full = Documents.of_pages(document, gain, discounts("log2", document.shape[2]), top)
    truth, pool = float(full.weight @ full.gain) / full.queries, len(full.query)
    known = np.where((full.discount[:, 0] > 0) & first_judged, full.gain, np.nan)
    before = int((~np.isnan(known)).sum())
    checks = []
    while True:
        judged = full.with_gains(known)
        told = difference(judged)
        checks.append(Check(int((~np.isnan(known)).sum()), told.z))
        batch = next_batch(judged, told.value, max(8, round(0.025 * pool)), random)
        if is_decided(checks, pool) or not len(batch):
            share = (checks[-1].judged - before) / (pool - before)
            return Outcome(truth, bool(told.z * truth > 0), abs(told.z) < inf, share)
        chosen = np.concatenate([batch.targeted, batch.random])
        known = known.copy()
        known[chosen] = full.gain[chosen]


def known_pages(runs, judgments, gain):
    """The pages of real runs without their unjudged documents, so that the truth is known: (R, Q, N) documents and gains."""
    queries = sorted(judgments)
    pages = [
        [[one for one in run.get(query, []) if one in judgments[query]][:RANKS] for query in queries]
        for run in runs
    ]
    gains = np.full((len(runs), len(queries), RANKS), np.nan)
    for run, of_run in enumerate(pages):
        for query, page in enumerate(of_run):
            gains[run, query, : len(page)] = [gain(judgments[queries[query]][one]) for one in page]
    return number_documents(pages, RANKS), gains


def synthetic(random, *, queries=60, candidates=60, noise=(1.0, 1.0), changed=1.0, grades=(0.6, 0.2, 0.12)):
    """Two runs that see relevance with an error of their own and one in common; `changed` of the queries differ.

    `grades` are the shares of the grades 0, 1 and 2; the others have grade 3.
    """
    relevance = random.normal(size=(queries, candidates)) + random.normal(size=(queries, 1))
    grade = np.searchsorted(np.quantile(relevance, np.cumsum(grades)), relevance.ravel())
    grade = grade.reshape(relevance.shape)
    common = relevance + random.normal(size=relevance.shape)
    document = np.stack(
        [np.argsort(-(common + own * random.normal(size=common.shape)), axis=1)[:, :RANKS] for own in noise]
    )
    same = random.random(queries) > changed
    document[1][same] = document[0][same]
    gain = np.stack([np.take_along_axis(2.0**grade - 1, page, axis=1) for page in document])
    return document, gain
