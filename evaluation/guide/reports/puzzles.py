"""Five puzzles, one for each classic mistake. Every number comes from the measures that score runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from evaluation.guide.reports.examples import ZOOLANDER
from touchstone_core.comparison.values import fixed
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.scale import ScaleInfo

MOVIES: Final = ZOOLANDER.grades
BY_RANK: Final = "nDCG(discount='reciprocal')@2"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A question about `lines` of text and value. `right` is the letter of the right choice, `why` its explanation."""

    title: str
    question: str
    lines: tuple[tuple[str, str], ...]
    choices: tuple[tuple[str, str], ...]
    right: str
    why: tuple[str, ...]
    sums: tuple[tuple[str, str], ...]
    rule: str

    @property
    def right_words(self) -> str:
        return dict(self.choices)[self.right]


def ndcg(measure: str, ranking: Sequence[str], grades: Mapping[str, float], top: float = 1.0) -> float:
    """Of one ranking. Documents without a grade are unjudged."""
    _, run = join({"q": grades}, {"q": ranking}, ScaleInfo(top_grade=top, threshold=0.5, bottom=0.0))
    return float(parse(measure).values(run)[0])


@cache
def puzzles() -> tuple[Puzzle, ...]:
    return (_returned_only(), _off_by_one(), _mixed_gains(), _dropped_queries(), _unjudged())


def _returned_only() -> Puzzle:
    own = ndcg("nDCG(discount='reciprocal', ideal='local')@2", ["helicopter"], MOVIES)
    all_judged = ndcg(BY_RANK, ["helicopter"], MOVIES)
    return Puzzle(
        title="One poor result, perfect score",
        question="For “zoolander” a system returns one document: a helicopter, graded 0.1 of 1. Its report says "
        "that NDCG@2 is 1. The raters graded four other documents: 1, 0.9, 0.7 and 0.1. What made the score perfect?",
        lines=(("returned", "0.1"), ("reported NDCG@2", fixed(own))),
        choices=(
            ("a", "One result is always in the right order, so 1 is correct for every question."),
            ("b", "The ideal was made from the returned documents only."),
            ("c", "The logarithm of rank 1 is 0."),
        ),
        right="b",
        why=(
            "The tool sorted what the system returned and called that the ideal. A system that returns one result is "
            "then always perfect, however poor the result is.",
            "With an ideal made from all judged documents the score is what you’d expect.",
        ),
        sums=(
            ("ideal from what was returned (local)", f"0.1 / 0.1 = {fixed(own)}"),
            ("ideal from all judged documents (global)", f"0.1 / (1 × 1 + 0.9 × 0.5) = {fixed(all_judged)}"),
        ),
        rule="Ask of every NDCG: what is its ideal made of? Don’t rank runs by local or recall.",
    )


def _off_by_one() -> Puzzle:
    grades = {"first": 0.0, "second": 1.0}
    original = ndcg("nDCG(discount='jk')@2", ["first", "second"], grades)
    usual = ndcg("nDCG@2", ["first", "second"], grades)
    return Puzzle(
        title="Two tools, one ranking",
        question="The only relevant document is at rank 2. trec_eval and your script both use a base-2 logarithm, "
        "and both divide by the same ideal. They don’t agree. Why?",
        lines=(("grades, by rank", "0, 1"), ("trec_eval", fixed(usual)), ("your script", fixed(original))),
        choices=(
            ("a", "Your script divides by log2(rank), so rank 2 isn’t discounted."),
            ("b", "Your script rounds each query before it takes the mean."),
            ("c", "Your script uses exponential gain."),
        ),
        right="a",
        why=(
            "The paper of 2002 divides by log2(rank) from rank 2 on, and log2(2) is 1. So ranks 1 and 2 both count in full.",
            "Nearly every tool today divides by log2(rank + 1). One query can’t tell which one you have. A relevant document at rank 2 can.",
        ),
        sums=(
            ("1 / log2(rank + 1)", f"(0 × 1 + 1 × 0.6309) / (1 × 1) = {fixed(usual)}"),
            ("1 / log2(rank), from rank 2", f"(0 × 1 + 1 × 1) / (1 × 1) = {fixed(original)}"),
        ),
        rule="Check the discount at rank 2: 0.6309 or 1. With binary grades the variants differ, too.",
    )


def _mixed_gains() -> Puzzle:
    grades = {"high": 2.0, "medium": 1.0, "none": 0.0}
    rankings = ("medium", "high"), ("high", "none")
    linear = [fixed(ndcg("nDCG@2", ranking, grades, 2.0)) for ranking in rankings]
    exponential = [fixed(ndcg("nDCG(gain='exp')@2", ranking, grades, 2.0)) for ranking in rankings]
    return Puzzle(
        title="Both teams are right",
        question="Two teams compare the same two rankings, with the same grades, cutoff, discount and ideal. "
        "Each finds another winner, and nobody made an arithmetic mistake. What do they do differently?",
        lines=(
            ("ranking A has the grades 1, 2", f"{linear[0]} for team 1, {exponential[0]} for team 2"),
            ("ranking B has the grades 2, 0", f"{linear[1]} for team 1, {exponential[1]} for team 2"),
        ),
        choices=(
            ("a", "Team 2 counts unjudged documents as relevant."),
            ("b", "Team 2 leaves out queries without a good document."),
            ("c", "Team 1 uses the grade as the gain, team 2 uses 2^grade − 1."),
        ),
        right="c",
        why=(
            "Under linear gain a document of grade 2 is worth two of grade 1. Under exponential gain it’s worth three. "
            "Then having it at rank 1 outweighs everything below.",
            "Both are called NDCG, and the choice can change which system wins.",
        ),
        sums=(
            (
                "linear",
                f"A: (1 × 1 + 2 × 0.6309) / (2 × 1 + 1 × 0.6309) = {linear[0]}; "
                f"B: 2 × 1 / 2.6309 = {linear[1]}",
            ),
            (
                "exponential",
                f"A: (1 × 1 + 3 × 0.6309) / (3 × 1 + 1 × 0.6309) = {exponential[0]}; "
                f"B: 3 × 1 / 3.6309 = {exponential[1]}",
            ),
        ),
        rule="Never put numbers with different gains into one table. Every number here names its formula.",
    )


def _dropped_queries() -> Puzzle:
    values = (0.8, 0.6, 0.4, 0.2)
    mean = fixed(sum(values) / len(values))
    easy = values[:2]
    kept, counted = fixed(sum(easy) / len(easy)), fixed(sum(easy) / len(values))
    return Puzzle(
        title="Fewer answers, better score",
        question="System A answers four queries. System B finds nothing for the two hard ones, and has the same pages as A "
        "for the others. The report says that B is better. What happened?",
        lines=(("A", f"0.8, 0.6, 0.4, 0.2: mean {mean}"), ("B", f"0.8, 0.6: mean {kept}")),
        choices=(
            ("a", "B is better: no result is better than a poor one."),
            ("b", "The mean of B leaves out the two queries that B doesn’t answer."),
            ("c", "Four queries are too few. With more queries A would win."),
        ),
        right="b",
        why=(
            "A run file has no lines for a query without results, so a tool that averages what it finds in the file drops it.",
            "Count an unanswered query as 0, over the same queries for both systems. trec_eval does so only with its option -c.",
        ),
        sums=(
            ("unanswered queries left out", f"(0.8 + 0.6) / 2 = {kept}"),
            ("unanswered queries count as 0", f"(0.8 + 0.6 + 0 + 0) / 4 = {counted}"),
        ),
        rule="Compare means over the same queries only. Touchstone shows how many queries are missing.",
    )


def _unjudged() -> Puzzle:
    judged = {name: MOVIES[name] for name in ("movie", "sequel", "photo")}
    old, new = ("sequel", "photo"), ("trailer", "movie")
    before, low = ndcg(BY_RANK, old, judged), ndcg(BY_RANK, new, judged)
    judged_too = judged | {"trailer": 1.0}
    before_high, high = ndcg(BY_RANK, old, judged_too), ndcg(BY_RANK, new, judged_too)
    return Puzzle(
        title="The new system looks worse",
        question="Raters judged what the old system shows. The new system puts a document first that nobody has judged, "
        "and the best movie second. Is the new system worse?",
        lines=(("old: grades 0.9, 0.7", fixed(before)), ("new: unjudged, then 1", fixed(low))),
        choices=(
            ("a", "Yes, clearly: the difference is large."),
            ("b", "No: new documents are usually better, so it’s safe to release."),
            ("c", "Nobody knows before the first document is judged."),
        ),
        right="c",
        why=(
            "An unjudged document counts as grade 0, but nobody has seen it. It could also be as good as the movie.",
            "Then the new system is perfect, and the old one loses, because the ideal now has two top documents.",
        ),
        sums=(
            ("if it’s irrelevant", f"new (0 × 1 + 1 × 0.5) / 1.45 = {fixed(low)}, old {fixed(before)}"),
            (
                "if it’s as good as the movie",
                f"new (1 × 1 + 1 × 0.5) / 1.5 = {fixed(high)}, old {fixed(before_high)}",
            ),
        ),
        rule="Unjudged isn’t irrelevant. Look at judged@k and the bounds, and request the missing judgments.",
    )
