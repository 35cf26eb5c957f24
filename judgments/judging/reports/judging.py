"""Everything that the rating screen shows. Raters never see ranks, runs, scores or other raters' grades."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Subquery
from django.db.models.functions import Coalesce
from django.utils.safestring import SafeString

from judgments.base.cleaning import vouched
from judgments.base.highlight import escaped
from judgments.judging.reports.card_documents import CardDocument, card_document
from judgments.judging.sql import cards as sql
from judgments.judging.sql import visits
from judgments.judging.sql.cards import OwnAnswer
from judgments.models import (
    GoldDraw,
    Grade,
    Judgment,
    JudgmentList,
    Pair,
    Query,
    RaterQueue,
    RepeatAnswer,
    RepeatDraw,
    Scale,
    User,
)

LEAST_AHEAD, MOST_AHEAD = 5, 30
MOST_REVIEWED = 500


@dataclass(frozen=True, slots=True)
class Card:
    """One pair to judge: document `number` of `documents` of its query for this rater.

    `practice`: the right answer is shown afterwards. `repeat` is set if the card shows a pair that was judged before as
    a new one.
    """

    pair_id: int
    query: Query
    query_html: SafeString
    need_html: SafeString
    document: CardDocument
    answer: OwnAnswer | None
    query_number: int
    queries: int
    number: int
    documents: int
    new_guidelines: bool
    practice: bool = False
    put_off: datetime | None = None
    repeat: UUID | None = None

    @property
    def is_judged(self) -> bool:
        """Whether the rater has judged the pair, so that another answer is meant as a change."""
        return self.answer is not None and not self.answer.withdrawn


@dataclass(frozen=True, slots=True)
class Choice:
    """A grade's button. `heat` is its share of the best grade in tenths; grades without an order have none."""

    grade: Grade
    heat: int
    is_pressed: bool

    @property
    def value(self) -> str:
        return repr(self.grade.value)


def cards_ahead(judgment_list: JudgmentList) -> int:
    """How many cards a screen keeps: enough for ten minutes without a network at 25 seconds each, plus those that are
    being fetched.

    Fewer if few judgments are still required: nobody may hold more than a quarter of one rater's share, because others
    would have to wait. Considers the first thousand queries with open slots.
    """
    queues = RaterQueue.objects.filter(judgment_list=judgment_list).order_by().values("judgment_list")
    raters = queues.annotate(count=Count("pk")).values("count")
    waiting = judgment_list.list_queries.filter(open_count__gt=0).order_by("position")
    rows = list(waiting.values_list("open_count", Coalesce(Subquery(raters), 1))[:1000])
    share: int = sum(required for required, _ in rows) // (4 * rows[0][1]) if rows else 0
    return max(LEAST_AHEAD, min(MOST_AHEAD, share))


def card(*, judgment_list: JudgmentList, user: User, pair_id: int) -> Card | None:
    """The card of a pair of this list; None if there is no such pair."""
    return next(iter(cards(judgment_list=judgment_list, user=user, pair_ids=[pair_id])), None)


def reopened_card(
    *, judgment_list: JudgmentList, user: User, pair_id: int, card_id: UUID | None
) -> Card | None:
    """The card of a pair that was handed out or judged before; a practice pair is still marked as such.

    If `card_id` is that of a repeat, the card shows the answer to the repeat. None if this rater has no such pair.
    """
    if not visits.was_handed(list_id=judgment_list.pk, user_id=user.pk, pair_id=pair_id):
        return None
    own_card = card(judgment_list=judgment_list, user=user, pair_id=pair_id)
    if own_card is None:
        return None
    if card_id is not None:
        repeat = RepeatDraw.objects.filter(card=card_id, rater__user=user, pair=pair_id).first()
        if repeat is not None:
            answer = repeat.answers.filter(withdrawn_at=None).order_by("-pk").first()
            return as_repeat(own_card, repeat.card, answer)
    return with_practice([own_card], judgment_list=judgment_list, user=user)[0]


def with_practice(cards: Sequence[Card], *, judgment_list: JudgmentList, user: User) -> list[Card]:
    """The cards, of which those that were handed out for practice are marked as such."""
    draws = GoldDraw.objects.filter(
        judgment_list=judgment_list,
        rater__user=user,
        pair__in=[card.pair_id for card in cards],
        practice=True,
    )
    in_practice = set(draws.values_list("pair_id", flat=True))
    return [replace(card, practice=card.pair_id in in_practice) for card in cards]


def as_repeat(card: Card, repeat: UUID, answer: RepeatAnswer | None = None) -> Card:
    """The card of a repeat: as if the pair were new, or with the answer to the repeat."""
    own = None
    if answer is not None:
        facts = (answer.value, answer.reason, answer.comment, answer.evidence, answer.confidence)
        own = OwnAnswer(*facts, answer.given_at)
    return replace(card, answer=own, put_off=None, repeat=repeat)


def cards(*, judgment_list: JudgmentList, user: User, pair_ids: Iterable[int]) -> list[Card]:
    """The cards of these pairs in this order, in one statement; pairs that aren't in the list are left out."""
    keys = list(pair_ids)
    if not keys:
        return []
    rows = sql.contents(list_id=judgment_list.pk, user_id=user.pk, pair_ids=keys)
    return [_card(rows[key], judgment_list) for key in keys if key in rows]


def _card(row: sql.Content, judgment_list: JudgmentList) -> Card:
    is_judged = row.answer is not None and not row.answer.withdrawn
    return Card(
        pair_id=row.pair_id,
        query=row.query,
        query_html=vouched(escaped(row.query.text)),
        need_html=vouched(escaped(row.query.information_need)),
        document=card_document(row, row.query.text, images=judgment_list.query_set.show_images),
        answer=row.answer,
        query_number=row.position,
        queries=row.queries,
        number=min(row.judged - is_judged + 1, row.documents),
        documents=row.documents,
        new_guidelines=row.guidelines_seen < judgment_list.guidelines_version,
        put_off=row.put_off,
    )


def readable_pair(*, judgment_list: JudgmentList, user: User, pair_id: int) -> Pair | None:
    """A pair of the list whose text the account may read: staff any, a rater one that was handed out or judged."""
    pairs = Pair.objects.filter(judgment_list=judgment_list).select_related("query")
    if not visits.was_handed(list_id=judgment_list.pk, user_id=user.pk, pair_id=pair_id):
        pairs = pairs.visible_to(user)
    return pairs.filter(pk=pair_id).first()


def reviewable_query(*, judgment_list: JudgmentList, user: User, query_id: int) -> Query | None:
    """A query of the list if the rater was handed, or has judged, one of its documents."""
    if not visits.was_handed_of_query(list_id=judgment_list.pk, user_id=user.pk, query_id=query_id):
        return None
    return Query.objects.filter(pk=query_id, list_queries__judgment_list=judgment_list).first()


def neighbors(*, judgment_list: JudgmentList, user: User, card: Card) -> dict[str, int | None]:
    """The pairs that the arrows lead to, in the order of the first answers. Repeats come last."""
    own = Judgment.objects.filter(
        judgment_list=judgment_list, rater__user=user, rater__query_set=judgment_list.query_set_id
    )
    mine = None if card.repeat else own.filter(pair=card.pair_id).values_list("pk", flat=True).first()
    before, after = own.order_by("-pk"), own.order_by("pk")
    if mine is None:
        return {"earlier": before.values_list("pair", flat=True).first(), "later": None}
    return {
        "earlier": before.filter(pk__lt=mine).values_list("pair", flat=True).first(),
        "later": after.filter(pk__gt=mine).values_list("pair", flat=True).first(),
    }


def choices(scale: Scale, answer: OwnAnswer | None) -> list[Choice]:
    """The grades from the lowest to the highest. Reads `scale.grades`, prefetched."""
    grades = sorted(scale.grades.all(), key=lambda grade: grade.value)
    if not grades:
        return []
    low, high = grades[0].value, grades[-1].value
    span = (high - low) or 1.0
    tenths = 10 if scale.has_order else 0
    value = answer.value if answer else None
    return [
        Choice(grade, round(tenths * (grade.value - low) / span), is_pressed=grade.value == value)
        for grade in grades
    ]


def choices_by_value(scale: Scale) -> dict[float | None, Choice]:
    return {choice.grade.value: choice for choice in choices(scale, None)}


def own_pairs_of_query(*, judgment_list: JudgmentList, user: User, query_id: int) -> list[int]:
    """The pairs of a query that this rater has judged."""
    own = Judgment.objects.filter(pair__judgment_list=judgment_list, pair__query=query_id, rater__user=user)
    return list(own.order_by().values_list("pair", flat=True))


def own_judged(*, judgment_list: JudgmentList, user: User, pair_ids: Collection[int]) -> list[int]:
    """Those of the pairs that this rater has judged, on any device."""
    if not pair_ids:
        return []
    own = Judgment.objects.filter(judgment_list=judgment_list, pair__in=pair_ids, rater__user=user)
    return sorted(own.order_by().values_list("pair", flat=True))


def pairs_of_query(*, pair_ids: Iterable[int], query_id: int) -> list[int]:
    """Those of the pairs that belong to this query."""
    return list(Pair.objects.filter(pk__in=list(pair_ids), query=query_id).values_list("pk", flat=True))


def query_of(*, judgment_list: JudgmentList, pair_id: int) -> int | None:
    pairs = Pair.objects.filter(judgment_list=judgment_list, pk=pair_id)
    return pairs.values_list("query", flat=True).first()


def review(*, judgment_list: JudgmentList, user: User, query_id: int) -> list[dict[str, Any]]:
    """The rater's judgments of a query, the best grades first, those without a grade last."""
    own = Judgment.objects.filter(pair__judgment_list=judgment_list, pair__query=query_id, rater__user=user)
    judgments = own.select_related("pair__document").order_by(F("value").desc(nulls_last=True), "id")
    by_value = choices_by_value(judgment_list.scale)
    return [
        {
            "judgment": judgment,
            "answer": judgment_list.scale.in_words(judgment),
            "choice": by_value.get(judgment.value),
        }
        for judgment in judgments.defer("pair__document__body", "pair__document__fields")[:MOST_REVIEWED]
    ]
