"""Pairs that may be taken out of a list: what added them, which of them may go, and why the others stay."""

from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Final

from django.db import models
from django.db.models import Case, Count, Exists, OuterRef, Q, Value, When
from django.db.models import QuerySet as Rows
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils.text import Truncator

from judgments.base.moments import moment
from judgments.content.reports.search import Criteria, matching_rows
from judgments.models import (
    PAIR_KEYS,
    Act,
    Adjudication,
    ConsensusGrade,
    Document,
    GoldPair,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    Pair,
    Query,
    Slot,
    SlotState,
    VersionGrades,
)

MOST_AT_ONCE: Final = 10_000
"""Pairs that one request removes: two seconds, for which the raters of the list wait."""
REASONS: Final = {
    "judged": "somebody judged the pair, now or before",
    "frozen": "a version has the grade of the pair",
    "decided": "an admin decided the grade",
    "gold": "the pair is gold",
    "held": "a rater has the pair now",
}


def reasons_to_keep(at: datetime) -> dict[str, Q]:
    """Why a pair can't be taken out of its list. The first reason counts.

    What only imports that were undone said keeps nothing: the file still says it. A version only names what has or had a grade.
    The database refuses to delete a pair that one names anyway.
    """
    pair = Q(pair=OuterRef("pk"))
    history = JudgmentHistory.objects.filter(pair)
    graded = ConsensusGrade.objects.filter(pair, value__isnull=False)
    judged = (Judgment.objects.filter(pair), history.filter(batch=None), graded)
    naming = VersionGrades.objects.filter(
        version__judgment_list=OuterRef("judgment_list"),
        query=OuterRef("query"),
        documents__contains=[OuterRef("document")],
    )
    return {
        "judged": reduce(or_, (Q(Exists(rows)) for rows in judged)),
        "frozen": Q(Exists(history)) & Q(Exists(naming)),
        "decided": Q(Exists(Adjudication.objects.filter(pair))),
        "gold": Q(Exists(GoldPair.objects.in_use().filter(pair))),
        "held": Q(Exists(Slot.objects.filter(pair, state=SlotState.OPEN, lease_until__gt=at))),
    }


def removable_pairs(pairs: Rows[Pair], at: datetime) -> Rows[Pair]:
    """Those of the pairs that may go."""
    return pairs.filter(*(~reason for reason in reasons_to_keep(at).values()))


def keys_to_remove(pairs: Rows[Pair], at: datetime) -> list[int]:
    """The keys of the first removable pairs, as many as one request removes."""
    return list(removable_pairs(pairs, at).order_by("pk").values_list("pk", flat=True)[:MOST_AT_ONCE])


@dataclass(frozen=True, slots=True)
class RemovalEffect:
    """`removed` pairs would go now, and `left` removable ones after them, where there are too many for once.

    `kept` counts the others by the first reason why they stay.
    """

    removed: int
    left: int
    kept: dict[str, int]

    @property
    def kept_count(self) -> int:
        return sum(self.kept.values())


def removal_effect(pairs: Rows[Pair], at: datetime) -> RemovalEffect:
    """What removing these pairs would do now. Changes nothing and waits for nobody. Two statements."""
    whens = [When(reason, then=Value(name)) for name, reason in reasons_to_keep(at).items()]
    why = Case(*whens, default=Value(""), output_field=models.CharField())
    counts = dict(pairs.order_by().annotate(why=why).values_list("why").annotate(count=Count("pk")))
    free = counts.pop("", 0)
    return RemovalEffect(min(free, MOST_AT_ONCE), max(0, free - MOST_AT_ONCE), counts)


def with_pairs_left(acts: Rows[Act], judgment_list: JudgmentList) -> Rows[Act]:
    """Without those whose pairs were all taken out of the list again. Earlier acts, whose pairs the log doesn't know, stay."""
    first, last = (Cast(KT(f"after__{PAIR_KEYS}__{nth}"), models.BigIntegerField()) for nth in (0, 1))
    pairs = Pair.objects.filter(
        judgment_list=judgment_list, pk__gte=OuterRef("first"), pk__lte=OuterRef("last")
    )
    return acts.annotate(first=first, last=last).filter(~Q(after__has_key=PAIR_KEYS) | Q(Exists(pairs)))


MOST_ACTS: Final = 20
MOST_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class PairChoice:
    """Pairs of a list by what somebody asks for: those of one act that added pairs, and by words of query or document."""

    added: int | None = None
    text: str = ""

    @property
    def narrows(self) -> bool:
        return self.added is not None or bool(self.text)


def acts_that_added(judgment_list: JudgmentList, also: int | None = None) -> list[Act]:
    """The latest acts that added pairs, of which the list still has some; and the act with the key `also`."""
    acts = Act.objects.filter(judgment_list=judgment_list, after__has_key=PAIR_KEYS)
    latest = list(with_pairs_left(acts, judgment_list).order_by("-pk")[:MOST_ACTS])
    if also is not None and all(act.pk != also for act in latest):
        latest.extend(acts.filter(pk=also))
    return latest


def source_in_words(act: Act) -> str:
    """From what it added pairs: the names of runs, a file, or a search."""
    runs = [run["name"] for run in act.after.get("runs", [])]
    return ", ".join(runs) or str(act.after.get("file") or act.after.get("from") or "")


def in_words(act: Act) -> str:
    """When, by whom and from what it added pairs."""
    source = source_in_words(act)
    words = f"{moment(act.at)}, {act.by_name or 'Command line'}" + (f": {source}" if source else "")
    return Truncator(words).chars(100)


def chosen_pairs(judgment_list: JudgmentList, chosen: PairChoice) -> Rows[Pair]:
    """The pairs of the list that match, in no order."""
    pairs = judgment_list.pairs.order_by()
    if chosen.added is not None:
        acts = Act.objects.filter(judgment_list=judgment_list, after__has_key=PAIR_KEYS, pk=chosen.added)
        keys = acts.values_list(f"after__{PAIR_KEYS}", flat=True).first()
        pairs = pairs.filter(pk__range=keys) if keys else pairs.none()
    if chosen.text:
        criteria = Criteria(text=chosen.text)
        queries = matching_rows(Query, judgment_list.query_set, criteria).values("pk")
        documents = matching_rows(Document, judgment_list.query_set, criteria).values("pk")
        pairs = pairs.filter(Q(query__in=queries) | Q(document__in=documents))
    return pairs


def page_of_pairs(pairs: Rows[Pair], at: datetime, *, after: int) -> tuple[list[Pair], int | None]:
    """Some pairs that may go, from behind the key `after`, and the key that leads to the next ones."""
    rows = removable_pairs(pairs, at).filter(pk__gt=after).order_by("pk").select_related("query", "document")
    page = list(rows.defer("document__body", "document__fields")[: MOST_SHOWN + 1])
    return page[:MOST_SHOWN], page[MOST_SHOWN - 1].pk if len(page) > MOST_SHOWN else None
