"""How far single raters agree: figures of each rater, the matrix of rater pairs, one pair's confusion matrix. For admins."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan, nan

import numpy as np

from judgments.agreement import leave_one_out
from judgments.agreement import rater_pairs as arithmetic
from judgments.agreement.figures import Figure
from judgments.agreement.rater_pairs import FEW_PAIRS
from judgments.agreement.reports.agreement import Agreement, GradeUse, Steps
from judgments.agreement.sql import agreement as sql
from judgments.agreement.units import Floats
from judgments.models import JudgmentList, Rater

BINS = 10
MATRIX_SIZE = 20
"""The matrix shows this many raters: those with the most judgments."""
NOTHING_SHARED = "They have no pair in common."
NOT_DEFINED = "Both gave the same grade to everything they have in common."


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """A rater compared with all others; `pairs` counts a pair once for each other rater. Undefined figures are None."""

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
    """Two raters in the matrix. `kappa` is None below FEW_PAIRS and if it's undefined."""

    pairs: int
    kappa: float | None
    heat: int = 0
    self: bool = False

    @property
    def why(self) -> str:
        """Why there is no kappa, short enough for a cell; empty if there is one."""
        if self.kappa is not None:
            return ""
        return "one grade" if self.pairs >= FEW_PAIRS else "too few" if self.pairs else "none"


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two raters: their figures and, on fixed steps, the confusion matrix with a row for each grade of `one`."""

    one: str
    other: str
    pairs: int
    agreement: Figure
    bias: Figure
    kappas: list[tuple[str, Figure]]
    counts: list[list[int]]

    @property
    def higher(self) -> str:
        """“0.2 higher on average”."""
        bias = self.bias.value or 0.0
        if not round(bias, 2):
            return "as high on average"
        return f"{abs(bias):.2f} {'higher' if bias > 0 else 'lower'} on average"


class Raters:
    """The raters of a list, by their `uses` of grades; `names` includes those left out.

    Two queries, one if their `rater_pairs` are given. Alphas without single raters can't be computed then.
    """

    def __init__(
        self,
        judgment_list: JudgmentList,
        steps: Steps,
        uses: dict[int, GradeUse],
        *,
        without: Sequence[int] = (),
        rater_pairs: sql.RaterPairs | None = None,
    ) -> None:
        self.steps = steps
        self.names = _names(uses)
        self.uses = {rater_id: use for rater_id, use in uses.items() if rater_id not in without}
        self.teams = (
            None
            if steps.continuous or rater_pairs
            else sql.teams(judgment_list.pk, steps.values, without=without)
        )
        self.pairs = rater_pairs or self._rater_pairs(judgment_list, without)

    def _rater_pairs(self, judgment_list: JudgmentList, without: Sequence[int]) -> sql.RaterPairs:
        if self.teams is not None:
            return sql.rater_pairs_of(self.teams, len(self.steps.values))
        center, near = self.steps.center, self.steps.tolerance
        return sql.rater_pairs_of_any_value(judgment_list.pk, center=center, near=near, without=without)

    def alphas_without(self, agreement: Agreement) -> dict[int, float]:
        """The alpha with each rater left out, NaN if it's undefined; none on a scale without fixed steps."""
        if agreement.coincidences is None or self.teams is None:
            return {}
        alphas = leave_one_out.alphas_without(
            agreement.coincidences,
            self.teams.kinds,
            self.steps.values,
            self.steps.level,
            judgments=self.teams.judgments.T[1:],
            raters=len(self.teams.rater_ids),
        )
        return dict(zip(self.teams.rater_ids, alphas.tolist(), strict=True))

    def _figures(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Kappa, bias and agreement of confusion matrices (..., V, V), or of sums (..., 7)."""
        if self.steps.continuous:
            pairs = counts[..., 0]
            with np.errstate(invalid="ignore", divide="ignore"):
                bias, near = (counts[..., 1] - counts[..., 2]) / pairs, counts[..., 6] / pairs
            return arithmetic.concordance(counts), bias, near
        places = self.steps.places
        weighting: arithmetic.Weighting = "none" if self.steps.level == "nominal" else "quadratic"
        kappa = arithmetic.kappa(counts, places, weighting)
        return kappa, arithmetic.bias(counts, places), arithmetic.agreement(counts)

    def _pairs_in_common(self, counts: Floats) -> Floats:
        pairs: Floats = counts[..., 0] if self.steps.continuous else counts.sum(axis=(-2, -1))
        return pairs

    def _swap(self, counts: Floats) -> Floats:
        """The same with the second rater in the rows."""
        return counts[..., [0, 2, 1, 4, 3, 5, 6]] if self.steps.continuous else np.swapaxes(counts, -1, -2)

    def figures(self, alphas: Mapping[int, float] | None = None) -> list[RaterFigures]:
        """Each rater compared with all others together; those with the most judgments first, then by name.

        `alphas` are those without the rater, see `alphas_without`.
        """
        totals = np.zeros((len(self.pairs.rater_ids), *self.pairs.counts.shape[1:]))
        np.add.at(totals, self.pairs.first, self.pairs.counts)
        np.add.at(totals, self.pairs.second, self._swap(self.pairs.counts))
        kappas, biases, agreements = self._figures(totals)
        pairs = self._pairs_in_common(totals)
        place = {rater_id: index for index, rater_id in enumerate(self.pairs.rater_ids)}
        rows = []
        for rater_id, use in self.uses.items():
            at = place.get(rater_id)
            agreement, kappa, bias = (
                None if at is None else number_or_none(each[at]) for each in (agreements, kappas, biases)
            )
            row = RaterFigures(
                rater_id=rater_id,
                name=self.names[rater_id],
                judgments=use.total,
                cannot=use.cannot,
                pairs=0 if at is None else int(pairs[at]),
                agreement=agreement,
                kappa=kappa,
                bias=bias,
                alpha_without=number_or_none((alphas or {}).get(rater_id, nan)),
                use=use,
            )
            rows.append(row)
        return sorted(rows, key=lambda row: (-row.judgments, row.name, row.rater_id))

    def matrix(self, rater_ids: Sequence[int]) -> list[list[Cell]]:
        """The kappas of these raters with each other, in both directions."""
        cells = {}
        for one, other, pairs, _, kappa, _ in self.pair_rows():
            cells[one, other] = cells[other, one] = _cell(pairs, kappa)
        return [
            [
                Cell(0, None, self=True) if one == other else cells.get((one, other), Cell(0, None))
                for other in rater_ids
            ]
            for one in rater_ids
        ]

    def table(self) -> list[tuple[str, str, int, float | None, float | None, float | None]]:
        """Every two raters with pairs in common: names, pairs, agreement, kappa, bias of the first one."""
        return [(self.names[row[0]], self.names[row[1]], *row[2:]) for row in self.pair_rows()]

    def pair_rows(self) -> Iterator[tuple[int, int, int, float | None, float | None, float | None]]:
        """The same with IDs instead of names."""
        ids, counts = self.pairs.rater_ids, self.pairs.counts
        kappas, biases, agreements = self._figures(counts)
        rows = zip(self.pairs.first, self.pairs.second, self._pairs_in_common(counts), strict=True)
        for (one, other, pairs), *figures in zip(rows, agreements, kappas, biases, strict=True):
            agreement, kappa, bias = map(number_or_none, figures)
            yield ids[one], ids[other], int(pairs), agreement, kappa, bias

    def confusion(self, one: int, other: int) -> Confusion | None:
        """Two raters of the list, in this order; None if they have no pair in common."""
        ids = self.pairs.rater_ids
        for first, second, counts in zip(self.pairs.first, self.pairs.second, self.pairs.counts, strict=True):
            if (ids[first], ids[second]) == (one, other):
                return self._confusion(one, other, counts)
            if (ids[first], ids[second]) == (other, one):
                return self._confusion(one, other, self._swap(counts))
        return None

    def _confusion(self, one: int, other: int, counts: Floats) -> Confusion:
        kappa, bias, agreement = self._figures(counts)
        kappas = [("quadratic", kappa)]
        if not self.steps.continuous:
            kinds: tuple[arithmetic.Weighting, ...] = ("none", "linear", "quadratic")
            kinds = kinds[:1] if self.steps.level == "nominal" else kinds
            kappas = [(kind, arithmetic.kappa(counts, self.steps.places, kind)) for kind in kinds]
        return Confusion(
            self.names[one],
            self.names[other],
            int(self._pairs_in_common(counts)),
            Figure.of(float(agreement), NOTHING_SHARED),
            Figure.of(float(bias), NOTHING_SHARED),
            [(KINDS[kind], Figure.of(float(value), NOT_DEFINED)) for kind, value in kappas],
            [] if self.steps.continuous else counts.astype(int).tolist(),
        )


KINDS = {"none": "unweighted", "linear": "linear weights", "quadratic": "quadratic weights"}


def grade_uses(judgment_list: JudgmentList, steps: Steps) -> dict[int, GradeUse]:
    """How often each rater used each grade, or each tenth of the range. One query."""
    if steps.continuous:
        counts = sql.binned_use(judgment_list.pk, low=steps.low, high=steps.high, bins=BINS)
        keys = [float(number) for number in range(BINS)]
    else:
        counts = sql.use(judgment_list.pk)
        keys = steps.values.tolist()
    return {
        rater_id: GradeUse(labels_of(steps), [own.get(key, 0) for key in keys], own.get(None, 0))
        for rater_id, own in counts.items()
    }


def labels_of(steps: Steps) -> list[str]:
    """The labels of grades, or of the tenths of a range."""
    edges = np.linspace(steps.low, steps.high, BINS + 1)
    return [f"{low:g} to {high:g}" for low, high in pairwise(edges)] if steps.continuous else steps.labels


def total_use(uses: Sequence[GradeUse], labels: list[str]) -> GradeUse:
    """The use of grades by all raters together."""
    totals = [sum(counts) for counts in zip(*(use.counts for use in uses), strict=True)]
    return GradeUse(labels, totals or [0] * len(labels), sum(use.cannot for use in uses))


def _names(uses: dict[int, GradeUse]) -> dict[int, str]:
    raters = Rater.objects.filter(pk__in=uses).select_related("user")
    return {rater.pk: rater.display_name for rater in raters}


def number_or_none(value: float) -> float | None:
    """None for NaN."""
    return None if isnan(value) else float(value)


def _cell(pairs: int, kappa: float | None) -> Cell:
    if pairs < FEW_PAIRS or kappa is None:
        return Cell(pairs, None)
    return Cell(pairs, kappa, min(10, max(0, int(10 * kappa))))
