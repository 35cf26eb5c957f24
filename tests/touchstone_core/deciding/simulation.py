"""Judges two runs by batches until the rule says that enough is judged, and compares with the truth. R runs, Q queries, N ranks."""

from dataclasses import dataclass, replace
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


def judge(document, gain, top, seed, *, first_judged=False, waiting=0.0, looks=1):
    """Begins with nothing judged, or with the pages of the first run. This share of a batch is still `waiting` when the next one
    is chosen, and so many `looks` are taken at each batch while it is judged."""
    full = Documents.of_pages(document, gain, discounts("log2", document.shape[2]), top)
    truth, pool = float(full.weight @ full.gain) / full.queries, len(full.query)
    checks, before = [], None
    for judged, told, left in batches(full, seed, first_judged, waiting, looks):
        now = Check(int((~judged.unjudged).sum()), told.z)
        before = now.judged if before is None else before
        if is_decided([*checks, now], pool) or left == 0:
            break
        if left:
            checks.append(now)
    share = (now.judged - before) / (pool - before)
    return Outcome(truth, bool(told.z * truth > 0), abs(told.z) < inf, share)


def judge_part(document, gain, top, seed, share, *, first_judged=False):
    """The documents once this share of what was unjudged is judged, and the true difference."""
    full = Documents.of_pages(document, gain, discounts("log2", document.shape[2]), top)
    least = None
    for judged, _, left in batches(full, seed, first_judged):
        unjudged = int(judged.unjudged.sum())
        least = (1 - share) * unjudged if least is None else least
        if unjudged <= least or not left:
            break
    return judged, float(full.weight @ full.gain) / full.queries


def batches(full, seed, first_judged, share=0.0, looks=1):
    """The documents at each look, what is told of them, and how many come next: None while a batch is judged."""
    random, pool = np.random.default_rng(seed), len(full.query)
    known = np.where((full.discount[:, 0] > 0) & first_judged, full.gain, np.nan)
    waits = np.zeros(pool, dtype=bool)
    while True:
        judged = replace(full, gain=known)
        told = difference(judged)
        batch = next_batch(judged, told.value, max(8, round(0.025 * pool)), random, waits)
        yield judged, told, len(batch)
        chosen = random.permutation(np.concatenate([batch.targeted, batch.random]))
        late = chosen[: int(share * len(chosen))]
        done = random.permutation(np.concatenate([chosen[len(late) :], np.flatnonzero(waits)]))
        waits[:] = False
        waits[late] = True
        for number, part in enumerate(np.array_split(done, looks), start=1):
            known = known.copy()
            known[part] = full.gain[part]
            if number < looks:
                judged = replace(full, gain=known)
                yield judged, difference(judged), None


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
