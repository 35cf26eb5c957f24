"""A formula from another tool in sentences: where it differs from the usual one, with counts of this run's queries."""

from collections.abc import Iterator, Mapping
from typing import Final

from evaluation.guide.reports.reconcile import Candidate, Reconciliation
from touchstone_core.metrics.parameters import SKIP

IDEALS: Final = {
    "local": "Its ideal is the best order of the results on the page (local), so it says nothing about what is missing.",
    "recall": "Its ideal is the best page from everything the run retrieved (recall).",
    "max": "Its ideal is a top grade at every rank (max).",
    "global-uncut": "Its ideal counts every judged document, also beyond the cutoff, so a perfect page can score below 1.",
    "global-hits": "Its ideal has only as many documents as the run returned, so one good hit alone scores 1.",
}
GAINS: Final = {
    "exp": "It uses exponential gain, 2^grade − 1.",
    "table": "It uses the gains of the scale’s table.",
}
USUAL: Final = "It’s the usual formula: linear gain, log2 discount, and the best page of all judged documents as the ideal."


def sentences(candidate: Candidate, reconciliation: Reconciliation, cutoff: int) -> list[str]:
    """What the number does. `cutoff` is that of the page."""
    if candidate.name != "nDCG":
        return [f"It isn’t an NDCG: it’s {candidate.text}."]
    choices = dict(candidate.parameters)
    words = list(_words(candidate, choices, reconciliation, cutoff))
    return words or [USUAL]


def _words(
    candidate: Candidate, choices: Mapping[str, object], reconciliation: Reconciliation, cutoff: int
) -> Iterator[str]:
    if candidate.cutoff != cutoff:
        ranks = "only rank 1" if candidate.cutoff == 1 else f"the first {candidate.cutoff} ranks"
        yield f"It counts {ranks}, not {cutoff}."
    for name, texts in (("gain", GAINS), ("ideal", IDEALS)):
        if words := texts.get(str(choices.get(name, ""))):
            yield words
    if choices.get("discount") == "jk":
        yield "It divides by log2(rank) from rank 2 on, so rank 2 counts in full."
    missing, without = reconciliation.exceptions(candidate)
    if choices.get("missing") == SKIP and missing:
        yield f"It leaves out {_that(missing, 'the run doesn’t answer')}, as trec_eval does without -c."
    if choices.get("zero") == SKIP and without:
        yield f"It leaves out {_that(without, 'have an ideal of 0', 'has an ideal of 0')}."
    if choices.get("zero") == 1 and without:
        yield f"It counts 1 for {_that(without, 'have an ideal of 0', 'has an ideal of 0')}."
    if candidate.digits is not None:
        yield f"It rounds each query to {candidate.digits} decimals before it takes the mean."
    if candidate.order is not None:
        yield f"It compares {candidate.order_words}, which changes the order of some documents."


def _that(count: int, what: str, what_one: str = "") -> str:
    return f"the one query that {what_one or what}" if count == 1 else f"the {count:,} queries that {what}"
