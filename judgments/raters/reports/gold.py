"""Gold pairs for their page: what raters make of each, and which pairs could become gold."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from judgments.grades.reports.explanations import explain_grades
from judgments.judging.reports.judging import written
from judgments.judging.reports.known_answers import tolerance_of
from judgments.models import ConsensusGrade, GoldPair, Judgment, JudgmentList, Pair, Scale
from judgments.models.answer_words import name_of
from touchstone_core.grades.accuracy import is_right

FOUND = 25
SUSPECT_FROM = 3
NO_TEXT = ("document__body", "document__fields")


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A gold pair, and how often raters were right; `given` are their answers in words, the most frequent first."""

    gold: GoldPair
    right: str
    also: str
    answers: int
    hits: int
    cannot_judge: int
    given: str

    @property
    def suspect(self) -> bool:
        """Most raters miss it: the right grade may be the wrong one."""
        return self.answers >= SUSPECT_FROM and 2 * self.hits < self.answers


def gold_pairs(judgment_list: JudgmentList) -> QuerySet[GoldPair]:
    """Those in use, in the order in which they were marked first."""
    pairs = GoldPair.objects.in_use().filter(judgment_list=judgment_list).order_by("pk")
    shown = pairs.select_related("pair__query", "pair__document", "made_by")
    return shown.defer(*(f"pair__{name}" for name in NO_TEXT))


def gold_rows(judgment_list: JudgmentList, shown: Iterable[GoldPair]) -> list[GoldRow]:
    """What raters answered to each of these. Practice counts too; a pair's answers from before it was gold as well."""
    scale, shown = judgment_list.scale, list(shown)
    answers: dict[int, list[tuple[float | None, str]]] = defaultdict(list)
    rows = Judgment.objects.filter(pair__in=[gold.pair_id for gold in shown]).order_by("pk")
    for pair_id, value, reason in rows.values_list("pair", "value", "reason"):
        answers[pair_id].append((value, reason))
    return [_row(gold, answers[gold.pair_id], scale) for gold in shown]


def _row(gold: GoldPair, answers: list[tuple[float | None, str]], scale: Scale) -> GoldRow:
    accepted, tolerance = (gold.value, *gold.also), tolerance_of(scale)
    graded = [value for value, _ in answers if value is not None]
    names = Counter(name_of(scale, value, "") for value in graded)
    return GoldRow(
        gold,
        right=name_of(scale, gold.value, ""),
        also=", ".join(name_of(scale, value, "") for value in gold.also),
        answers=len(graded),
        hits=sum(is_right(value, accepted, tolerance) for value in graded),
        cannot_judge=len(answers) - len(graded),
        given=", ".join(f"{count} × {name}" for name, count in names.most_common(6)),
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that could become gold, with its consensus grade, if it has one, and how that came to be."""

    pair: Pair
    value: float | None
    grade: str
    how: str


def candidates(judgment_list: JudgmentList, text: str, *, agreed: bool) -> tuple[list[Candidate], bool]:
    """Pairs whose query or document has `text` in text, title or id; and whether there are more.

    `agreed`: only those on which two raters or more agree entirely. Two statements.
    """
    pairs = Pair.objects.filter(judgment_list=judgment_list).exclude(
        gold__in=GoldPair.objects.in_use().filter(judgment_list=judgment_list)
    )
    if text:
        pairs = pairs.filter(
            Q(query__text__icontains=text)
            | Q(document__title__icontains=text)
            | Q(query__external_id=text)
            | Q(document__external_id=text)
        )
    if agreed:
        others = Judgment.objects.filter(pair=OuterRef("pk"))
        other = others.exclude(value=OuterRef("consensus_grade__value"), value__isnull=False)
        pairs = pairs.filter(consensus_grade__judgments__gte=2, consensus_grade__value__isnull=False)
        pairs = pairs.filter(~Exists(other))
    shown = pairs.select_related("query", "document", "consensus_grade").defer(*NO_TEXT).order_by("pk")
    found = list(shown[: FOUND + 1])
    return _candidates(found[:FOUND], judgment_list.scale), len(found) > FOUND


def candidate(judgment_list: JudgmentList, pair_id: int) -> Candidate | None:
    """A pair of the list."""
    pairs = Pair.objects.filter(judgment_list=judgment_list, pk=pair_id).defer(*NO_TEXT)
    found = pairs.select_related("query", "document", "consensus_grade").first()
    return None if found is None else _candidates([found], judgment_list.scale)[0]


def _candidates(pairs: Sequence[Pair], scale: Scale) -> list[Candidate]:
    explain_grades(getattr(pair, "consensus_grade", None) for pair in pairs)
    return [_candidate(pair, scale) for pair in pairs]


def _candidate(pair: Pair, scale: Scale) -> Candidate:
    grade: ConsensusGrade | None = getattr(pair, "consensus_grade", None)
    if grade is None:
        return Candidate(pair, None, "", "")
    name = "" if grade.value is None else (name_of(scale, grade.value, "") or written(grade.value))
    return Candidate(pair, grade.value, name, grade.how)
