"""What a site answers about pairs that runs send to raters, as typed records. Their fields have the names of the API."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class Standing:
    """The second run minus the baseline in mean NDCG-max, if all of their pages were judged.

    `standard_errors` is how far it is from 0, None if no missing grade can turn it. About `judgments_left` more judgments decide.
    """

    decided: bool
    expected: float
    standard_errors: float | None
    judgments_left: int
    judged: int
    documents: int
    waiting: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Contest:
    """Two runs between which raters decide, batch by batch. The `outcome` is empty while that goes on."""

    id: int
    baseline: int
    run: int
    formula: str
    judgments: int
    budget: int
    judgments_requested: int
    started_at: datetime
    ended_at: datetime | None
    outcome: Literal["", "decided", "spent", "exhausted", "stopped", "failed"]
    failure: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Level:
    """Mean NDCG-max of a run if all of its pages were judged, with a 95 % interval."""

    expected: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class WidthPlan:
    """To know a level to ± `width` takes about so many `judgments` from now on."""

    width: float
    judgments: int


@dataclass(frozen=True, slots=True)
class RunSample:
    """What a random sample of a run's `documents` says of it. The `level` rests on `draws` of them, and is None before enough are judged.

    With the next batch it is known to about ± `width`.
    """

    level: Level | None
    draws: int
    documents: int
    certain: int
    waiting: int
    unknown: int
    width: float
    plan: list[WidthPlan]


@dataclass(frozen=True, slots=True)
class PairsPreview:
    """What requesting missing judgments would add: `new` of the `pairs`, which take these `hours`, at least and at most."""

    pairs: int
    queries: int
    new: int
    new_queries: int
    differing_pairs: int
    without_text: int
    judgments: int
    hours: list[float]
    deciding: Standing | None
    sample: RunSample | None
