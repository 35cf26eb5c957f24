"""The page of formulas: every choice with an example, computed from the definitions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from evaluation.guide.reports.examples import ZOOLANDER, Example
from touchstone_core.comparison.values import DASH, Value, short, value
from touchstone_core.metrics import averages
from touchstone_core.metrics.arrays import JudgedRun, join
from touchstone_core.metrics.claims import CLAIMS, Claim, Counterexample
from touchstone_core.metrics.definition import Definition
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.discount import DISCOUNTS, discounts
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import DISCOUNT_WORDS, GAIN_WORDS, Formula
from touchstone_core.metrics.gain import GAINS, gains
from touchstone_core.metrics.measure import Measure, parse
from touchstone_core.metrics.parameters import PARAMETERS
from touchstone_core.metrics.presets import PRESETS, Preset
from touchstone_core.metrics.types import Floats
from touchstone_core.metrics.worked_query import IdealRow, WorkedQuery, WorkedRow

MOST_RANKS: Final = 10
LEVELS: Final = 12
RANKS: Final = (1, 2, 3, 4, 5, 10, 20, 100)
QUESTIONS: Final = {
    "local": "Did we order what we showed?",
    "recall": "Could re-ranking have fixed it?",
    "global": "What is the best that these judgments allow?",
    "max": "Is there enough good content at all?",
}
LISTS: Final = {
    "local": "Divides by the DCG of the documents shown, in their best order.",
    "recall": "Divides by the best DCG of everything retrieved, also below the cutoff.",
    "global": "Divides by the best DCG of all judged documents, retrieved or not.",
    "max": "Divides by the DCG of the scale’s best grade at every rank.",
}
GAIN_EFFECTS: Final = {
    "linear": "Two documents of grade 1 are worth one of grade 2.",
    "exp": "A grade higher by 1 is worth more than twice as much, so the best documents decide.",
    "table": "The scale says what each level is worth.",
}
DISCOUNT_EFFECTS: Final = {
    "log2": "Falls gently; used by every tool examined.",
    "jk": "The original of 2002: the ranks before the base count in full.",
    "reciprocal": "Falls steeply, and is easy to compute by hand.",
    "none": "The order within the cutoff doesn’t count at all.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A rank of a list, as a sum is written down."""

    rank: int
    title: str
    grade: str
    gain: str
    discount: str
    adds: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a choice: what it means, numbers of its own, and what the example gets under it."""

    name: str
    words: str
    effect: str
    numbers: list[str]
    dcg: Value
    ndcg: Value
    note: str = ""


class FormulasPage:
    """Everything on the page, from one example under one formula. Raises MetricsError if they don't fit."""

    def __init__(self, example: Example, formula: Formula) -> None:
        self.example = example
        self.formula = formula
        self.worked: WorkedQuery = example.work_out(formula)
        self._run = example.judged_run()

    @property
    def ranking(self) -> list[Place]:
        """The ranks within the cutoff, as far as they are shown."""
        inside = [row for row in self.worked.rows if row.inside]
        return [
            _place(row, self.example.title(name))
            for row, name in zip(inside[:MOST_RANKS], self.example.ranking, strict=False)
        ]

    @property
    def more_ranks(self) -> int:
        return max(sum(row.inside for row in self.worked.rows) - MOST_RANKS, 0)

    @property
    def below(self) -> int:
        """Retrieved documents below the cutoff."""
        return sum(not row.inside for row in self.worked.rows)

    def ideals(self) -> list[dict[str, Any]]:
        """Each ideal's list down to `MOST_RANKS`, its DCG, and the NDCG: None where a policy leaves the query out."""
        judged = list(self.example.grades)
        sources = {"local": self.example.ranking, "recall": self.example.ranking, "global": judged, "max": ()}
        return [
            {
                "name": name,
                "question": QUESTIONS[name],
                "over": LISTS[name],
                "measure": self.formula.measure(name),
                "places": [
                    _place(row, _title(self.example, sources[name], row.source))
                    for row in ideal.rows[:MOST_RANKS]
                ],
                "more": max(len(ideal.rows) - MOST_RANKS, 0),
                "total": ideal.total,
                "ndcg": self.worked.ndcg[name],
            }
            for name, ideal in self.worked.ideals.items()
        ]

    def grades(self) -> list[str]:
        """The grades that the gains are shown for: those of the example, best first."""
        return [short(grade) for grade in self._levels()]

    # The ranks that the discounts are shown for.
    ranks = RANKS

    def gains(self) -> list[Choice]:
        return [self._gain(gain) for gain in GAINS]

    def discounts(self) -> list[Choice]:
        return [
            self._choice(
                replace(self.formula, discount=discount, base=None),
                discount,
                DISCOUNT_WORDS[discount].format(base=2.0),
                DISCOUNT_EFFECTS[discount],
                [short(discounts(discount, rank)[-1].item()) for rank in RANKS],
            )
            for discount in DISCOUNTS
        ]

    def presets(self) -> list[tuple[Preset, str, Value]]:
        """Each with its measure and what the example gets under it."""
        return [
            (preset, str(preset.rounded_measure(self.formula.cutoff)), self._preset(preset))
            for preset in PRESETS.values()
        ]

    def measures(self) -> list[dict[str, Any]]:
        """Each with its parameters and the value of the example."""
        return [self._measure(definition) for definition in DEFINITIONS.values()]

    def _levels(self) -> list[float]:
        return sorted(set(self.example.grades.values()), reverse=True)[:LEVELS]

    def _gain(self, gain: str) -> Choice:
        try:
            worth = gains(np.array(self._levels()), gain, self.example.scale).tolist()
        except MetricsError as error:
            dash = value(None)
            numbers = [DASH] * len(self._levels())
            return Choice(
                gain, _sentence(GAIN_WORDS[gain]), GAIN_EFFECTS[gain], numbers, dash, dash, str(error)
            )
        return self._choice(
            replace(self.formula, gain=gain),
            gain,
            GAIN_WORDS[gain],
            GAIN_EFFECTS[gain],
            [short(each) for each in worth],
        )

    def _choice(self, formula: Formula, name: str, words: str, effect: str, numbers: list[str]) -> Choice:
        dcg, ndcg = parse(formula.dcg_measure()), parse(formula.measure("global"))
        return Choice(name, _sentence(words), effect, numbers, self._on_example(dcg), self._on_example(ndcg))

    def _on_example(self, measure: Measure) -> Value:
        return _mean_or_dash(lambda: measure.values(self._run))

    def _preset(self, preset: Preset) -> Value:
        return _mean_or_dash(lambda: preset.values(self._run, self.formula.cutoff))

    def _measure(self, definition: Definition) -> dict[str, Any]:
        measure = Measure(definition.name, None if definition.cutoff == "none" else self.formula.cutoff)
        title = {"required": "{}@k", "optional": "{}@k", "none": "{}"}[definition.cutoff]
        return {
            "definition": definition,
            "title": title.format(definition.name),
            "text": str(measure),
            "value": self._on_example(measure),
            "takes": ", ".join(sorted(definition.parameters)),
        }


def policies() -> list[dict[str, Any]]:
    """Each policy on the smallest case that shows it, from the zoolander example, with the mean for each value."""
    grades, ranking, scale = ZOOLANDER.grades, ZOOLANDER.ranking, ZOOLANDER.scale
    _, with_hole = join({"q": grades}, {"q": ("unknown", *ranking)}, scale)
    _, with_bad = join({"q": grades, "bad": {"x": 0.0}}, {"q": ranking, "bad": ("x",)}, scale)
    _, with_missing = join({"q": grades, "other": grades}, {"q": ranking}, scale)
    cases = (
        ("unjudged", "One query, with an unjudged document added at rank 1.", with_hole),
        ("zero", "Two queries: the example, and one whose only judged document has grade 0.", with_bad),
        ("missing", "Two queries: the example, and one that the run doesn’t answer.", with_missing),
    )
    outcomes = {"unjudged": ("zero", "condensed"), "zero": (0, 1, "skip"), "missing": (0, "skip")}
    return [
        {
            "name": name,
            "words": _sentence(PARAMETERS[name].words),
            "case": case,
            "outcomes": [
                (str(measure), value(_mean(measure, run)))
                for measure in (Measure.of("nDCG", 2, **{name: option}) for option in outcomes[name])
            ],
        }
        for name, case, run in cases
    ]


def wrong_claims() -> list[tuple[Claim, list[dict[str, Any]]]]:
    """Common wrong claims, with the tables that disprove them."""
    return [(claim, [_counterexample(each) for each in claim.counterexamples]) for claim in CLAIMS]


def _counterexample(example: Counterexample) -> dict[str, Any]:
    """A row for each ranking, a column for each measure."""
    winners = {measure: example.winner(measure) for measure in example.measures}
    several = len(example.rankings) > 1
    rows = [
        (
            ", ".join(f"{grade:g}" for grade in example.grades(ranking)),
            [
                value(example.value(measure, ranking), best=several and winners[measure] == ranking)
                for measure in example.measures
            ],
        )
        for ranking in example.rankings
    ]
    judgments = ", ".join(f"{grade:g}" for grade in sorted(example.judgments.values(), reverse=True))
    measures = [str(parse(text)) for text in example.measures]
    return {"judgments": judgments, "measures": measures, "rows": rows, "shows": example.shows}


def _mean_or_dash(values: Callable[[], Floats]) -> Value:
    """The mean, or a dash if these grades don't allow the measure."""
    try:
        return value(averages.mean(values()))
    except MetricsError:
        return value(None)


def _mean(measure: Measure, run: JudgedRun) -> float | None:
    return averages.mean(measure.values(run))


def _place(row: WorkedRow | IdealRow, title: str) -> Place:
    grade = "unjudged" if row.grade is None else f"{row.grade:g}"
    return Place(row.rank, title, grade, short(row.gain), short(row.discount), short(row.contribution))


def _title(example: Example, documents: Sequence[str], source: int | None) -> str:
    return "" if source is None else example.title(documents[source])


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
