"""Pairs on which raters differ, widest first, and the way from one to the next."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from judgments.agreement.reports.answers import Chip, Chips, answers_to, apart_in_words
from judgments.agreement.sql import disagreements as sql
from judgments.agreement.sql.disagreements import Place as Place
from judgments.agreement.sql.disagreements import Wanted as Wanted
from judgments.models import Adjudication, ConsensusGrade, JudgmentList, Query
from judgments.raters.reports.exclusions import standing_exclusions
from judgments.raters.reports.rater_names import Names

PER_PAGE = 50
MOST_COUNTED = 1_000
MOST_QUERIES = 500


@dataclass(frozen=True, slots=True)
class Row:
    """A disagreement in the table: the answers from the lowest to the highest, those that count only."""

    pair_id: int
    query: Query
    document: str
    apart: str
    answers: list[Chip]
    grade: ConsensusGrade
    chip: Chip | None
    decided: Adjudication | None


@dataclass(frozen=True, slots=True)
class Found:
    """A page of disagreements; `total` stops at MOST_COUNTED. `last` is where the next page begins, None at the end."""

    rows: list[Row] = field(default_factory=list)
    total: int = 0
    last: Place | None = None

    @property
    def total_in_words(self) -> str:
        return f"More than {MOST_COUNTED:,}" if self.total > MOST_COUNTED else f"{self.total:,}"


def queries_like(judgment_list: JudgmentList, text: str) -> list[int]:
    """The queries with this id, or with these words, 500 at most."""
    found = Query.objects.filter(query_set=judgment_list.query_set_id)
    found = found.filter(Q(external_id=text) | Q(text__icontains=text)).order_by("pk")
    return list(found.values_list("pk", flat=True)[:MOST_QUERIES])


def found(judgment_list: JudgmentList, wanted: Wanted, after: Place | None) -> Found:
    """A page, widest first. Six statements at most, each of which ends when the page is full, or when enough are counted."""
    wanted = sql.with_habits(judgment_list.pk, wanted)
    most = MOST_COUNTED + 1 if after is None else PER_PAGE + 1
    places = sql.places(judgment_list.pk, wanted, after=after, limit=most)
    total = len(places) if after is None else sql.count(judgment_list.pk, wanted, most=MOST_COUNTED + 1)
    rows = _rows(judgment_list, [place.pair_id for place in places[:PER_PAGE]])
    return Found(rows, total, places[PER_PAGE - 1] if len(places) > PER_PAGE else None)


def following(judgment_list: JudgmentList, wanted: Wanted, place: Place | None) -> int | None:
    """The disagreement after `place`, so that one is decided after the other; None at the end."""
    wanted = sql.with_habits(judgment_list.pk, wanted)
    places = sql.places(judgment_list.pk, wanted, after=place, limit=1)
    return places[0].pair_id if places else None


def place_of(judgment_list: JudgmentList, pair_id: int) -> Place | None:
    """Where a pair stands, whether its answers differ or not."""
    grade = ConsensusGrade.objects.filter(judgment_list=judgment_list, pair=pair_id).first()
    return None if grade is None else place_from(grade)


def place_from(grade: ConsensusGrade) -> Place:
    return Place(-1.0 if grade.spread is None else grade.spread, grade.answers, grade.pair_id)


def _rows(judgment_list: JudgmentList, pair_ids: Sequence[int]) -> list[Row]:
    """Without those that have lost their grade since they were found."""
    grades = ConsensusGrade.objects.select_related("query", "document")
    by_pair = grades.defer("document__body", "document__fields").in_bulk(list(pair_ids))
    decided = _decided(pair_ids)
    said = answers_to(pair_ids, list(standing_exclusions(judgment_list)))
    chips = Chips(judgment_list)
    return [
        Row(
            pair_id=pair_id,
            query=grade.query,
            document=str(grade.document),
            apart=apart_in_words(judgment_list, grade.spread),
            answers=[chips.of(one.value, one.reason) for one in said[pair_id]],
            grade=grade,
            chip=chips.of_grade(grade.value),
            decided=decided.get(pair_id),
        )
        for pair_id in pair_ids
        if (grade := by_pair.get(pair_id))
    ]


def _decided(pair_ids: Iterable[int]) -> dict[int, Adjudication]:
    standing = Adjudication.objects.standing().filter(pair__in=list(pair_ids)).select_related("by")
    return {one.pair_id: one for one in standing}


def raters_to_choose(judgment_list: JudgmentList, names: Names) -> list[tuple[int, str]]:
    """Those who have judged in the list."""
    known = sql.raters_with_judgments(judgment_list.query_set_id, judgment_list.pk)
    return sorted(((pk, names.of(pk)) for pk in known), key=lambda one: (names.shown and one[1], one[0]))
