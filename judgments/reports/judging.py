"""What the rating screen shows. Nothing here tells a rater of ranks, runs, scores or other people's grades."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import JSONObject
from django.utils.safestring import SafeString

from judgments.cleaning import plain, prose, vouched, web_address
from judgments.highlight import Highlighter
from judgments.ingest import slots
from judgments.models import (
    Document,
    Grade,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    ListQuery,
    Pair,
    Query,
    RaterQueue,
    Reason,
    Scale,
    User,
)

LONG_BODY = 1200
EXCERPT = 600
SHORT_FIELD = 120


@dataclass(frozen=True, slots=True)
class Given:
    """An answer of this rater for the pair on the screen: the present one, or the one just withdrawn."""

    value: float | None
    reason: str
    comment: str
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A document as the rater sees it. Everything called html is clean, with the words of the query marked."""

    document: Document
    title_html: SafeString
    url: str
    host: str
    image: str
    body_html: SafeString
    excerpt_html: SafeString
    facts: list[tuple[str, SafeString]]
    texts: list[tuple[str, SafeString]]

    @property
    def missing(self) -> bool:
        return self.document.missing


@dataclass(frozen=True, slots=True)
class Card:
    """One pair to judge, and where it stands. `number` counts the documents that this rater judged, plus this one."""

    pair: Pair
    query: Query
    shown: Shown
    given: Given | None
    query_number: int
    queries: int
    number: int
    documents: int
    judged: int
    new_guidelines: bool

    @property
    def number_done(self) -> int:
        return self.number - 1

    @property
    def known(self) -> bool:
        """Whether the rater has a judgment of it, so that an answer is meant as a change."""
        return self.given is not None and not self.given.withdrawn


@dataclass(frozen=True, slots=True)
class Choice:
    """A grade's button. `heat` is its share of the best grade in tenths."""

    grade: Grade
    heat: int
    pressed: bool

    @property
    def value(self) -> str:
        return repr(self.grade.value)


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why there is no pair to show: `paused`, `empty`, `skipped`, `held` or `done`."""

    reason: str
    skipped: int = 0
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """A page of a rater's own judgments, newest first; `before` leads to the next."""

    judgments: list[Judgment] = field(default_factory=list)
    before: int | None = None


def card(*, judgment_list: JudgmentList, user: User, pair_id: int) -> Card | None:
    """The card of a pair of this list, in one query; None if there is no such pair."""
    pair = _pairs(judgment_list, user).filter(pk=pair_id).first()
    if pair is None:
        return None
    facts: Any = pair  # the annotations of `_pairs`
    given = _given(facts.mine, withdrawn=False) or _given(facts.withdrawn, withdrawn=True)
    judged_before = facts.judged_in_query or 0
    if facts.mine is not None:
        judged_before -= 1
    return Card(
        pair=pair,
        query=pair.query,
        shown=show(pair.document, pair.query.text, images=judgment_list.query_set.show_images),
        given=given,
        query_number=facts.position,
        queries=facts.queries,
        number=min(judged_before + 1, facts.documents),
        documents=facts.documents,
        judged=facts.judged or 0,
        new_guidelines=(facts.guidelines_seen or 0) < judgment_list.guidelines_version,
    )


def _pairs(judgment_list: JudgmentList, user: User) -> QuerySet[Pair]:
    row = ListQuery.objects.filter(judgment_list=judgment_list, query=OuterRef("query"))
    last = ListQuery.objects.filter(judgment_list=judgment_list).order_by().values("judgment_list")
    answer = JSONObject(value="value", reason="reason", comment="comment")
    own = Judgment.objects.filter(pair=OuterRef("pk"), rater__user=user)
    history = JudgmentHistory.objects.filter(
        pair=OuterRef("pk"), rater__user=user, action=JudgmentHistory.Action.WITHDRAWN
    ).order_by("-id")
    in_query = (
        Judgment.objects.filter(
            pair__judgment_list=judgment_list, pair__query=OuterRef("query"), rater__user=user
        )
        .order_by()
        .values("rater")
        .annotate(count=Count("pk"))
    )
    queue = RaterQueue.objects.filter(judgment_list=judgment_list, rater__user=user)
    return (
        Pair.objects.filter(judgment_list=judgment_list)
        .select_related("query", "document")
        .annotate(
            position=Subquery(row.values("position")),
            documents=Subquery(row.values("pair_count")),
            queries=Subquery(last.annotate(last=Max("position")).values("last")),
            mine=Subquery(own.values(answer=answer)[:1]),
            withdrawn=Subquery(history.values(answer=answer)[:1]),
            judged_in_query=Subquery(in_query.values("count")),
            judged=Subquery(queue.values("judgment_count")),
            guidelines_seen=Subquery(queue.values("guidelines_seen")),
        )
    )


def _given(answer: dict[str, Any] | None, *, withdrawn: bool) -> Given | None:
    return Given(**answer, withdrawn=withdrawn) if answer else None


def show(document: Document, query: str, *, images: bool) -> Shown:
    """Cleans the document's texts and marks the words of the query in them."""
    marker = Highlighter(query)
    url = web_address(document.url)
    body = prose(document.body)
    words = plain(document.body)
    long = len(words) > LONG_BODY
    facts, texts = _fields(document, marker)
    return Shown(
        document=document,
        title_html=vouched(marker.text(plain(document.title) or document.external_id)),
        url=url,
        host=urlsplit(url).netloc.removeprefix("www."),
        image=web_address(document.image) if images else "",
        body_html=vouched(marker.html(body)),
        excerpt_html=vouched(marker.text(_excerpt(words)) if long else ""),
        facts=facts,
        texts=texts,
    )


def _fields(
    document: Document, marker: Highlighter
) -> tuple[list[tuple[str, SafeString]], list[tuple[str, SafeString]]]:
    """Further fields: short ones as facts, long ones and those of several lines as texts under a heading."""
    facts, texts = [], []
    for name, value in document.fields.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        label = name.replace("_", " ").strip().capitalize()
        if "\n" in text.strip() or len(text) > SHORT_FIELD:
            texts.append((label, vouched(marker.html(_lines(text)))))
        elif words := plain(text):
            facts.append((label, vouched(marker.text(words))))
    return facts, texts


def _lines(text: str) -> str:
    """Several plain lines are most often a list of points."""
    lines = [line.strip(" •*-\t") for line in text.splitlines() if line.strip()]
    if "<" in text or len(lines) < 2:
        return prose(text)
    return f"<ul>{''.join(f'<li>{prose(line)[3:-4]}</li>' for line in lines)}</ul>"


def _excerpt(words: str) -> str:
    return words[:EXCERPT].rsplit(" ", 1)[0] + " …"


def choices(scale: Scale, given: Given | None) -> list[Choice]:
    """The grades from the lowest to the highest. Reads `scale.grades`, prefetched."""
    grades = sorted(scale.grades.all(), key=lambda grade: grade.value)
    if not grades:
        return []
    low, high = grades[0].value, grades[-1].value
    span = (high - low) or 1.0
    value = given.value if given else None
    return [
        Choice(grade, round(10 * (grade.value - low) / span), pressed=grade.value == value)
        for grade in grades
    ]


def name_of(scale: Scale, value: float | None, reason: str) -> str:
    """An answer in words: the grade's label, the number on a continuous scale, the reason."""
    if value is None:
        return str(Reason(reason).label)
    labels = {grade.value: grade.label for grade in scale.grades.all()}
    return labels.get(value, f"{value:g}")


def nothing_left(*, judgment_list: JudgmentList, user: User, at: datetime) -> Nothing:
    """Why a claim came back empty."""
    if judgment_list.paused:
        return Nothing("paused")
    if not judgment_list.list_queries.filter(pair_count__gt=0).exists():
        return Nothing("empty")
    queue = RaterQueue.objects.get(judgment_list=judgment_list, rater__user=user)
    place = slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at)
    if skipped := slots.count_skipped(place):
        return Nothing("skipped", skipped=skipped)
    if until := slots.held_until(place):
        return Nothing("held", until=until)
    return Nothing("done")


def own_judgments(*, judgment_list: JudgmentList, user: User, before: int | None, size: int = 50) -> Done:
    """A rater's own judgments, newest first, those older than the key `before`. Pages by key, so that none shifts."""
    found = (
        Judgment.objects.filter(judgment_list=judgment_list, rater__user=user)
        .select_related("pair__query", "pair__document")
        .order_by("-id")
    )
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(found[: size + 1])
    return Done(rows[:size], rows[size - 1].pk if len(rows) > size else None)
