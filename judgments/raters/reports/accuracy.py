"""What gold pairs, and the others' grades, say of each rater. For admins to look at; nothing follows from it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from judgments.judging.reports.known_answers import Known, known_answer
from judgments.models import Gold, Judgment, JudgmentList, Level, Rater
from judgments.raters import strictness
from judgments.raters.sql.recent_judgments import Recent, recent_judgments
from touchstone_core.grades import accuracy


@dataclass(frozen=True, slots=True)
class RaterAccuracy:
    """`distances` counts answers by how far off they were: grades too high are positive, too low negative."""

    rater: Rater
    answers: int
    hits: int
    interval: accuracy.Interval
    distances: dict[float, int]
    cannot_judge: int
    practice: int
    practice_hits: int
    practice_verdict: str
    expected: float
    alarms: list[str] = field(default_factory=list)
    median_ms: float | None = None

    @property
    def share(self) -> float | None:
        return self.hits / self.answers if self.answers else None

    @property
    def enough(self) -> bool:
        """Whether there are as many known answers as a judgment of the rater takes."""
        return self.answers >= accuracy.ENOUGH


def rater_accuracy(
    judgment_list: JudgmentList, latest: Iterable[Recent] | None = None
) -> list[RaterAccuracy]:
    """Every rater who gave judgments of late or answered gold pairs, by name. Three queries, one less with the `latest`."""
    recent: dict[int, list[Recent]] = defaultdict(list)
    for one in recent_judgments(judgment_list.pk) if latest is None else latest:
        recent[one.rater_id].append(one)
    gold = _gold_answers(judgment_list)
    raters = Rater.objects.filter(pk__in={*recent, *gold}).select_related("user").order_by("name", "pk")
    times = [one.active_ms for ones in recent.values() for one in ones if one.active_ms]
    ordered = judgment_list.scale.level != Level.NOMINAL
    return [_of_rater(rater, gold[rater.pk], recent[rater.pk], times, ordered=ordered) for rater in raters]


@dataclass(frozen=True, slots=True)
class _Answers:
    test: list[Known] = field(default_factory=list)
    practice: list[Known] = field(default_factory=list)
    cannot_judge: list[int] = field(default_factory=list)


def _gold_answers(judgment_list: JudgmentList) -> dict[int, _Answers]:
    """Answers to pairs that are gold now, oldest first, by rater; those given before the pair became gold too."""
    scale = judgment_list.scale
    steps = [grade.value for grade in scale.grades.all()]
    found: dict[int, _Answers] = defaultdict(_Answers)
    rows = (
        Judgment.objects.filter(pair__gold__judgment_list=judgment_list, pair__gold__retired_at=None)
        .order_by("pk")
        .values_list("rater_id", "value", "gold", "pair__gold__value", "pair__gold__also")
    )
    for rater_id, value, mark, right, also in rows:
        if value is None:
            found[rater_id].cannot_judge.append(1)
            continue
        known = known_answer(scale, steps, value, (right, *also))
        (found[rater_id].practice if mark == Gold.PRACTICE else found[rater_id].test).append(known)
    return found


def _of_rater(
    rater: Rater, answers: _Answers, recent: Sequence[Recent], typical: Sequence[int], *, ordered: bool
) -> RaterAccuracy:
    outcomes = [known.right for known in answers.test]
    practiced = [known.right for known in answers.practice]
    times = [one.active_ms for one in recent if one.active_ms]
    return RaterAccuracy(
        rater=rater,
        answers=len(outcomes),
        hits=sum(outcomes),
        interval=accuracy.wilson(sum(outcomes), len(outcomes)),
        distances=dict(sorted(Counter(known.distance for known in answers.test).items())),
        cannot_judge=len(answers.cannot_judge),
        practice=len(practiced),
        practice_hits=sum(practiced),
        practice_verdict=accuracy.verdict(practiced),
        expected=accuracy.posterior_mean(sum(outcomes), len(outcomes) - sum(outcomes)),
        alarms=_alarms(outcomes, recent if ordered else [], times, typical),
        median_ms=median(times) if times else None,
    )


def _alarms(
    outcomes: Sequence[bool], recent: Sequence[Recent], times: Sequence[int], typical: Sequence[int]
) -> list[str]:
    """What an admin should look at: `decline` of known answers, `higher` or `lower` than before, `hasty`."""
    alarms = ["decline"] if accuracy.has_declined(outcomes) else []
    compared = [
        (one.difference, one.others, one.query_id)
        for one in recent
        if one.difference is not None and one.others is not None
    ]
    if compared and (way := strictness.drift(*zip(*compared, strict=True))):
        alarms.append(way)
    if accuracy.is_hasty(times, typical, differs=bool(alarms)):
        alarms.append("hasty")
    return alarms
