"""What to judge next to decide between two runs."""

from dataclasses import dataclass

import numpy as np

from evaluation.comparisons.reports.deciding import earlier_checks
from evaluation.models import Run
from evaluation.pools.reports.batches import pages_to_judge
from evaluation.pools.reports.listed import Fresh, listed_and_waiting
from judgments.models import JudgmentList
from touchstone_core.deciding.batch import next_batch
from touchstone_core.deciding.difference import difference
from touchstone_core.deciding.outlook import Outlook
from touchstone_core.metrics.formula import Formula
from touchstone_core.significance.differences import TOLERANCE


@dataclass(frozen=True, slots=True)
class Standing:
    """How two runs compare, the baseline first. `waiting` pairs that can decide wait for their raters, and `unknown` ones have no
    grade though raters are done with them. A pair has `overlap` raters."""

    runs: tuple[Run, Run]
    formula: Formula
    outlook: Outlook
    overlap: int
    decided: bool
    waiting: int
    unknown: int

    @property
    def judgments_left(self) -> int:
        """About how many decide, of all raters together."""
        return self.outlook.about_left(self.overlap)

    @property
    def measure(self) -> str:
        return f"NDCG-max@{self.formula.cutoff}"

    @property
    def ahead(self) -> Run:
        return self.runs[self.outlook.expected > 0]

    @property
    def behind(self) -> Run:
        return self.runs[self.outlook.expected <= 0]

    @property
    def is_even(self) -> bool:
        """Whether the runs are the same by NDCG-max whatever grades are missing."""
        return self.outlook.z is None and abs(self.outlook.expected) < TOLERANCE


@dataclass(frozen=True, slots=True)
class DecidingBatch(Standing):
    """What to judge next to decide between two runs: pairs that the list lacks, empty once it is `decided`.

    The list has `pair_count` pairs. Each unjudged document that it lacks has the `chance` to be drawn at random.
    """

    queries: int
    pair_count: int
    targeted: Fresh
    random: Fresh
    chance: float

    @property
    def fresh(self) -> Fresh:
        return [*self.targeted, *self.random]


def read_deciding_batch(
    *,
    judgment_list: JudgmentList,
    runs: tuple[Run, Run],
    formula: Formula,
    judgments: int,
    random: np.random.Generator,
) -> DecidingBatch:
    """So many `judgments` at most, and at least a pair. Six statements, whatever the number of queries and documents.

    Raises UndecidableError.
    """
    pages = pages_to_judge(judgment_list, runs, formula)
    documents = pages.beside(1)
    found = difference(documents)
    outlook = Outlook.of(documents, found=found)
    keys = pages.keys_of(documents)
    listed, slots = listed_and_waiting(judgment_list)
    in_list = documents.unjudged & np.array([name in listed[query] for query, name in keys], dtype=np.bool_)
    waiting = in_list & np.array([key in slots for key in keys], dtype=np.bool_)
    decided = outlook.is_decided(earlier_checks(judgment_list, runs, formula))
    size = 0 if decided else max(1, judgments // judgment_list.overlap)
    batch = next_batch(documents, found.value, size, random, in_list)
    return DecidingBatch(
        runs=runs,
        formula=formula,
        outlook=outlook,
        overlap=judgment_list.overlap,
        queries=len(pages.queries),
        decided=decided,
        pair_count=sum(map(len, listed.values())),
        waiting=int((waiting & documents.open).sum()),
        unknown=int((in_list & ~waiting & documents.open).sum()),
        targeted=[keys[at] for at in batch.targeted],
        random=[keys[at] for at in batch.random],
        chance=len(batch.random) / max(1, int((documents.unjudged & ~in_list).sum())),
    )
