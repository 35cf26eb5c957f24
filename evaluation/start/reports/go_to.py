"""Where somebody can go by typing a few letters: query sets, lists, runs, queries, and what they can do where they are."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.contrib.postgres.search import SearchQuery
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from evaluation.models import Run
from judgments.base.keys import key_in
from judgments.base.searching import parse
from judgments.base.sql.searching import by_bitmaps
from judgments.models import JudgmentList, Membership, Query, QuerySet, Role, User
from judgments.models.content import QUERY_WORDS, search_vector
from judgments.pages.navigation import FOR_STAFF, FURTHER
from judgments.pages.tabs import LIST, QUERY_SET, QUERY_SET_ACTIONS, Tab, links_of

MOST = 6
"""Places of each kind."""


class Place(NamedTuple):
    """`of` says where it belongs."""

    name: str
    url: str
    of: str = ""


class Here(NamedTuple):
    """Where somebody is: in a query set, maybe in a list of it, with a role."""

    query_set: QuerySet
    judgment_list: JudgmentList | None
    role: str


def read_here(user: User, *, list_key: str = "", query_set_key: str = "") -> Here | None:
    """None for keys of what the account can't see. One statement."""
    mine = Membership.objects.filter(user=user.pk)
    if key := key_in(list_key):
        lists = JudgmentList.objects.visible_to(user).select_related("query_set")
        role = mine.filter(query_set=models.OuterRef("query_set_id"))
        of = lists.annotate(role=models.Subquery(role.values("role")[:1])).filter(pk=key).first()
        return Here(of.query_set, of, _role(user, of)) if of else None
    if key := key_in(query_set_key):
        role = mine.filter(query_set=models.OuterRef("pk"))
        sets = QuerySet.objects.staffed_by(user)
        query_set = sets.annotate(role=models.Subquery(role.values("role")[:1])).filter(pk=key).first()
        return Here(query_set, None, _role(user, query_set)) if query_set else None
    return None


def _role(user: User, row: models.Model) -> str:
    return Role.ADMIN if user.is_superuser else vars(row)["role"]


def places(user: User, text: str, here: Here | None = None) -> dict[str, list[Place]]:
    """Places by kind whose names contain `text`, those that begin with it first. Without a text, the newest ones.

    Pages and actions are those of the site, and of the query set and list where the reader is. Of queries the words count,
    as in a search, or the ID. Six statements, eight for queries.
    """
    text = parse(text).text
    sets = _by_name(QuerySet.objects.staffed_by(user).filter(archived_at=None), text)
    lists = _by_name(JudgmentList.objects.visible_to(user).select_related("query_set"), text)
    newest_list = (
        JudgmentList.objects.filter(query_set=models.OuterRef("query_set")).order_by("-pk").values("pk")[:1]
    )
    runs = (
        Run.objects.visible_to(user)
        .select_related("query_set")
        .annotate(newest_list=models.Subquery(newest_list))
    )
    kinds = {
        "Pages and actions": _pages(user, text, here),
        "Query sets": [Place(one.name, reverse("query-set", args=[one.pk])) for one in sets],
        "Lists": [Place(one.name, reverse("list", args=[one.pk]), one.query_set.name) for one in lists],
        "Runs": [Place(one.name, _address_of(one, here), one.query_set.name) for one in _by_name(runs, text)],
        "Queries": [
            Place(one.text, reverse("query", args=[one.pk]), one.query_set.name)
            for one in _queries(user, text)
        ],
    }
    return {kind: found for kind, found in kinds.items() if found}


def _pages(user: User, text: str, here: Here | None) -> list[Place]:
    """Those in whose names every word occurs, nearest first: of the list, of the query set, of the site."""
    words = text.casefold().split()
    if not words:
        return []
    found = [page for page in _every_page(user, here) if all(one in page.name.casefold() for one in words)]
    found.sort(key=lambda page: not page.name.casefold().startswith(words[0]))
    return found[:MOST]


def _every_page(user: User, here: Here | None) -> Iterator[Place]:
    if here:
        if here.judgment_list:
            yield from _pages_of(here.judgment_list, (tab for _, tabs in LIST for tab in tabs), here)
        yield from _pages_of(here.query_set, QUERY_SET_ACTIONS, here)
        yield from _pages_of(here.query_set, (tab for _, tabs in QUERY_SET for tab in tabs), here)
    if here or QuerySet.objects.staffed_by(user).exists():
        yield from (Place(name, reverse(address)) for name, address in (*FURTHER, *FOR_STAFF))


def _pages_of(of: JudgmentList | QuerySet, tabs: Iterable[Tab], here: Here) -> Iterator[Place]:
    for one in links_of(tabs, of.pk, role=here.role, is_archived=bool(here.query_set.archived_at)):
        yield Place(one.label, one.url, of.name)


def _address_of(run: Any, here: Here | None) -> str:
    """Its page under the list where the reader is, or the newest one of its query set; without a list, the runs of the query set."""
    judgment_list = run.newest_list
    if here and here.judgment_list and here.query_set.pk == run.query_set_id:
        judgment_list = here.judgment_list.pk
    if judgment_list is None:
        return reverse("query-set-runs", args=[run.query_set_id])
    return reverse("run", args=[judgment_list, run.pk])


def _by_name(rows: models.QuerySet[Any], text: str) -> models.QuerySet[Any]:
    if not text:
        return rows.order_by("-pk")[:MOST]
    begins = models.Case(models.When(name__istartswith=text, then=0), default=1)
    return rows.filter(name__icontains=text).order_by(begins, "name", "pk")[:MOST]


def _queries(user: User, text: str) -> list[Query]:
    """Found by the index of words. It hides the query sets from the planner, which would else read the words of all their rows."""
    search = parse(text)
    if not search:
        return []
    visible = Query.objects.visible_to(user).select_related("query_set")
    found = list(visible.filter(external_id=search.text).order_by("pk")[:MOST])
    if search.words and len(found) < MOST:
        words = SearchQuery(search.words, config="simple", search_type="raw")
        with by_bitmaps():
            keys = set(QuerySet.objects.staffed_by(user).values_list("pk", flat=True))
            rows = Query.objects.alias(words=search_vector(*QUERY_WORDS), of=F("query_set") + 0)
            rows = rows.filter(Q(words=words), of__in=keys).exclude(pk__in=[one.pk for one in found])
            found += rows.select_related("query_set").order_by()[: MOST - len(found)]
    return found
