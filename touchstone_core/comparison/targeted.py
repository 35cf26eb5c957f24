"""The figures of a comparison of which documents were judged for what they decide between two runs."""

from collections.abc import Sequence
from dataclasses import asdict

from touchstone_core.bounds.estimates import PooledPages
from touchstone_core.comparison.verdict import WITH_BOUNDS, Figures
from touchstone_core.deciding.documents import Documents
from touchstone_core.deciding.outlook import Outlook


def with_targeted(figures: Figures, targeted: Sequence[bool], pages: PooledPages | None, on: str) -> Figures:
    """The figures, whose coverage says which runs show such documents, and whose evidence says what to expect if all were judged.

    `pages` are those of all queries, the runs first; `on` as `ComparisonOptions.on`. Nothing changes where no run shows one."""
    if not any(targeted):
        return figures
    found = figures | {"coverage": figures["coverage"] | {"targeted": list(targeted)}}
    evidence = figures["evidence"]
    if evidence is None or pages is None or on not in WITH_BOUNDS:
        return found
    others = len(targeted) - 1
    outlooks = [asdict(Outlook.of(_beside_baseline(pages, place + 1), others)) for place in range(others)]
    return found | {
        "evidence": [one | {"outlook": outlook} for one, outlook in zip(evidence, outlooks, strict=True)]
    }


def _beside_baseline(pages: PooledPages, place: int) -> Documents:
    """Over the queries that one of the two runs answers."""
    pair = [0, place]
    is_answered = (pages.document[pair] >= 0).any(axis=(0, 2))
    document, gain = pages.document[pair][:, is_answered], pages.gain[pair][:, is_answered]
    return Documents.of_pages(document, gain, pages.discount, pages.top)
