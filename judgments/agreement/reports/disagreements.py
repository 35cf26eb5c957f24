"""Pairs on which raters differ, the widest apart first, and the next one after each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from judgments.agreement.reports.answers import Chip, Chips, answers_to, apart_in_words
from judgments.agreement.reports.rater_requests import waiting_raters
from judgments.agreement.sql import disagreements as sql
from judgments.agreement.sql.disagreements import DisagreementFilters as DisagreementFilters
from judgments.agreement.sql.disagreements import Place as Place
from judgments.models import Adjudication, ConsensusGrade, JudgmentList, Query
from judgments.raters.reports.exclusions import standing_exclusions
from judgments.raters.reports.rater_names import Names
from touchstone_core.grades.rules import Tie

PER_PAGE = 50
MOST_COUNTED = 1_000
MOST_QUERIES = 500


@dataclass(frozen=True, slots=True)
class Row:
    """A disagreement in the table: the answers that count, from the lowest to the highest. It waits for `waiting` raters."""

    pair_id: int
    query: Query
    document: str
    apart: str
    answers: list[Chip]
    grade: ConsensusGrade
    chip: Chip | None
    decision: Adjudication | None
    waiting: int


@dataclass(frozen=True, slots=True)
class DisagreementPage:
    """Some disagreements; `total` stops at MOST_COUNTED. The next page begins after `last`, which is None on the last page."""

    rows: list[Row] = field(default_factory=list)
    total: int = 0
    last: Place | None = None

    @property
    def total_in_words(self) -> str:
        return number_in_words(self.total)


def number_in_words(pairs: int) -> str:
    """Of pairs that were counted up to MOST_COUNTED + 1."""
    return f"More than {MOST_COUNTED:,}" if pairs > MOST_COUNTED else f"{pairs:,}"


def queries_like(judgment_list: JudgmentList, text: str) -> list[int]:
    """The queries with this ID or these words, at most MOST_QUERIES."""
    queries = Query.objects.filter(query_set=judgment_list.query_set_id)
    queries = queries.filter(Q(external_id=text) | Q(text__icontains=text)).order_by("pk")
    return list(queries.values_list("pk", flat=True)[:MOST_QUERIES])


def disagreement_page(
    judgment_list: JudgmentList, filters: DisagreementFilters, after: Place | None
) -> DisagreementPage:
    """The widest apart first. At most six statements; each stops when the page is full or enough pairs are counted."""
    filters = sql.with_busy_raters(judgment_list.pk, filters)
    most = MOST_COUNTED + 1 if after is None else PER_PAGE + 1
    places = sql.places(judgment_list.pk, filters, after=after, limit=most)
    total = len(places) if after is None else sql.count(judgment_list.pk, filters, most=MOST_COUNTED + 1)
    rows = _rows(judgment_list, [place.pair_id for place in places[:PER_PAGE]])
    return DisagreementPage(rows, total, places[PER_PAGE - 1] if len(places) > PER_PAGE else None)


def undecided_pairs(lists: Iterable[JudgmentList]) -> dict[int, int]:
    """By list, how many pairs have no grade until an admin decides, at most MOST_COUNTED + 1; without lists that have none.

    One statement, and none where no list leaves ties to admins.
    """
    keys = [one.pk for one in lists if one.tie == Tie.ADJUDICATE.value]
    return sql.count_undecided(keys, most=MOST_COUNTED + 1) if keys else {}


def next_disagreement(
    judgment_list: JudgmentList, filters: DisagreementFilters, place: Place | None
) -> int | None:
    """The pair after `place`; None at the end."""
    filters = sql.with_busy_raters(judgment_list.pk, filters)
    places = sql.places(judgment_list.pk, filters, after=place, limit=1)
    return places[0].pair_id if places else None


def place_of(judgment_list: JudgmentList, pair_id: int) -> Place | None:
    """A pair's position, whether its answers differ or not."""
    grade = ConsensusGrade.objects.filter(judgment_list=judgment_list, pair=pair_id).first()
    return None if grade is None else place_from(grade)


def place_from(grade: ConsensusGrade) -> Place:
    return Place(-1.0 if grade.spread is None else grade.spread, grade.answers, grade.pair_id)


def _rows(judgment_list: JudgmentList, pair_ids: Sequence[int]) -> list[Row]:
    """Without pairs that lost their grade since they were listed."""
    grades = ConsensusGrade.objects.select_related("query", "document").annotate(waiting=waiting_raters())
    grade_of = grades.defer("document__body", "document__fields").in_bulk(list(pair_ids))
    decisions = Adjudication.objects.standing().filter(pair__in=pair_ids).select_related("by")
    decision_of = {decision.pair_id: decision for decision in decisions}
    answers = answers_to(pair_ids, list(standing_exclusions(judgment_list)))
    chips = Chips(judgment_list)
    return [
        Row(
            pair_id=pair_id,
            query=grade.query,
            document=str(grade.document),
            apart=apart_in_words(judgment_list, grade.spread),
            answers=[chips.of(one.value, one.reason) for one in answers[pair_id]],
            grade=grade,
            chip=chips.of_grade(grade.value),
            decision=decision_of.get(pair_id),
            waiting=vars(grade)["waiting"],
        )
        for pair_id in pair_ids
        if (grade := grade_of.get(pair_id))
    ]


def raters_to_choose(judgment_list: JudgmentList, names: Names) -> list[tuple[int, str]]:
    """Everyone who judged in the list: keys and names."""
    rater_ids = sql.raters_with_judgments(judgment_list.query_set_id, judgment_list.pk)
    return sorted(((pk, names.of(pk)) for pk in rater_ids), key=lambda one: (names.shown and one[1], one[0]))
