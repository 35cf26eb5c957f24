"""Queries and documents as somebody looks for them: by words, id, tags, lists and what is judged; page by page."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from django.contrib.postgres.search import SearchQuery
from django.db import models
from django.db.models import CharField, Count, Exists, F, Func, OuterRef, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Left, Lower

from judgments.ingest.searching import by_bitmaps
from judgments.models import ConsensusGrade, Document, ListQuery, Pair, Query, QuerySet
from judgments.models.content import DOCUMENT_WORDS, ID_LENGTH, QUERY_WORDS, searched
from judgments.searching import parsed

PER_PAGE: Final = 50
COUNTED: Final = 1_000
"""Whoever finds more than these is told so, and not how many."""
TAGS: Final = 40
NO_LIST: Final = "none"
Row = TypeVar("Row", Query, Document)
Rows = models.QuerySet[Any, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for. `in_list` is a list's key or `none`; unknown values of all kinds look for nothing special."""

    text: str = ""
    tags: Sequence[str] = ()
    in_list: str = ""
    unjudged: bool = False
    sort: str = ""

    @property
    def narrows(self) -> bool:
        return bool(self.text or self.tags or self.in_list or self.unjudged)


@dataclass(frozen=True, slots=True)
class Sort:
    """An order: how it is called, by which expression, and whether the greatest comes first. Keys break ties."""

    label: str
    by: Combinable
    falling: bool = False


@dataclass(frozen=True, slots=True)
class Found(Generic[Row]):
    """One page. `count` None: more than COUNTED. `earlier` and `later` are the keys that lead to the pages beside."""

    rows: list[Row] = field(default_factory=list)
    count: int | None = 0
    earlier: int | None = None
    later: int | None = None


_FIRST: Final = Sort("in order of import", F("id"))
_ID: Final = Sort("by id", F("external_id"))
# The same as expressions that no index has: in a search it would be tempting to walk an index in order, and to take
# the words of one row after another.
_UNWALKED: Final = {
    _FIRST: Sort(_FIRST.label, F("id") + 0),
    _ID: Sort(_ID.label, Left("external_id", ID_LENGTH)),
}
SORTS: Final[Mapping[type[Query] | type[Document], Mapping[str, Sort]]] = {
    Query: {
        "": _FIRST,
        "id": _ID,
        "text": Sort("by text", Lower(Left("text", 200))),
        "weight": Sort("by weight, greatest first", F("weight"), falling=True),
    },
    Document: {"": _FIRST, "id": _ID, "text": Sort("by title", Lower(Left("title", 200)))},
}
WORDS: Final = {Query: QUERY_WORDS, Document: DOCUMENT_WORDS}


def matching(model: type[Row], query_set: QuerySet, wanted: Wanted) -> Rows:
    """All that is wanted, in no order."""
    rows: Rows = model._default_manager.filter(query_set=query_set).order_by()
    if search := parsed(wanted.text):
        keys: Rows = rows.filter(external_id__startswith=search.text).values("pk")
        if search.words:
            # Two searches, not one with “or”: of that, PostgreSQL would look at the words of every row again. And in all
            # query sets, so that it has no other index to begin with, and to look at the words of every row of one.
            asked = SearchQuery(search.words, config="simple", search_type="raw")
            said = model._default_manager.order_by().alias(words=searched(*WORDS[model])).filter(words=asked)
            keys = said.values("pk").union(keys, all=True)
        rows = rows.filter(pk__in=keys)
    if model is Query and wanted.tags:
        rows = rows.filter(tags__contains=list(wanted.tags))
    return rows.filter(*_judging(model, wanted))


def found(
    model: type[Row],
    query_set: QuerySet,
    wanted: Wanted,
    *,
    after: int | None = None,
    before: int | None = None,
    defer: Sequence[str] = (),
) -> Found[Row]:
    """The page after the row `after`, or the one before the row `before`, in the wanted order. Five statements.

    The database counts no further than COUNTED, and orders no more than that many where there are no more.
    """
    rows = matching(model, query_set, wanted)
    with by_bitmaps() if wanted.text else nullcontext():
        keys = list(rows.values_list("pk", flat=True)[: COUNTED + 1])
        if len(keys) <= COUNTED:
            rows = model._default_manager.filter(pk__in=keys)
        page, further, back = _page(rows, _order(model, wanted), after, before)
        shown = list(page.defer(*defer)[: PER_PAGE + 1])
    more, shown = len(shown) > PER_PAGE, shown[:PER_PAGE]
    if back:
        shown.reverse()
    leads_back, leads_on = (more, True) if back else (further, more)
    return Found(
        shown,
        len(keys) if len(keys) <= COUNTED else None,
        shown[0].pk if shown and leads_back else None,
        shown[-1].pk if shown and leads_on else None,
    )


def tags_of(query_set: QuerySet) -> list[tuple[str, int]]:
    """The commonest tags with the number of their queries."""
    tag = Func(F("tags"), function="unnest", output_field=CharField())
    rows = query_set.queries.order_by().annotate(tag=tag).values_list("tag")
    return list(rows.annotate(count=Count("pk")).order_by("-count", "tag")[:TAGS])


def lists_of(query_set: QuerySet) -> list[tuple[str, str]]:
    """The keys of the lists, as text, with their names."""
    lists = query_set.judgment_lists.order_by("name").values_list("pk", "name")
    return [(str(key), name) for key, name in lists]


def _order(model: type[Query] | type[Document], wanted: Wanted) -> Sort:
    sort = SORTS[model].get(wanted.sort, _FIRST)
    return _UNWALKED.get(sort, sort) if wanted.text else sort


def _page(rows: Rows, sort: Sort, after: int | None, before: int | None) -> tuple[Rows, bool, bool]:
    """The rows from where the page begins, in its order; whether something lies before; whether it runs backwards.

    Places are told by the key of a row beside the page; where that row has gone, the first page comes.
    """
    edge = after if after is not None else before
    rows = rows.annotate(place=sort.by)
    place = None
    if edge is not None:
        place = rows.model._base_manager.filter(pk=edge).values_list(sort.by, flat=True).first()
    back = place is not None and after is None
    falls = sort.falling != back
    order = F("place").desc() if falls else F("place").asc()
    if place is not None:
        beyond = Q(place__lt=place) if falls else Q(place__gt=place)
        beside = Q(place=place, pk__lt=edge) if back else Q(place=place, pk__gt=edge)
        rows = rows.filter(beyond | beside)
    return rows.order_by(order, "-pk" if back else "pk"), place is not None, back


def _judging(model: type[Query] | type[Document], wanted: Wanted) -> list[Exists | Q]:
    """What lists say of it: that it is in one, or in none; that nothing of it has a grade, there or anywhere."""
    asked = int(wanted.in_list) if wanted.in_list.isdecimal() and len(wanted.in_list) < 19 else None
    of_list = {} if asked is None else {"judgment_list": asked}
    if model is Query:
        inside: Rows = ListQuery.objects.filter(query=OuterRef("pk"), **of_list)
        graded: Rows = inside.filter(graded_count__gt=0)
    else:
        inside = Pair.objects.filter(document=OuterRef("pk"), **of_list)
        through = {f"pair__{name}": value for name, value in of_list.items()}
        graded = ConsensusGrade.objects.filter(pair__document=OuterRef("pk"), value__isnull=False, **through)
    conditions: list[Exists | Q] = []
    if asked is not None:
        conditions.append(Exists(inside))
    elif wanted.in_list == NO_LIST:
        conditions.append(~Q(Exists(inside)))
    if wanted.unjudged:
        conditions.append(~Q(Exists(graded)))
    return conditions
