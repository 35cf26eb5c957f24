"""The sentences that explain grades, the preview of another rule, and the state of the Dawid-Skene model."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self

from judgments.grades.sql.consensus import Changes as Changes
from judgments.grades.sql.consensus import look_ahead
from judgments.grades.sql.explanations import explanations, facts_from
from judgments.grades.sql.model_fits import State, read_state
from judgments.models import ConsensusGrade, JudgmentList, ModelFit, Pair, Scale, VersionGrades
from touchstone_core.grades import dawid_skene
from touchstone_core.grades.consensus import explain
from touchstone_core.grades.dawid_skene import misgivings
from touchstone_core.grades.rules import MODEL_RULES, ConsensusRule, Rule, Tie

OUTDATED_NOTE: Final = "made before its judgments or its model changed"


def explain_values(values: Mapping[int, float | None]) -> dict[int, str]:
    """By pair, why it has this grade or none, from the current judgments and decisions. One statement.

    A grade that doesn't follow from them will soon be refreshed. After a list was copied, for example, its model is missing.
    """
    return {
        pair: how if value == values[pair] else OUTDATED_NOTE
        for pair, (value, how) in explanations(list(values)).items()
    }


def explain_grades(grades: Iterable[ConsensusGrade | None]) -> None:
    """Sets `how` of each grade. One statement."""
    by_pair = {grade.pair_id: grade for grade in grades if grade is not None}
    for pair_id, how in explain_values({key: grade.value for key, grade in by_pair.items()}).items():
        by_pair[pair_id].how = how


def frozen_explanations(grades: VersionGrades) -> Iterator[str]:
    """Explains the grades of a query in a version, by its rule. Older versions have the sentences themselves."""
    if grades.facts is None:
        yield from grades.how
        return
    rule = grades.version.consensus_rule
    for facts, frozen_value in zip(grades.facts, grades.values, strict=True):
        value, how = explain(facts_from(facts), rule)
        yield how if value == frozen_value else OUTDATED_NOTE


@dataclass(frozen=True, slots=True)
class GradeEffect:
    """The grades that a change would add, change or remove; `examples` name some of these pairs and explain their new grades."""

    changes: Changes
    examples: list[str]

    @classmethod
    def of(cls, changes: Changes, rule: ConsensusRule, *, most: int, **more: int) -> Self:
        """With at most so many examples. Two statements."""
        explained = explanations(changes.examples(most), rule)
        pairs = Pair.objects.select_related("query", "document").in_bulk(explained)
        examples = [
            f"“{pairs[key].query}”, “{pairs[key].document}”: {how}" for key, (_, how) in explained.items()
        ]
        return cls(changes, examples, **more)


EXAMPLES: Final = 5


def effect_of_rule(judgment_list: JudgmentList, rule: str, tie: str) -> GradeEffect:
    """Writes nothing. Three statements, one of which reads every judgment of the list once."""
    consensus_rule = ConsensusRule(Rule(rule), Tie(tie))
    changes = look_ahead(list_id=judgment_list.pk, rule=consensus_rule)
    return GradeEffect.of(changes, consensus_rule, most=EXAMPLES)


MOST_RATERS = 100
LONG_WAIT = timedelta(seconds=15)
NO_STEPS = "The scale has no fixed grades."
NO_ORDER = "The grades of this scale have no order. Use the nominal variant."


@dataclass(frozen=True, slots=True)
class Work:
    """A requested fit: `running` since `at`, or scheduled for then. `unattended`: it should have begun long ago."""

    running: bool
    at: datetime
    due: bool
    unattended: bool


@dataclass(frozen=True, slots=True)
class Model:
    """One variant for a list. `lacking` are sentences why it isn't offered; `fit` is None before the first one.

    `stale`: judgments were added, deleted or changed since the fit. `names` are those of all raters of the query set;
    `few_raters` have too few judgments for the model, and are left out of it.
    """

    rule: str
    lacking: list[str]
    fit: ModelFit | None
    stale: bool
    error: str
    work: Work | None
    labels: list[str]
    names: Mapping[int, str]
    few_raters: int

    @property
    def name(self) -> str:
        return Rule(self.rule).label

    @property
    def plain(self) -> str:
        """The rule for pairs that are not in the model, in a sentence."""
        return Rule(self.rule).plain.label.lower()

    @property
    def busy(self) -> bool:
        """Whether the page should refresh itself soon."""
        return self.work is not None and self.work.due

    @property
    def usable(self) -> bool:
        """Whether the list may use it: it is better than the plain rules."""
        return self.fit is not None and not self.lacking and self.fit.beats_plain

    @property
    def on_held_back(self) -> list[tuple[str, float]]:
        """How well the model and the plain rules predict held-back judgments (see touchstone_core.grades.cross_validation), best first."""
        comparison = self.fit.comparison if self.fit else {}
        if not comparison:
            return []
        plain = {Rule(rule).label: fit for rule, fit in comparison["plain"].items()}
        return sorted([(self.name, comparison["model"]), *plain.items()], key=lambda each: -each[1])

    @property
    def shares(self) -> list[tuple[str, float]]:
        shares = self.fit.shares if self.fit else []
        return [(label, 100 * share) for label, share in zip(self.labels, shares, strict=False)]


def reasons_against_models(judgment_list: JudgmentList, state: State) -> dict[str, list[str]]:
    """By rule, why the model isn't offered; without those that are. Prefetch the grades of the list's scale."""
    few = misgivings(pairs=state.pairs)
    sentences = {rule: [*_misfits(judgment_list.scale, rule), *few] for rule in MODEL_RULES}
    return {rule: reasons for rule, reasons in sentences.items() if reasons}


def model_state(judgment_list: JudgmentList, *, with_checksum: bool = True) -> State:
    """Whether models can be fitted. `model_of` needs the checksum, which takes three quarters of the time."""
    return read_state(
        judgment_list.pk,
        enough=dawid_skene.ENOUGH_PAIRS,
        each=dawid_skene.ENOUGH_PER_RATER,
        with_checksum=with_checksum,
    )


def model_of(judgment_list: JudgmentList, rule: str, state: State, *, now: datetime) -> Model:
    """This variant for the list, in one statement. Prefetch the grades of the list's scale."""
    latest = ModelFit.objects.filter(judgment_list=judgment_list, rule=rule).first()
    fit = latest if latest and latest.fitted_at else None
    return Model(
        rule=rule,
        lacking=reasons_against_models(judgment_list, state).get(rule, []),
        fit=fit,
        stale=fit is not None and fit.checksum != state.checksum,
        error=latest.error if latest else "",
        work=_work(state, rule, now),
        labels=[f"{grade}" for grade in judgment_list.scale.grades.all()],
        names=state.names,
        few_raters=state.few_raters,
    )


def habits(model: Model) -> list[dict[str, Any]]:
    """The raters of the fit as the model sees them, the least often right first, MOST_RATERS at most.

    `cells` are percentages, a row for each right grade, a column for each given one.
    """
    if model.fit is None:
        return []
    rows = model.fit.habits
    rights = {one["rater"]: _right(one["matrix"], model.fit.shares) for one in rows}
    worst = sorted(rows, key=lambda one: (rights[one["rater"]], one["rater"]))[:MOST_RATERS]
    return [
        {
            "name": model.names.get(one["rater"], "a rater who is gone"),
            "labels": one["labels"],
            "right": 100 * rights[one["rater"]],
            "cells": [
                (label, [round(100 * chance) for chance in row])
                for label, row in zip(model.labels, one["matrix"], strict=False)
            ],
        }
        for one in worst
    ]


def _misfits(scale: Scale, rule: str) -> list[str]:
    if scale.continuous or len(scale.grades.all()) < 2:
        return [NO_STEPS]
    return [NO_ORDER] if rule == Rule.DS_ORDINAL and not scale.has_order else []


def _right(matrix: Sequence[Sequence[float]], shares: Sequence[float]) -> float:
    """The chance that an answer is right, if grades are as frequent as in the model."""
    return sum(share * row[index] for index, (share, row) in enumerate(zip(shares, matrix, strict=True)))


def _work(state: State, rule: str, now: datetime) -> Work | None:
    job = next((job for job in state.jobs if job.rule == rule), None)
    if job is None:
        return None
    due = job.running or job.at <= now
    return Work(job.running, job.at, due, unattended=not job.running and job.at < now - LONG_WAIT)
