"""One run under the formulas of other tools, and the formulas that give a number from another tool."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, TypeAlias

import numpy as np

from evaluation.formulas.reports import CUTOFFS
from evaluation.guide.reports.sweep import Sweep
from evaluation.models import Ranking, Run
from touchstone_core.comparison import values
from touchstone_core.metrics import averages
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.grammar import Value
from touchstone_core.metrics.measure import Measure
from touchstone_core.metrics.order import Order, precision_of
from touchstone_core.metrics.parameters import MISSING, ZERO
from touchstone_core.metrics.presets import PRESETS, Preset
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.selection import Selection
from touchstone_core.metrics.types import Floats

NEAREST: Final = 10
MOST: Final = 40
# How far float64 and another order of adding may move a mean.
SLACK: Final = Decimal("1e-12")
Parameters: TypeAlias = tuple[tuple[str, Value], ...]
Use: TypeAlias = tuple[str, Parameters, int | None]
_PRECISIONS: Final[Mapping[Order, str]] = {
    "score": "Scores compared in single precision, as trec_eval 9 and pytrec_eval do,",
    "double": "Scores compared in double precision, as trec_eval 10.0 does,",
}
_OURS: Final = ("global", "local", "recall", "max")
_POLICIES: Final = tuple((zero, missing) for zero in ZERO for missing in MISSING)


@dataclass(frozen=True, slots=True)
class OtherNumber:
    """A number from another tool, as a share of 1, with its decimals; `cutoff` if the text names one."""

    number: Decimal
    decimals: int
    cutoff: int | None = None

    @property
    def half(self) -> Decimal:
        """Half of the last digit. Values that round to the number are no farther away."""
        return Decimal(5).scaleb(-self.decimals - 1)

    def __str__(self) -> str:
        return f"{self.number:.{self.decimals}f}"


@dataclass(frozen=True, slots=True)
class RunOrder:
    """How a run's documents are ordered, and whether some have equal retrieval scores."""

    by_rank_column: bool
    tied: bool


@dataclass(frozen=True, slots=True)
class PresetValue:
    """A preset at the cutoff. If it can't be computed, `value` is None and `notes` say why.

    `identical_to` is an earlier preset with the same formula.
    """

    preset: Preset
    text: str
    value: float | None
    notes: list[str]
    identical_to: str = ""

    @property
    def cell(self) -> values.Value:
        return values.value(self.value)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A formula with its mean; `presets` are the tools that use it, `digits` what each query is rounded to.

    `order` is another than the run's own, if that gives the value: then no page of the run shows it.
    """

    name: str
    cutoff: int | None
    parameters: Parameters
    value: float
    digits: int | None = None
    presets: tuple[str, ...] = ()
    order: Order | None = None

    @property
    def order_words(self) -> str:
        return "" if self.order is None else f"scores in {precision_of(self.order)} precision"

    @property
    def measure(self) -> Measure:
        return Measure(self.name, self.cutoff, self.parameters)

    @property
    def text(self) -> str:
        return str(RoundedMeasure(self.measure, self.digits))

    @property
    def chosen(self) -> Selection:
        """The formula under which the run's pages show this number."""
        return Selection.of(self.measure, self.digits)


@dataclass(frozen=True, slots=True)
class ValueRow:
    """Candidates with the same value: its distance from the number, and whether it rounds to the number."""

    candidates: list[Candidate]
    distance: float
    matches: bool
    text: str
    exact: str

    @property
    def away(self) -> str:
        """The distance with its sign, with two digits that count: +0.0030."""
        if abs(self.distance) < float(SLACK):
            return "0"
        return f"{self.distance:+#.2g}".removesuffix(".").replace("-", "−")


@dataclass(frozen=True, slots=True)
class Answer:
    """The formulas that may give the number: those that match, the likeliest first, and then the nearest."""

    number: OtherNumber
    formula_count: int
    cutoffs: tuple[int, ...]
    rows: list[ValueRow]
    more: int

    @property
    def matches(self) -> int:
        """Listed formulas that round to the number. `more` further values do, too."""
        return sum(len(row.candidates) for row in self.rows if row.matches)


def order_of(run: Run) -> RunOrder:
    """Costs a query."""
    tied = Ranking.objects.filter(query_set=run.query_set_id, run=run, tied=True).exists()
    return RunOrder(run.order == Run.Order.RANK, tied)


class Reconciliation:
    """The values of one run under many formulas, from one reading of its hits. `others` are the arrays of the same run
    under other orders (see `judged_runs_of`)."""

    def __init__(
        self,
        judged: JudgedRun,
        others: Mapping[Order, JudgedRun] | None = None,
        query_ids: Sequence[int] = (),
    ) -> None:
        self.query_ids = query_ids
        self._others = {order: Reconciliation(other) for order, other in (others or {}).items()}
        self._judged = judged
        self._sweep = Sweep(judged)
        self._misses = not judged.answered.all()

    @property
    def queries(self) -> int:
        return self._judged.queries

    def presets(self, cutoff: int, order: RunOrder) -> list[PresetValue]:
        """Every preset at this cutoff, in the order of the presets."""
        first: dict[str, str] = {}
        rows = []
        for preset in PRESETS.values():
            row = self._preset(preset, cutoff, order)
            rows.append(replace(row, identical_to=first.get(row.text, "")))
            first.setdefault(row.text, preset.name)
        return rows

    def values_of_queries(self, cutoff: int) -> Iterator[tuple[Candidate, Floats]]:
        """Every formula at this cutoff with its value of each query, under the run's own order; NaN where it leaves one out."""
        for candidate in self._candidates(cutoff, every=True):
            values = self._sweep.values(candidate.measure)
            digits = candidate.digits
            yield candidate, values if digits is None else averages.round_half_up(values, digits)

    def answers(self, place: int) -> bool:
        """Whether the run has the query at this place."""
        return bool(self._judged.answered[place])

    def exceptions(self, candidate: Candidate) -> tuple[int, int]:
        """How many queries the run doesn't answer, and for how many of the others the ideal is 0."""
        own = self if candidate.order is None else self._others[candidate.order]
        means = own._sweep.means(candidate.measure)
        return int((~self._judged.answered).sum()), means.without if means else 0

    def find(self, number: OtherNumber, cutoff: int) -> Answer:
        """All formulas that match, and the nearest others."""
        cutoffs = tuple(dict.fromkeys([cutoff, *([number.cutoff] if number.cutoff else []), *CUTOFFS]))
        candidates = [candidate for each in cutoffs for candidate in self._candidates(each)]
        for order, other in self._others.items():
            own = {candidate.text: candidate.value for candidate in candidates}
            candidates += [
                replace(candidate, order=order)
                for each in cutoffs
                for candidate in other._candidates(each)
                if candidate.value != own.get(candidate.text)
            ]
        wanted = number.cutoff or cutoff
        rows = sorted(_beside(candidates, number), key=lambda row: _place(row, wanted))
        matches = sum(row.matches for row in rows)
        nearest = rows[: min(max(matches, NEAREST), MOST)]
        return Answer(number, len(candidates), tuple(sorted(cutoffs)), nearest, max(matches - MOST, 0))

    def _preset(self, preset: Preset, cutoff: int, order: RunOrder) -> PresetValue:
        text = str(preset.rounded_measure(cutoff))
        try:
            value = self._mean(preset.measure(cutoff), preset.digits)
        except MetricsError as error:
            return PresetValue(preset, text, None, [str(error)])
        notes = list(_notes(preset, self._judged, order))
        if preset.key == "trec-eval":
            notes += self._under_other_orders(preset, cutoff, value)
        return PresetValue(preset, text, value, notes)

    def _under_other_orders(self, preset: Preset, cutoff: int, value: float | None) -> Iterator[str]:
        for order, other in self._others.items():
            other_value = other._mean(preset.measure(cutoff), preset.digits)
            if other_value is not None and other_value != value:
                yield f"{_PRECISIONS[order]} would give {values.value(other_value).text}."

    def _candidates(self, cutoff: int, *, every: bool = False) -> Iterator[Candidate]:
        users = _users(cutoff)
        for parameters in _bases(self._judged.scale):
            yield from self._variants(Measure.of("nDCG", cutoff, **parameters), users, every=every)
        for keys in users.values():  # those that round, and those that are no NDCG
            yield from self._alone(PRESETS[keys[0]], cutoff, keys)

    def _variants(self, base: Measure, users: dict[Use, list[str]], *, every: bool) -> Iterator[Candidate]:
        """A formula under every policy. Unless `every` one is wanted, those that give the same mean are left out if no tool
        uses them."""
        try:
            means = self._sweep.means(base)
        except MetricsError:  # a gain that these grades cannot have; the table of presets says so
            return
        seen: set[float] = set()
        policies = _POLICIES if self._misses else [(zero, 0) for zero in ZERO]
        for zero, missing in policies:
            parameters = _with(base, zero, missing)
            keys = users.pop((base.name, parameters, None), [])
            if means is None:
                value = self._mean(Measure(base.name, base.cutoff, parameters), None)
            else:
                value = means.under(zero, missing)
            if value is not None and (every or keys or value not in seen):
                yield Candidate(base.name, base.cutoff, parameters, value, None, _names(keys))
                seen.add(value)

    def _alone(self, preset: Preset, cutoff: int, keys: Sequence[str]) -> Iterator[Candidate]:
        measure, digits = preset.measure(cutoff), preset.digits
        try:
            value = self._mean(measure, digits)
        except MetricsError:
            return
        if value is not None:
            yield Candidate(measure.name, cutoff, measure.parameters, value, digits, _names(keys))

    def _mean(self, measure: Measure, digits: int | None) -> float | None:
        values = self._sweep.values(measure)
        return averages.mean(values if digits is None else averages.round_half_up(values, digits))


def _users(cutoff: int) -> dict[Use, list[str]]:
    """Which presets stand for a measure with this rounding."""
    users: dict[Use, list[str]] = {}
    for preset in PRESETS.values():
        measure = preset.measure(cutoff)
        users.setdefault((measure.name, measure.parameters, preset.digits), []).append(preset.key)
    return users


def _names(keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(PRESETS[key].name for key in keys)


def _with(base: Measure, zero: Value, missing: Value) -> Parameters:
    """The parameters under other policies, as a measure keeps them."""
    policies = (("missing", missing), ("zero", zero))
    return tuple(sorted((*base.parameters, *(policy for policy in policies if policy[1] != 0))))


def _bases(scale: ScaleInfo) -> Iterator[dict[str, Value]]:
    """The NDCGs to try, policies aside: our four ideals, and what tools are known to use."""
    own_gains = scale.gains is not None and any(grade != gain for grade, gain in scale.gains.items())
    for gain in ("linear", "exp", *(["table"] if own_gains else [])):
        for ideal in (*_OURS, "global-uncut", "global-hits"):
            yield {"gain": gain, "ideal": ideal}
        yield {"gain": gain, "discount": "jk"}


def _beside(candidates: Sequence[Candidate], number: OtherNumber) -> Iterator[ValueRow]:
    """The candidates by value, with those first that some tool uses."""
    digits = min(max(number.decimals + 2, 4), 15)
    by_value: dict[float, list[Candidate]] = {}
    for candidate in candidates:
        by_value.setdefault(round(candidate.value, 12), []).append(candidate)
    for value, group in by_value.items():
        group.sort(key=lambda candidate: not candidate.presets)
        distance = Decimal(value) - number.number
        matches = abs(distance) <= number.half + SLACK
        yield ValueRow(group, float(distance), matches, f"{value:.{digits}f}", repr(group[0].value))


def _place(row: ValueRow, cutoff: int) -> tuple[bool, bool, bool, int, float]:
    """Of values that match, rounding alone says which is nearer, so the number's cutoff and the usual formulas come first."""
    distance, first = abs(row.distance), row.candidates[0]
    if not row.matches:
        return True, False, False, 0, distance
    return False, first.cutoff != cutoff, not first.presets, len(first.parameters), distance


def _notes(preset: Preset, judged: JudgedRun, order: RunOrder) -> Iterator[str]:
    """How the tool itself would read this run or these grades differently."""
    if preset.key == "scikit-learn" and order.tied:
        yield (
            "This run has equal retrieval scores, which keep one order here. scikit-learn takes the mean over their "
            "orders. The run’s CSV and JSON have it for each query: NDCG-recall, expected over ties."
        )
    if preset.key == "trec-eval" and order.by_rank_column:
        yield "This run is ordered by its rank column; trec_eval would order it by score."
    if preset.key == "ms-marco" and not order.by_rank_column:
        yield "This run is ordered by score; the script of MS MARCO would take its rank column."
    if preset.key == "gdeval" and not _whole_to_four(judged.judged_grade):
        yield "gdeval itself cannot read these grades: they are not whole numbers up to 4."
    if preset.key.startswith("quepid") and (judged.judged_grade < 0).any():
        yield "Some grades are below 0. Their gain is 0 here and below 0 in Quepid."


def _whole_to_four(grades: Floats) -> bool:
    return bool(((grades == np.floor(grades)) & (grades <= 4)).all())
