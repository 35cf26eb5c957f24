"""Gold pairs with raters' answers, and pairs that could become gold."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from judgments.grades.reports import explain_grades
from judgments.models import ConsensusGrade, GoldPair, Judgment, JudgmentList, Pair, Scale

MOST_CANDIDATES = 25
SUSPECT_FROM = 3
NO_TEXT = ("document__body", "document__fields")


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A gold pair and its answers; `counts` are the answers in words, the most frequent first."""

    gold: GoldPair
    right: str
    also: str
    answers: int
    hits: int
    cannot_judge: int
    counts: str

    @property
    def pair(self) -> Pair:
        return self.gold.pair

    @property
    def suspect(self) -> bool:
        """Most answers are wrong, so the gold grade itself may be wrong."""
        return self.answers >= SUSPECT_FROM and 2 * self.hits < self.answers


def gold_pairs(judgment_list: JudgmentList) -> QuerySet[GoldPair]:
    """Those in use, in the order in which they were first marked."""
    pairs = GoldPair.objects.in_use().filter(judgment_list=judgment_list).order_by("pk")
    pairs = pairs.select_related("pair__query", "pair__document", "made_by")
    return pairs.defer(*(f"pair__{name}" for name in NO_TEXT))


def gold_rows(judgment_list: JudgmentList, gold_pairs: Iterable[GoldPair]) -> list[GoldRow]:
    """These gold pairs with all answers, including practice and answers from before a pair became gold."""
    gold_pairs = list(gold_pairs)
    answers: dict[int, list[float | None]] = defaultdict(list)
    rows = Judgment.objects.filter(pair__in=[gold.pair_id for gold in gold_pairs]).order_by("pk")
    for pair_id, value in rows.values_list("pair", "value"):
        answers[pair_id].append(value)
    return [_row(gold, answers[gold.pair_id], judgment_list.scale) for gold in gold_pairs]


def _row(gold: GoldPair, answers: list[float | None], scale: Scale) -> GoldRow:
    grades = [value for value in answers if value is not None]
    names = Counter(scale.name_of(value) for value in grades)
    return GoldRow(
        gold,
        right=scale.name_of(gold.value),
        also=", ".join(scale.name_of(value) for value in gold.also),
        answers=len(grades),
        hits=sum(scale.is_right(value, gold.right_values) for value in grades),
        cannot_judge=len(answers) - len(grades),
        counts=", ".join(f"{count} × {name}" for name, count in names.most_common(6)),
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that could become gold, with its consensus grade, if any, and how the grade was reached."""

    pair: Pair
    value: float | None
    grade: str
    how: str


def candidates(judgment_list: JudgmentList, text: str, *, unanimous: bool) -> tuple[list[Candidate], bool]:
    """Pairs with `text` in the query's text, the document's title or an ID; and whether there are more.

    `unanimous`: only pairs to which two or more raters gave the same grade. Two statements.
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
    if unanimous:
        others = Judgment.objects.filter(pair=OuterRef("pk"))
        other = others.exclude(value=OuterRef("consensus_grade__value"), value__isnull=False)
        pairs = pairs.filter(consensus_grade__judgments__gte=2, consensus_grade__value__isnull=False)
        pairs = pairs.filter(~Exists(other))
    pairs = pairs.select_related("query", "document", "consensus_grade").defer(*NO_TEXT).order_by("pk")
    matches = list(pairs[: MOST_CANDIDATES + 1])
    return _candidates(matches[:MOST_CANDIDATES], judgment_list.scale), len(matches) > MOST_CANDIDATES


def candidate(judgment_list: JudgmentList, pair_id: int) -> Candidate | None:
    """A pair of the list."""
    pairs = Pair.objects.filter(judgment_list=judgment_list, pk=pair_id).defer(*NO_TEXT)
    pair = pairs.select_related("query", "document", "consensus_grade").first()
    return None if pair is None else _candidates([pair], judgment_list.scale)[0]


def _candidates(pairs: Sequence[Pair], scale: Scale) -> list[Candidate]:
    explain_grades(getattr(pair, "consensus_grade", None) for pair in pairs)
    return [_candidate(pair, scale) for pair in pairs]


def _candidate(pair: Pair, scale: Scale) -> Candidate:
    grade: ConsensusGrade | None = getattr(pair, "consensus_grade", None)
    if grade is None:
        return Candidate(pair, None, "", "")
    return Candidate(pair, grade.value, scale.name_of(grade.value), grade.how)
