"""Each rater compared with gold pairs and with others' grades. Only for admins to review; nothing happens automatically."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from django.db.models import Exists, OuterRef

from judgments.models import Gold, Judgment, JudgmentList, Rater, Scale
from judgments.raters import strictness
from judgments.raters.sql.recent_judgments import RecentJudgment, recent_judgments
from touchstone_core.grades import accuracy

FLAGS = {
    "decline": "Gold pairs: fewer of the latest answers are correct than before.",
    "higher": "Grades higher than before, compared with others on the same pairs.",
    "lower": "Grades lower than before, compared with others on the same pairs.",
    "hasty": "Also judges faster than nine of ten judgments here.",
}
"""What an admin should review. Together they flag 5 % of honest raters at most: a further one needs a share of that (ADR 76)."""


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer to a pair with a right one. `distance`: by how many grades it is too high; below 0, too low."""

    right: bool
    distance: float


def known_answer(
    scale: Scale, steps: Sequence[float], value: float, right_values: Sequence[float]
) -> KnownAnswer:
    """Compares a grade with those that count as right. `steps` are the grades of the scale."""
    nearest = min(right_values, key=lambda right: abs(value - right))
    if scale.continuous:
        return KnownAnswer(scale.is_right(value, right_values), value - nearest)
    places = sorted({*steps, value, *right_values})
    return KnownAnswer(value in right_values, places.index(value) - places.index(nearest))


@dataclass(frozen=True, slots=True)
class RaterAccuracy:
    """`distances` counts answers by how far off they were: positive if too high, negative if too low. `flags` are of FLAGS."""

    rater: Rater
    answers: int
    hits: int
    interval: accuracy.Interval
    distances: dict[float, int]
    cannot_judge: int
    practice: int
    practice_hits: int
    practice_verdict: str
    flags: list[str] = field(default_factory=list)
    median_ms: float | None = None

    @property
    def flag_sentences(self) -> list[str]:
        return [FLAGS[flag] for flag in self.flags]


def rater_accuracy(
    judgment_list: JudgmentList, latest: Iterable[RecentJudgment] | None = None
) -> list[RaterAccuracy]:
    """Every rater who judged lately or answered gold pairs, by name. Three queries, one less if `latest` is given."""
    recent: dict[int, list[RecentJudgment]] = defaultdict(list)
    for one in recent_judgments(judgment_list.pk) if latest is None else latest:
        recent[one.rater_id].append(one)
    gold = _gold_answers(judgment_list)
    raters = Rater.objects.filter(pk__in={*recent, *gold}).select_related("user").order_by("name", "pk")
    times = [one.active_ms for ones in recent.values() for one in ones if one.active_ms]
    ordered = judgment_list.scale.has_order
    return [_of_rater(rater, gold[rater.pk], recent[rater.pk], times, has_order=ordered) for rater in raters]


@dataclass(slots=True)
class _Answers:
    """Of each answer in `test` also the query, and the share of other raters who are right; None without others."""

    test: list[KnownAnswer] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    others: list[float | None] = field(default_factory=list)
    practice: list[KnownAnswer] = field(default_factory=list)
    cannot_judge: int = 0


GOLD_ANSWER = (
    *("rater_id", "value", "gold", "pair__gold__value", "pair__gold__also"),
    *("pair_id", "pair__query_id"),
)


def _gold_answers(judgment_list: JudgmentList) -> dict[int, _Answers]:
    """Answers to pairs that are gold now, by rater, the oldest first; including answers from before a pair became gold."""
    scale = judgment_list.scale
    steps = [grade.value for grade in scale.grades.all()]
    by_rater: dict[int, _Answers] = defaultdict(_Answers)
    left_out = judgment_list.exclusions.standing().filter(rater=OuterRef("rater"))
    rows = (
        Judgment.objects.filter(pair__gold__judgment_list=judgment_list, pair__gold__retired_at=None)
        .order_by("pk")
        .values_list(*GOLD_ANSWER, Exists(left_out))
    )
    answered, correct = Counter[int](), Counter[int]()  # by pair, by raters who aren't left out
    tests = []
    for rater_id, value, mark, right, also, pair_id, query_id, is_left_out in rows:
        answers = by_rater[rater_id]
        if value is None:
            answers.cannot_judge += 1
            continue
        answer = known_answer(scale, steps, value, (right, *also))
        counts = not is_left_out
        answered[pair_id] += counts
        correct[pair_id] += counts and answer.right
        if mark == Gold.PRACTICE:
            answers.practice.append(answer)
        else:
            answers.test.append(answer)
            answers.queries.append(query_id)
            tests.append((answers, pair_id, counts, answer.right))
    for answers, pair_id, counts, right in tests:
        others = answered[pair_id] - counts
        answers.others.append((correct[pair_id] - (counts and right)) / others if others else None)
    return by_rater


def _of_rater(
    rater: Rater,
    answers: _Answers,
    recent: Sequence[RecentJudgment],
    typical: Sequence[int],
    *,
    has_order: bool,
) -> RaterAccuracy:
    outcomes = [answer.right for answer in answers.test]
    practice = [answer.right for answer in answers.practice]
    times = [one.active_ms for one in recent if one.active_ms]
    return RaterAccuracy(
        rater=rater,
        answers=len(outcomes),
        hits=sum(outcomes),
        interval=accuracy.wilson(sum(outcomes), len(outcomes)),
        distances=dict(sorted(Counter(answer.distance for answer in answers.test).items())),
        cannot_judge=answers.cannot_judge,
        practice=len(practice),
        practice_hits=sum(practice),
        practice_verdict=accuracy.verdict(practice),
        flags=_flags(answers, recent if has_order else [], times, typical),
        median_ms=median(times) if times else None,
    )


def _flags(
    answers: _Answers, recent: Sequence[RecentJudgment], times: Sequence[int], typical: Sequence[int]
) -> list[str]:
    """Those of FLAGS that hold. `hasty` only beside another one."""
    outcomes = [answer.right for answer in answers.test]
    flags = ["decline"] if accuracy.has_declined(outcomes, answers.queries, answers.others) else []
    comparisons = [
        (one.difference, one.others, one.query_id)
        for one in recent
        if one.difference is not None and one.others is not None
    ]
    if comparisons and (way := strictness.drift(*zip(*comparisons, strict=True))):
        flags.append(way)
    if accuracy.is_hasty(times, typical, differs=bool(flags)):
        flags.append("hasty")
    return flags
