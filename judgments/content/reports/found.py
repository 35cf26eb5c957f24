"""Queries and documents as somebody looks for them: by words, id, tags, lists and what is judged; page by page."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from django.contrib.postgres.search import SearchQuery
from django.db import models
from django.db.models import CharField, Count, Exists, F, Func, Max, Min, OuterRef, Q
from django.db.models.expressions import Combinable, OrderBy
from django.db.models.functions import Collate, Left, Lower

from judgments.base.searching import parsed
from judgments.base.sql.searching import by_bitmaps
from judgments.models import ConsensusGrade, Document, ListQuery, Pair, Query, QuerySet
from judgments.models.content import DOCUMENT_WORDS, ID_LENGTH, QUERY_WORDS, search_vector

PER_PAGE: Final = 50
COUNTED: Final = 1_000
"""Whoever finds more than these is told so, and not how many."""
COUNTED_PHRASES: Final = 200
"""The same of phrases: whether words stand side by side is read in each text that has them."""
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
    """One page. `count` None: more than `most`. `earlier` and `later` are the keys that lead to the pages beside."""

    rows: list[Row] = field(default_factory=list)
    count: int | None = 0
    most: int = COUNTED
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


def _letters(field: str) -> Collate:
    """In the order of the code points, whatever that of the database: places are put in order here too (`_near`)."""
    return Collate(Lower(Left(field, 200)), "C")


SORTS: Final[Mapping[type[Query] | type[Document], Mapping[str, Sort]]] = {
    Query: {
        "": _FIRST,
        "id": _ID,
        "text": Sort("by text", _letters("text")),
        "weight": Sort("by weight, greatest first", F("weight"), falling=True),
    },
    Document: {"": _FIRST, "id": _ID, "text": Sort("by title", _letters("title"))},
}
WORDS: Final = {Query: QUERY_WORDS, Document: DOCUMENT_WORDS}


def matching(model: type[Row], query_set: QuerySet, wanted: Wanted) -> Rows:
    """All that is wanted, in no order."""
    first, *others = searches(model, query_set, wanted)
    if not others:
        return first
    keys = first.values("pk").union(*(rows.values("pk") for rows in others), all=True)
    found: Rows = model._default_manager.filter(pk__in=keys).order_by()
    return found


def searches(model: type[Row], query_set: QuerySet, wanted: Wanted) -> list[Rows]:
    """What is wanted, in no order: found by the words, and by how the id begins; the same row may be in both.

    Two searches, not one with “or”: of that, PostgreSQL would look at the words of every row again. And the one by words
    as if in all query sets, so that it has no other index to begin with, and to look at the words of every row of one.
    """
    rows: Rows = model._default_manager.filter(query_set=query_set).order_by()
    found = [rows]
    if search := parsed(wanted.text):
        found = [rows.filter(external_id__startswith=search.text)]
        if search.words:
            asked = SearchQuery(search.words, config="simple", search_type="raw")
            said = model._default_manager.order_by().alias(
                words=search_vector(*WORDS[model]), of=F("query_set") + 0
            )
            found.append(said.filter(words=asked, of=query_set.pk))
    if model is Query and wanted.tags:
        found = [rows.filter(tags__contains=list(wanted.tags)) for rows in found]
    return [rows.filter(*_judging(model, wanted)) for rows in found]


def found(
    model: type[Row],
    query_set: QuerySet,
    wanted: Wanted,
    *,
    after: int | None = None,
    before: int | None = None,
    defer: Sequence[str] = (),
) -> Found[Row]:
    """The page after the row `after`, or the one before the row `before`, in the wanted order. Ten statements at most.

    The database counts no further than COUNTED, and orders no more than that many where there are no more. Where there
    are more, it looks for a page as near to the edge as some hundreds of rows are, which orders few.
    """
    searched_for = searches(model, query_set, wanted)
    most = COUNTED_PHRASES if parsed(wanted.text).phrases else COUNTED
    with by_bitmaps() if wanted.text else nullcontext():
        way = _way(model, query_set, _order(model, wanted), after, before)
        some = _some(searched_for, way, most)
        count = len(some) if len(some) <= most else None
        rows = searched_for[0]
        if count is not None or wanted.text:
            keys = some if count is not None else _near(model, query_set, searched_for, way, some, most)
            rows = model._default_manager.filter(pk__in=keys)
        shown = list(way.beyond(rows).order_by(*way.order).defer(*defer)[: PER_PAGE + 1])
    more, shown = len(shown) > PER_PAGE, shown[:PER_PAGE]
    if way.back:
        shown.reverse()
    leads_back, leads_on = (more, True) if way.back else (way.further, more)
    return Found(
        shown,
        count,
        most,
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


@dataclass(frozen=True, slots=True)
class _Way:
    """An order, followed from an edge: the row with the key `edge`, whose place in the order is `place`, or from its begin."""

    sort: Sort
    falls: bool
    back: bool
    edge: int | None
    place: Any

    @property
    def further(self) -> bool:
        return self.place is not None

    @property
    def order(self) -> tuple[OrderBy, str]:
        by = F("place").desc() if self.falls else F("place").asc()
        return by, "-pk" if self.back else "pk"

    def beyond(self, rows: Rows) -> Rows:
        """Those of the rows that lie beyond the edge."""
        rows = rows.annotate(place=self.sort.by)
        if self.place is None:
            return rows
        beside = Q(place=self.place, pk__lt=self.edge) if self.back else Q(place=self.place, pk__gt=self.edge)
        return rows.filter(self._than(self.place) | beside)

    def until(self, place: Any, model: type[Query] | type[Document], query_set: QuerySet) -> Q:
        """What rows are that lie no further than `place`.

        Where the key orders, that is said of the key, from both sides: so few rows are left that the planner takes its
        index along, and words are read in these alone.
        """
        if self.sort is not _UNWALKED[_FIRST]:
            return Q(place__gte=place) if self.falls else Q(place__lte=place)
        keys = model._default_manager.filter(query_set=query_set).aggregate(low=Min("pk"), high=Max("pk"))
        low, high = (place, self.edge or keys["high"]) if self.falls else (self.edge or keys["low"], place)
        return Q(pk__range=(low, high))

    def _than(self, place: Any) -> Q:
        return Q(place__lt=place) if self.falls else Q(place__gt=place)


def _way(
    model: type[Query] | type[Document],
    query_set: QuerySet,
    sort: Sort,
    after: int | None,
    before: int | None,
) -> _Way:
    """Places are told by the key of a row beside the page; where the query set has no such row, the first page comes.

    A row of another query set has no place here: which rows come after it would tell what it says.
    """
    edge = after if after is not None else before
    place = None
    if edge is not None:
        rows = model._default_manager.filter(query_set=query_set, pk=edge)
        place = rows.values_list(sort.by, flat=True).first()
    back = place is not None and after is None
    return _Way(sort, sort.falling != back, back, None if place is None else edge, place)


def _some(searched_for: Sequence[Rows], way: _Way, most: int) -> dict[int, Any]:
    """Some rows of each search, more than `most` where there are more: their places by key."""
    rows = (
        found.annotate(place=way.sort.by).values_list("pk", "place")[: most + 1] for found in searched_for
    )
    return {key: place for found in rows for key, place in found}


def _near(
    model: type[Query] | type[Document],
    query_set: QuerySet,
    searched_for: Sequence[Rows],
    way: _Way,
    some: dict[int, Any],
    most: int,
) -> Collection[int]:
    """Keys among which the page is: no row of it lies further from the edge than a page of any others does."""
    beyond = [way.beyond(found) for found in searched_for]
    if way.further:
        some = _some(beyond, way, most)
    if len(some) <= most:
        return some
    last = sorted(some.values(), reverse=way.falls)[PER_PAGE]
    until = way.until(last, model, query_set)
    pages = (found.filter(until).order_by(*way.order)[: PER_PAGE + 1] for found in beyond)
    return {key for found in pages for key in found.values_list("pk", flat=True)}


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
