"""How far single raters agree with each other: figures of each, the matrix of couples, one couple's confusion. For admins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isnan, nan

import numpy as np

from judgments.agreement import leave_one_out
from judgments.agreement import rater_pairs as arithmetic
from judgments.agreement.figures import Figure
from judgments.agreement.rater_pairs import FEW_PAIRS
from judgments.agreement.reports.agreement import Agreement, GradeUse, Steps
from judgments.agreement.sql import agreement as ingest
from judgments.agreement.units import Floats
from judgments.models import JudgmentList, Rater

BINS = 10
SHOWN = 20
"""How many raters the matrix shows: those with the most judgments."""
NOTHING_SHARED = "They have no pair in common."
NOT_DEFINED = "Both gave the same grade to everything they have in common."


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """A rater beside all others; `pairs` counts a pair once for each other rater of it. None where nothing is defined."""

    rater_id: int
    name: str
    judgments: int
    cannot: int
    pairs: int
    agreement: float | None
    kappa: float | None
    bias: float | None
    alpha_without: float | None
    use: GradeUse

    @property
    def enough(self) -> bool:
        return self.pairs >= FEW_PAIRS


@dataclass(frozen=True, slots=True)
class Cell:
    """What two raters have in common. `kappa` is None below FEW_PAIRS and where it is not defined."""

    pairs: int
    kappa: float | None
    heat: int = 0
    self: bool = False

    @property
    def why(self) -> str:
        """Why there is no kappa, in as many words as a cell holds; nothing where there is one."""
        if self.kappa is not None:
            return ""
        return "one grade" if self.pairs >= FEW_PAIRS else "too few" if self.pairs else "none"


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two raters: figures, and on fixed steps the table of counts, rows by the grades of the one."""

    one: str
    other: str
    pairs: int
    agreement: Figure
    bias: Figure
    kappas: list[tuple[str, Figure]]
    rows: list[tuple[str, list[tuple[int, int]]]] = field(default_factory=list)

    @property
    def higher(self) -> str:
        """“0.2 higher on average”."""
        bias = self.bias.value or 0.0
        if not round(bias, 2):
            return "as high on average"
        return f"{abs(bias):.2f} {'higher' if bias > 0 else 'lower'} on average"


class Raters:
    """The raters of a list, whose `uses` of grades are known; `names` has those left out, too.

    Two queries, or one where their `couples` are known, too: then nothing can be said of the others without one of them.
    """

    def __init__(
        self,
        judgment_list: JudgmentList,
        steps: Steps,
        uses: dict[int, GradeUse],
        *,
        without: Sequence[int] = (),
        couples: ingest.Couples | None = None,
    ) -> None:
        self.steps = steps
        self.names = _names(uses)
        self.uses = {rater_id: use for rater_id, use in uses.items() if rater_id not in without}
        self.teams = (
            None
            if steps.continuous or couples
            else ingest.teams(judgment_list.pk, steps.values, without=without)
        )
        self.couples = couples or self._couples(judgment_list, without)

    def _couples(self, judgment_list: JudgmentList, without: Sequence[int]) -> ingest.Couples:
        if self.teams is not None:
            return ingest.couples_of(self.teams, len(self.steps.values))
        center, near = self.steps.center, self.steps.tolerance
        return ingest.couples_of_any_value(judgment_list.pk, center=center, near=near, without=without)

    def alphas_without(self, found: Agreement) -> dict[int, float]:
        """The alpha with each rater left out, NaN where it is not defined; none on a scale without fixed steps."""
        if found.coincidences is None or self.teams is None:
            return {}
        alphas = leave_one_out.alphas_without(
            found.coincidences,
            self.teams.kinds,
            self.steps.values,
            self.steps.level,
            judgments=self.teams.judgments.T[1:],
            raters=len(self.teams.rater_ids),
        )
        return dict(zip(self.teams.rater_ids, alphas.tolist(), strict=True))

    def _of(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Kappa, bias and agreement of confusions (..., V, V), or of sums (..., 7)."""
        if self.steps.continuous:
            pairs = counts[..., 0]
            with np.errstate(invalid="ignore", divide="ignore"):
                bias, near = (counts[..., 1] - counts[..., 2]) / pairs, counts[..., 6] / pairs
            return arithmetic.concordance(counts), bias, near
        places = self.steps.places
        weighting: arithmetic.Weighting = "none" if self.steps.level == "nominal" else "quadratic"
        kappa = arithmetic.kappa(counts, places, weighting)
        return kappa, arithmetic.bias(counts, places), arithmetic.agreement(counts)

    def _pairs(self, counts: Floats) -> Floats:
        found: Floats = counts[..., 0] if self.steps.continuous else counts.sum(axis=(-2, -1))
        return found

    def _turned(self, counts: Floats) -> Floats:
        """The same with the other rater in the rows."""
        return counts[..., [0, 2, 1, 4, 3, 5, 6]] if self.steps.continuous else np.swapaxes(counts, -1, -2)

    def figures(self, alphas: Mapping[int, float] | None = None) -> list[RaterFigures]:
        """Each rater against all others together; those with the most judgments first, then by name.

        `alphas` are those of the others alone, see `alphas_without`.
        """
        held = np.zeros((len(self.couples.rater_ids), *self.couples.counts.shape[1:]))
        np.add.at(held, self.couples.first, self.couples.counts)
        np.add.at(held, self.couples.second, self._turned(self.couples.counts))
        kappas, biases, agreements = self._of(held)
        pairs = self._pairs(held)
        place = {rater_id: index for index, rater_id in enumerate(self.couples.rater_ids)}
        found = []
        for rater_id, use in self.uses.items():
            at = place.get(rater_id)
            agreement, kappa, bias = (
                None if at is None else _known(each[at]) for each in (agreements, kappas, biases)
            )
            figures = RaterFigures(
                rater_id=rater_id,
                name=self.names[rater_id],
                judgments=use.total,
                cannot=use.cannot,
                pairs=0 if at is None else int(pairs[at]),
                agreement=agreement,
                kappa=kappa,
                bias=bias,
                alpha_without=_known((alphas or {}).get(rater_id, nan)),
                use=use,
            )
            found.append(figures)
        return sorted(found, key=lambda one: (-one.judgments, one.name, one.rater_id))

    def matrix(self, rater_ids: Sequence[int]) -> list[list[Cell]]:
        """The kappas of these raters with each other, both ways."""
        known = {}
        pairs, ids = self._pairs(self.couples.counts), self.couples.rater_ids
        kappas, _, _ = self._of(self.couples.counts)
        for at, (one, other) in enumerate(zip(self.couples.first, self.couples.second, strict=True)):
            cell = _cell(int(pairs[at]), float(kappas[at]))
            known[ids[one], ids[other]] = known[ids[other], ids[one]] = cell
        return [
            [
                Cell(0, None, self=True) if one == other else known.get((one, other), Cell(0, None))
                for other in rater_ids
            ]
            for one in rater_ids
        ]

    def table(self) -> list[tuple[str, str, int, float | None, float | None, float | None]]:
        """Every couple with pairs in common: names, pairs, agreement, kappa, bias of the one named first."""
        ids, names = self.couples.rater_ids, self.names
        kappas, biases, agreements = self._of(self.couples.counts)
        pairs = self._pairs(self.couples.counts)
        figures = zip(self.couples.first, self.couples.second, pairs, agreements, kappas, biases, strict=True)
        return [
            (names[ids[one]], names[ids[other]], int(shared), _known(agreed), _known(kappa), _known(bias))
            for one, other, shared, agreed, kappa, bias in figures
        ]

    def confusion(self, one: int, other: int) -> Confusion | None:
        """Two raters of the list, in this order; None where they have no pair in common."""
        ids = self.couples.rater_ids
        wanted = {(one, other): False, (other, one): True}
        for at, (first, second) in enumerate(zip(self.couples.first, self.couples.second, strict=True)):
            turned = wanted.get((ids[first], ids[second]))
            if turned is not None:
                counts = self.couples.counts[at]
                return self._confusion(one, other, self._turned(counts) if turned else counts)
        return None

    def _confusion(self, one: int, other: int, counts: Floats) -> Confusion:
        kappa, bias, agreement = self._of(counts)
        kappas = [("quadratic", kappa)]
        rows = []
        if not self.steps.continuous:
            kinds: tuple[arithmetic.Weighting, ...] = ("none", "linear", "quadratic")
            kinds = kinds[:1] if self.steps.level == "nominal" else kinds
            kappas = [(kind, arithmetic.kappa(counts, self.steps.places, kind)) for kind in kinds]
            most = max(1.0, counts.max(initial=0.0))
            rows = [
                (label, [(int(count), int(10 * count / most)) for count in row])
                for label, row in zip(self.steps.labels, counts, strict=True)
            ]
        return Confusion(
            self.names[one],
            self.names[other],
            int(self._pairs(counts)),
            Figure.of(float(agreement), NOTHING_SHARED),
            Figure.of(float(bias), NOTHING_SHARED),
            [(KINDS[kind], Figure.of(float(value), NOT_DEFINED)) for kind, value in kappas],
            rows,
        )


KINDS = {"none": "unweighted", "linear": "linear weights", "quadratic": "quadratic weights"}


def grade_uses(judgment_list: JudgmentList, steps: Steps) -> dict[int, GradeUse]:
    """How often each rater used each grade, or each tenth of the range. One query."""
    if steps.continuous:
        found = ingest.binned_use(judgment_list.pk, low=steps.low, high=steps.high, bins=BINS)
        keys = [float(number) for number in range(BINS)]
    else:
        found = ingest.use(judgment_list.pk)
        keys = steps.values.tolist()
    return {
        rater_id: GradeUse(labels_of(steps), [own.get(key, 0) for key in keys], own.get(None, 0))
        for rater_id, own in found.items()
    }


def labels_of(steps: Steps) -> list[str]:
    """The names of grades, or of the tenths of a range."""
    edges = np.linspace(steps.low, steps.high, BINS + 1)
    return [f"{low:g} to {high:g}" for low, high in pairwise(edges)] if steps.continuous else steps.labels


def total_use(uses: Sequence[GradeUse], labels: list[str]) -> GradeUse:
    """That of all raters together."""
    added = [sum(counts) for counts in zip(*(use.counts for use in uses), strict=True)]
    return GradeUse(labels, added or [0] * len(labels), sum(use.cannot for use in uses))


def _names(uses: dict[int, GradeUse]) -> dict[int, str]:
    raters = Rater.objects.filter(pk__in=uses).select_related("user")
    return {rater.pk: rater.user.display_name if rater.user else rater.name for rater in raters}


def _known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _cell(pairs: int, kappa: float) -> Cell:
    if pairs < FEW_PAIRS or isnan(kappa):
        return Cell(pairs, None)
    return Cell(pairs, kappa, min(10, max(0, int(10 * kappa))))
