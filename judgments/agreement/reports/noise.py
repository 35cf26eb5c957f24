"""How far noise of raters shrinks differences between runs, from the stored agreement of a list."""

from dataclasses import dataclass
from math import floor
from typing import Final

from judgments.agreement.reports.agreement import Headline
from judgments.agreement.reports.stored_agreement import AgreementFigures
from judgments.base.digits import written
from touchstone_core.grades.noise import Shrinkage, judgments_in_effect, shrinkage
from touchstone_core.grades.rules import ConsensusRule, Rule, Tie

MORE: Final = 2


@dataclass(frozen=True, slots=True)
class Noise:
    """Differences as they are `now`, and with `more` judgments per pair."""

    now: Shrinkage
    more: Shrinkage

    @property
    def in_words(self) -> str:
        now, more = self.now, self.more
        return (
            f"Noise of raters makes differences between runs smaller. With {_number(now)} per pair, differences in "
            f"NDCG-global are about {_percent(now.about)} of what very many raters like these would show, and at least "
            f"{_percent(now.least)}. With {_number(more)} they would be about {_percent(more.about)}, and at least "
            f"{_percent(more.least)}."
        )


def noise_of(figures: AgreementFigures, rule: ConsensusRule) -> Noise | None:
    """Of the judgments that count. None where nothing is known, or where simulations don't bear it out."""
    return noise_in(figures.counting_headline, figures.counting_judgments, rule)


def noise_in(headline: Headline, judgments: int, rule: ConsensusRule) -> Noise | None:
    """`judgments` are all that have a grade, those of pairs with one judgment included.

    None on grades without an order, where one judgment doesn't have a reliability; with so few queries that alpha's interval
    is rough, or if it reaches 0; and for rules other than a mean, or a median or majority whose ties go to the lower grade. With
    the others, differences may keep less.
    """
    one, interval = headline.alpha.value, headline.interval
    if one is None or interval is None or interval.low <= 0 or headline.wide:
        return None
    if headline.level == "nominal" or not _is_borne_out(rule):
        return None
    singles = judgments - headline.judgments
    effective = judgments_in_effect(headline.pairs, headline.harmonic_size, singles)
    number = round(effective, 1)
    now, more = (shrinkage(one, interval.low, k) for k in (number, floor(number) + MORE))
    return Noise(now, more)


def _is_borne_out(rule: ConsensusRule) -> bool:
    return rule.rule is Rule.MEAN or (rule.rule in {Rule.MEDIAN, Rule.MAJORITY} and rule.tie is Tie.LOWER)


def _number(shrinkage: Shrinkage) -> str:
    number = shrinkage.judgments
    return "one judgment" if number == 1 else f"{written(number)} judgments"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
