"""The verdict on a run as people say it: one sentence with its names, and the reason that matters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from touchstone_core.comparison.coverage import Coverage, nothing_is_judged
from touchstone_core.comparison.headline import Headline
from touchstone_core.comparison.values import fixed, nothing_judged_words, signed
from touchstone_core.comparison.verdict import WITH_BOUNDS, Figures, Verdict, unknown_change
from touchstone_core.metrics.direction import ranks_runs
from touchstone_core.significance.permutation import FEWEST
from touchstone_core.words import counted

MARKS: Final = {"better": "✓", "worse": "✗", "open": "?", "unshown": "≈", "same": "="}
"""A sign for each kind of verdict, so that nothing depends on its color."""


@dataclass(frozen=True, slots=True)
class PlainVerdict:
    """`difference` is the `mean` as text, `count` of `queries` are won, lost and so on, as `verb` says and `show` filters them.

    `count` is 0 where one run is judged so much less that unjudged documents, which count as 0, decide who wins a query.
    `reasons` are sentences; `depends` is how many queries missing grades could turn, where that is what matters, and `unanswered`
    how many get no results.
    """

    kind: str
    sentence: str
    mean: float
    difference: str
    verb: str
    count: int
    queries: int
    show: str
    reasons: Sequence[str]
    depends: int
    unanswered: int
    needs_judging: bool

    @property
    def average(self) -> str:
        """The mean in words, and what it rests on where it decides nothing."""
        return f"{self.difference} on average{' on current judgments' if self.needs_judging else ''}"

    @property
    def mark(self) -> str:
        return MARKS[self.kind]

    @property
    def summary(self) -> str:
        """What the mean and the queries say, without links."""
        if not self.count:
            return f"{self.average}."
        return f"{self.average}; {self.verb} {self.count:,} of {counted(self.queries, 'query', 'queries')}."

    @property
    def text(self) -> str:
        """All reasons, without links."""
        depends = [depends_words(self.depends, self.queries)] if self.depends else []
        unanswered = [unanswered_words(self.unanswered)] if self.unanswered else []
        return " ".join([self.summary, *depends, *unanswered, *self.reasons])


def plain_verdict(
    figures: Figures, place: int, verdict: Verdict, *, run: str, baseline: str, on: str
) -> PlainVerdict:
    """Of the run at this place behind the baseline."""
    one, evidence = figures["comparisons"][place], figures["evidence"] and figures["evidence"][place]
    mean, outcomes = one["difference"]["mean"], one["outcomes"]
    up = mean > 0
    asks = verdict.needs_judging or verdict.headline is Headline.NO_DIFFERENCE_SO_FAR
    # Of another measure, more queries or others may depend.
    depends = evidence["open"] if evidence and asks and on in WITH_BOUNDS else 0
    words = ("wins", "loses") if ranks_runs(on) else ("is higher on", "is lower on")
    return PlainVerdict(
        kind=verdict.kind,
        sentence=verdict.headline.sentence.format(run=run, baseline=baseline),
        mean=mean,
        difference=signed(mean),
        verb=words[0 if up else 1],
        count=0 if verdict.needs_judging else outcomes["wins" if up else "losses"],
        queries=one["queries"],
        show="won" if up else "lost",
        reasons=[
            *_strange_ids(figures, place),
            *_reasons(one, evidence, verdict, on, figures["cutoff"]),
            *_coverage(figures, place, verdict, depends),
            *filter(None, [verdict.care]),
        ],
        depends=depends,
        unanswered=figures["queries"] - figures["runs"][place + 1]["answered"],
        needs_judging=verdict.needs_judging,
    )


def depends_words(count: int, queries: int) -> str:
    return f"{count:,} of {counted(queries, 'query', 'queries')} {'depends' if count == 1 else 'depend'} on missing grades."


def unanswered_words(count: int) -> str:
    return f"{counted(count, 'query gets', 'queries get')} no results."


def _strange_ids(figures: Figures, place: int) -> list[str]:
    run = figures["runs"][place + 1]
    return [nothing_judged_words(figures["cutoff"])] if nothing_is_judged(run) else []


def _coverage(figures: Figures, place: int, verdict: Verdict, depends: int) -> list[str]:
    """Why it can't be told, where neither a number of queries nor `_strange_ids` says so."""
    coverage = Coverage.of_figures(figures, place)
    if depends or not verdict.needs_judging or coverage.nothing:
        return []
    return [coverage.share_words]


def _reasons(
    one: dict[str, Any], evidence: Figures | None, verdict: Verdict, on: str, cutoff: int
) -> list[str]:
    if verdict.kind in ("better", "worse"):
        return ["No unjudged result can turn that around."]
    if verdict.headline is Headline.TOO_FEW:
        changed = counted(one["permutation"]["changed"], "query", "queries")
        return [f"Only {changed} changed in value. It takes {FEWEST} to tell a difference from noise."]
    if verdict.headline is Headline.TOO_CLOSE and verdict.rule.always_valid:
        return ["Queries were added between looks, which takes a stricter test."]
    if verdict.headline is Headline.TOO_CLOSE and one["detectable"] is not None:
        return [
            f"With these queries you can reliably detect differences of {fixed(one['detectable'])} or more."
        ]
    if verdict.headline.is_so_far:
        do = (
            "make a difference"
            if verdict.headline is Headline.NO_DIFFERENCE_SO_FAR
            else "still turn that around"
        )
        known = evidence is not None and on in WITH_BOUNDS
        return [f"Unjudged results could {do}." if known else unknown_change(evidence, cutoff)]
    return []
