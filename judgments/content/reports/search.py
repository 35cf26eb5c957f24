"""Searching queries and documents by words, ID, tags, lists and missing grades, page by page."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from django.contrib.postgres.search import SearchQuery
from django.db import models
from django.db.models import CharField, Count, Exists, F, Func, Max, Min, OuterRef, Q
from django.db.models.expressions import Combinable, OrderBy
from django.db.models.functions import Collate, Left, Lower

from judgments.base.keys import key_in
from judgments.base.searching import parse
from judgments.base.sql.searching import by_bitmaps
from judgments.models import ConsensusGrade, Document, ListQuery, Pair, Query, QuerySet
from judgments.models.content import DOCUMENT_WORDS, ID_LENGTH, QUERY_WORDS, search_vector

PER_PAGE: Final = 50
COUNTED: Final = 1_000
"""Where there are more matches than these, the page says so and not how many."""
COUNTED_PHRASES: Final = 200
"""The same for phrases, which cost more: PostgreSQL reads each text to see whether the words are neighbors."""
TAGS: Final = 40
NO_LIST: Final = "none"
Row = TypeVar("Row", Query, Document)
Rows = models.QuerySet[Any, Any]


@dataclass(frozen=True, slots=True)
class Criteria:
    """What somebody searches for. `in_list` is a list's key or `none`; unknown values narrow nothing."""

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
    """An order: its name, the expression to sort by, and whether the greatest comes first. Keys break ties."""

    label: str
    by: Combinable
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Results(Generic[Row]):
    """One page of matches. `count` None: more than `most`. `earlier` and `later` are the keys that lead to the neighboring pages."""

    rows: list[Row] = field(default_factory=list)
    count: int | None = 0
    most: int = COUNTED
    earlier: int | None = None
    later: int | None = None


_FIRST: Final = Sort("in order of import", F("id"))
_ID: Final = Sort("by ID", F("external_id"))
# The same order as expressions that no index has. In a search the planner would else walk an index in order and read the
# words of one row after another.
_WITHOUT_INDEX: Final = {
    _FIRST: Sort(_FIRST.label, F("id") + 0),
    _ID: Sort(_ID.label, Left("external_id", ID_LENGTH)),
}


def _letters(field: str) -> Collate:
    """In the order of code points, whatever the database's own collation: `_keys_near` sorts in Python, too."""
    return Collate(Lower(Left(field, 200)), "C")


SORTS: Final[Mapping[type[Query] | type[Document], Mapping[str, Sort]]] = {
    Query: {
        "": _FIRST,
        "id": _ID,
        "text": Sort("by text", _letters("text")),
        "weight": Sort("by weight, greatest first", F("weight"), descending=True),
    },
    Document: {"": _FIRST, "id": _ID, "text": Sort("by title", _letters("title"))},
}
WORDS: Final = {Query: QUERY_WORDS, Document: DOCUMENT_WORDS}


def matching_rows(model: type[Row], query_set: QuerySet, criteria: Criteria) -> Rows:
    """All matches, in no order."""
    first, *others = searches(model, query_set, criteria)
    if not others:
        return first
    keys = first.values("pk").union(*(rows.values("pk") for rows in others), all=True)
    matches: Rows = model._default_manager.filter(pk__in=keys).order_by()
    return matches


def searches(model: type[Row], query_set: QuerySet, criteria: Criteria) -> list[Rows]:
    """Matches by the words and matches by the beginning of the ID, each in no order. A row may be in both.

    These are two searches: with “or” PostgreSQL would read the words of every row. The search by words hides the query set
    from the planner, which would else begin with the query set's index and read the words of all its rows.
    """
    rows: Rows = model._default_manager.filter(query_set=query_set).order_by()
    parts = [rows]
    if search := parse(criteria.text):
        parts = [rows.filter(external_id__startswith=search.text)]
        if search.words:
            words = SearchQuery(search.words, config="simple", search_type="raw")
            everywhere = model._default_manager.order_by().alias(
                words=search_vector(*WORDS[model]), of=F("query_set") + 0
            )
            parts.append(everywhere.filter(words=words, of=query_set.pk))
    if model is Query and criteria.tags:
        parts = [part.filter(tags__contains=list(criteria.tags)) for part in parts]
    return [part.filter(*_judging_conditions(model, criteria)) for part in parts]


def find(
    model: type[Row],
    query_set: QuerySet,
    criteria: Criteria,
    *,
    after: int | None = None,
    before: int | None = None,
    defer: Sequence[str] = (),
) -> Results[Row]:
    """The page after the row `after`, or before the row `before`, in the order of the criteria. Nine statements at most.

    The database counts and sorts no more than COUNTED matches. Where there are more, it sorts only some hundreds of rows
    near the edge of the page.
    """
    parts = searches(model, query_set, criteria)
    most = COUNTED_PHRASES if parse(criteria.text).phrases else COUNTED
    with by_bitmaps() if criteria.text else nullcontext():
        edge = _edge(model, query_set, criteria, after, before)
        places = _places(parts, edge, most)
        count = len(places) if len(places) <= most else None
        rows = parts[0]
        if count is not None or criteria.text:
            keys = places if count is not None else _keys_near(edge, model, query_set, parts, places, most)
            rows = model._default_manager.filter(pk__in=keys)
        page = list(edge.beyond(rows).order_by(*edge.order).defer(*defer)[: PER_PAGE + 1])
    more, page = len(page) > PER_PAGE, page[:PER_PAGE]
    if edge.backward:
        page.reverse()
    has_earlier, has_later = (more, True) if edge.backward else (edge.key is not None, more)
    return Results(
        page,
        count,
        most,
        page[0].pk if page and has_earlier else None,
        page[-1].pk if page and has_later else None,
    )


def tags_of(query_set: QuerySet) -> list[tuple[str, int]]:
    """The commonest tags with the number of their queries."""
    tag = Func(F("tags"), function="unnest", output_field=CharField())
    rows = query_set.queries.order_by().annotate(tag=tag).values_list("tag")
    return list(rows.annotate(count=Count("pk")).order_by("-count", "tag")[:TAGS])


def lists_of(query_set: QuerySet) -> list[tuple[str, str]]:
    """What can be chosen as `Criteria.in_list`, with words. Nothing where there are no lists."""
    lists = query_set.judgment_lists.order_by("name").values_list("pk", "name")
    choices = [(str(key), f"in {name}") for key, name in lists]
    return [*choices, (NO_LIST, "in no list")] if choices else []


@dataclass(frozen=True, slots=True)
class _Edge:
    """Where a page begins in an order: beside the row `key`, whose sort value is `place`. Without a key: at the start."""

    sort: Sort
    descending: bool
    backward: bool
    key: int | None
    place: Any

    @property
    def order(self) -> tuple[OrderBy, str]:
        by = F("place").desc() if self.descending else F("place").asc()
        return by, "-pk" if self.backward else "pk"

    def beyond(self, rows: Rows) -> Rows:
        """Those of the rows that lie beyond the edge."""
        rows = rows.annotate(place=self.sort.by)
        if self.key is None:
            return rows
        further = Q(place__lt=self.place) if self.descending else Q(place__gt=self.place)
        beside = Q(pk__lt=self.key) if self.backward else Q(pk__gt=self.key)
        return rows.filter(further | (Q(place=self.place) & beside))

    def until(self, place: Any, model: type[Query] | type[Document], query_set: QuerySet) -> Q:
        """The condition for rows that lie no further than `place`.

        In the order of keys this is a range of keys with both ends: it leaves so few rows that the planner also uses the
        index of keys and reads words in these rows alone.
        """
        if self.sort is not _WITHOUT_INDEX[_FIRST]:
            return Q(place__gte=place) if self.descending else Q(place__lte=place)
        keys = model._default_manager.filter(query_set=query_set).aggregate(low=Min("pk"), high=Max("pk"))
        low, high = (place, self.key or keys["high"]) if self.descending else (self.key or keys["low"], place)
        return Q(pk__range=(low, high))


def _edge(
    model: type[Query] | type[Document],
    query_set: QuerySet,
    criteria: Criteria,
    after: int | None,
    before: int | None,
) -> _Edge:
    """The edge beside the row `after` or `before`. Without such a row in the query set: the first page.

    A row of another query set counts as missing, because which rows come after it would reveal what it says.
    """
    sort = SORTS[model].get(criteria.sort, _FIRST)
    if criteria.text:
        sort = _WITHOUT_INDEX.get(sort, sort)
    key = after if after is not None else before
    place = None
    if key is not None:
        rows = model._default_manager.filter(query_set=query_set, pk=key)
        place = rows.values_list(sort.by, flat=True).first()
    backward = place is not None and after is None
    return _Edge(sort, sort.descending != backward, backward, None if place is None else key, place)


def _places(parts: Sequence[Rows], edge: _Edge, most: int) -> dict[int, Any]:
    """Sort values by key of some rows of each part, more than `most` where there are more."""
    rows = (part.annotate(place=edge.sort.by).values_list("pk", "place")[: most + 1] for part in parts)
    return {key: place for some in rows for key, place in some}


def _keys_near(
    edge: _Edge,
    model: type[Query] | type[Document],
    query_set: QuerySet,
    parts: Sequence[Rows],
    places: dict[int, Any],
    most: int,
) -> Collection[int]:
    """Keys that include the page: any page full of rows beyond the edge shows how far the page can reach."""
    beyond = [edge.beyond(part) for part in parts]
    if edge.key is not None:
        places = _places(beyond, edge, most)
    if len(places) <= most:
        return places
    last = sorted(places.values(), reverse=edge.descending)[PER_PAGE]
    until = edge.until(last, model, query_set)
    first, *others = (
        part.filter(until).order_by(*edge.order).values_list("pk", flat=True)[: PER_PAGE + 1]
        for part in beyond
    )
    return set(first.union(*others, all=True) if others else first)


def _judging_conditions(model: type[Query] | type[Document], criteria: Criteria) -> list[Exists | Q]:
    """Conditions on lists and grades: in this list or in none, and without a grade there or anywhere."""
    list_key = key_in(criteria.in_list)
    of_list = {} if list_key is None else {"judgment_list": list_key}
    if model is Query:
        uses: Rows = ListQuery.objects.filter(query=OuterRef("pk"), **of_list)
        grades: Rows = uses.filter(graded_count__gt=0)
    else:
        uses = Pair.objects.filter(document=OuterRef("pk"), **of_list)
        through = {f"pair__{name}": value for name, value in of_list.items()}
        grades = ConsensusGrade.objects.filter(pair__document=OuterRef("pk"), value__isnull=False, **through)
    conditions: list[Exists | Q] = []
    if list_key is not None:
        conditions.append(Exists(uses))
    elif criteria.in_list == NO_LIST:
        conditions.append(~Q(Exists(uses)))
    if criteria.unjudged:
        conditions.append(~Q(Exists(grades)))
    return conditions
