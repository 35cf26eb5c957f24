"""What the rating screen shows. Nothing here tells a rater of ranks, runs, scores or other people's grades."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Subquery
from django.db.models.functions import Coalesce
from django.utils.safestring import SafeString

from judgments.base.cleaning import vouched
from judgments.base.digits import written as written
from judgments.content.highlight import escaped
from judgments.judging.reports.documents import Shown, show
from judgments.judging.sql import cards as sql
from judgments.judging.sql import visits
from judgments.models import (
    GoldDraw,
    Grade,
    Judgment,
    JudgmentList,
    Level,
    Pair,
    Query,
    RaterQueue,
    RepeatAnswer,
    RepeatDraw,
    Scale,
    User,
)
from judgments.models.answer_words import answer_in_words

LEAST_AHEAD, MOST_AHEAD = 5, 30
MOST_REVIEWED = 500


@dataclass(frozen=True, slots=True)
class Given:
    """An answer of this rater for the pair on the screen: the present one, or the one just withdrawn."""

    value: float | None
    reason: str
    comment: str
    evidence: list[dict[str, Any]]
    confidence: int | None
    at: datetime | None
    withdrawn: bool

    @property
    def written(self) -> str:
        return "" if self.value is None else written(self.value)


@dataclass(frozen=True, slots=True)
class Card:
    """One pair to judge, and where it stands: document `number` of `documents` of its query for this rater.

    `practice`: the right answer is shown afterwards. `repeat` is set where it shows a pair that was judged before as a new one.
    """

    pair_id: int
    query: Query
    query_html: SafeString
    need_html: SafeString
    shown: Shown
    given: Given | None
    query_number: int
    queries: int
    number: int
    documents: int
    new_guidelines: bool
    practice: bool = False
    put_off: datetime | None = None
    repeat: UUID | None = None

    @property
    def known(self) -> bool:
        """Whether the rater has a judgment of it, so that an answer is meant as a change."""
        return self.given is not None and not self.given.withdrawn


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The pairs that the rater judged before and after this one; None at the ends."""

    earlier: int | None
    later: int | None


@dataclass(frozen=True, slots=True)
class Choice:
    """A grade's button. `heat` is its share of the best grade in tenths; grades without an order have none."""

    grade: Grade
    heat: int
    pressed: bool

    @property
    def value(self) -> str:
        return repr(self.grade.value)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One of a rater's own answers to a query."""

    pair_id: int
    title: str
    answer: str
    choice: Choice | None
    comment: str


def judged_list(*, user: User, list_id: int) -> JudgmentList | None:
    """The list with query set, scale and grades, where this account may judge it; in one message to the server."""
    return sql.opened(list_id=list_id, user_id=user.pk, everywhere=user.is_superuser)


def cards_ahead(judgment_list: JudgmentList) -> int:
    """How many cards a screen keeps, so that ten minutes without a network are bridged at 25 seconds each: 24, and
    what is not yet refilled.

    Fewer where few judgments are wanted: nobody shall hold more than a quarter of what there is for one rater, since
    others would wait for it. Looks at the first thousand queries that want some.
    """
    entered = RaterQueue.objects.filter(judgment_list=judgment_list).order_by().values("judgment_list")
    raters = entered.annotate(count=Count("pk")).values("count")
    waiting = judgment_list.list_queries.filter(open_count__gt=0).order_by("position")
    found = list(waiting.values_list("open_count", Coalesce(Subquery(raters), 1))[:1000])
    share: int = sum(wanted for wanted, _ in found) // (4 * found[0][1]) if found else 0
    return max(LEAST_AHEAD, min(MOST_AHEAD, share))


def card(*, judgment_list: JudgmentList, user: User, pair_id: int) -> Card | None:
    """The card of a pair of this list; None if there is no such pair."""
    found = cards(judgment_list=judgment_list, user=user, pair_ids=[pair_id])
    return found[0] if found else None


def reopened(
    *, judgment_list: JudgmentList, user: User, pair_id: int, card_id: UUID | None = None
) -> Card | None:
    """The card of a pair that was handed out or judged before: what was drawn for practice is still marked as such.

    Where `card_id` is that of a repeat, it shows what the rater said of the repeat. None if there is no such pair for
    this rater.
    """
    if not visits.was_handed(list_id=judgment_list.pk, user_id=user.pk, pair_id=pair_id):
        return None
    found = card(judgment_list=judgment_list, user=user, pair_id=pair_id)
    if found is None:
        return None
    if card_id is not None:
        repeat = RepeatDraw.objects.filter(card=card_id, rater__user=user, pair=pair_id).first()
        if repeat is not None:
            said = repeat.answers.filter(withdrawn_at=None).order_by("-pk").first()
            return as_repeat(found, repeat.card, said)
    drawn = GoldDraw.objects.filter(
        judgment_list=judgment_list, rater__user=user, pair=pair_id, practice=True
    )
    return replace(found, practice=drawn.exists())


def as_repeat(card: Card, repeat: UUID, said: RepeatAnswer | None = None) -> Card:
    """The card of a repeat: as if the pair were new, or with the answer to the repeat."""
    given = None
    if said is not None:
        given = Given(
            said.value,
            said.reason,
            said.comment,
            said.evidence,
            said.confidence,
            said.given_at,
            withdrawn=False,
        )
    return replace(card, given=given, put_off=None, repeat=repeat)


def cards(*, judgment_list: JudgmentList, user: User, pair_ids: Iterable[int]) -> list[Card]:
    """The cards of these pairs in the order given, in one statement; pairs that are not in the list are left out."""
    wanted = list(pair_ids)
    if not wanted:
        return []
    rows = sql.contents(list_id=judgment_list.pk, user_id=user.pk, pair_ids=wanted)
    return [_card(rows[pk], judgment_list) for pk in wanted if pk in rows]


def _card(row: sql.Content, judgment_list: JudgmentList) -> Card:
    given = _given(row.mine, withdrawn=False) or _given(row.withdrawn, withdrawn=True)
    return Card(
        pair_id=row.pair_id,
        query=row.query,
        query_html=vouched(escaped(row.query.text)),
        need_html=vouched(escaped(row.query.information_need)),
        shown=show(row, row.query.text, images=judgment_list.query_set.show_images),
        given=given,
        query_number=row.position,
        queries=row.queries,
        number=min(row.judged - (row.mine is not None) + 1, row.documents),
        documents=row.documents,
        new_guidelines=row.guidelines_seen < judgment_list.guidelines_version,
        put_off=row.put_off,
    )


def _given(said: sql.Said | None, *, withdrawn: bool) -> Given | None:
    if said is None:
        return None
    return Given(said.value, said.reason, said.comment, said.evidence, said.confidence, said.at, withdrawn)


def readable_pair(*, judgment_list: JudgmentList, user: User, pair_id: int) -> Pair | None:
    """A pair of the list whose text the account may read: staff any, a rater what was handed out or judged."""
    pairs = Pair.objects.filter(judgment_list=judgment_list).select_related("query")
    if not visits.was_handed(list_id=judgment_list.pk, user_id=user.pk, pair_id=pair_id):
        pairs = pairs.visible_to(user)
    return pairs.filter(pk=pair_id).first()


def reviewable_query(*, judgment_list: JudgmentList, user: User, query_id: int) -> Query | None:
    """A query of the list of which the rater was handed or has judged a document."""
    if not visits.was_handed_of_query(list_id=judgment_list.pk, user_id=user.pk, query_id=query_id):
        return None
    return Query.objects.filter(pk=query_id, list_queries__judgment_list=judgment_list).first()


def neighbors(*, judgment_list: JudgmentList, user: User, card: Card) -> Neighbors:
    """What the arrows lead to: the order is that in which the judgments were first given. Repeats stand at its end."""
    own = Judgment.objects.filter(
        judgment_list=judgment_list, rater__user=user, rater__query_set=judgment_list.query_set_id
    )
    mine = None if card.repeat else own.filter(pair=card.pair_id).values_list("pk", flat=True).first()
    before, after = own.order_by("-pk"), own.order_by("pk")
    if mine is None:
        return Neighbors(before.values_list("pair", flat=True).first(), None)
    return Neighbors(
        before.filter(pk__lt=mine).values_list("pair", flat=True).first(),
        after.filter(pk__gt=mine).values_list("pair", flat=True).first(),
    )


def choices(scale: Scale, given: Given | None) -> list[Choice]:
    """The grades from the lowest to the highest. Reads `scale.grades`, prefetched."""
    grades = sorted(scale.grades.all(), key=lambda grade: grade.value)
    if not grades:
        return []
    low, high = grades[0].value, grades[-1].value
    span = (high - low) or 1.0
    ordered = scale.level != Level.NOMINAL
    value = given.value if given else None
    return [
        Choice(
            grade,
            round(10 * (grade.value - low) / span) if ordered else 0,
            pressed=grade.value == value,
        )
        for grade in grades
    ]


def own_pairs_of_query(*, judgment_list: JudgmentList, user: User, query_id: int) -> list[int]:
    """The pairs of a query that this rater has judged."""
    own = Judgment.objects.filter(pair__judgment_list=judgment_list, pair__query=query_id, rater__user=user)
    return list(own.order_by().values_list("pair", flat=True))


def own_judged(*, judgment_list: JudgmentList, user: User, pair_ids: Collection[int]) -> list[int]:
    """Those of the pairs that this rater has judged, on whatever device."""
    if not pair_ids:
        return []
    own = Judgment.objects.filter(judgment_list=judgment_list, pair__in=pair_ids, rater__user=user)
    return sorted(own.order_by().values_list("pair", flat=True))


def pairs_of_query(*, pair_ids: Iterable[int], query_id: int) -> list[int]:
    """Those of the pairs that are of this query."""
    return list(Pair.objects.filter(pk__in=list(pair_ids), query=query_id).values_list("pk", flat=True))


def query_of(*, judgment_list: JudgmentList, pair_id: int) -> int | None:
    pairs = Pair.objects.filter(judgment_list=judgment_list, pk=pair_id)
    return pairs.values_list("query", flat=True).first()


def review(*, judgment_list: JudgmentList, user: User, query_id: int) -> list[Reviewed]:
    """The rater's answers to a query, the best grades first, those without a grade last."""
    own = Judgment.objects.filter(pair__judgment_list=judgment_list, pair__query=query_id, rater__user=user)
    found = own.select_related("pair__document").order_by(F("value").desc(nulls_last=True), "id")
    pressed = {choice.grade.value: choice for choice in choices(judgment_list.scale, None)}
    return [
        Reviewed(
            one.pair_id,
            str(one.pair.document),
            answer_in_words(judgment_list.scale, one),
            None if one.value is None else pressed.get(one.value),
            one.comment,
        )
        for one in found.defer("pair__document__body", "pair__document__fields")[:MOST_REVIEWED]
    ]
