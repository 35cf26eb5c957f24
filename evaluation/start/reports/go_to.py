"""Where somebody can go by typing a few letters: query sets, lists, runs and queries."""

from typing import Any, NamedTuple

from django.contrib.postgres.search import SearchQuery
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from evaluation.models import Run
from judgments.base.searching import parse
from judgments.base.sql.searching import by_bitmaps
from judgments.models import JudgmentList, Query, QuerySet, User
from judgments.models.content import QUERY_WORDS, search_vector

MOST = 6
"""Places of each kind."""


class Place(NamedTuple):
    """`of` says where it belongs."""

    name: str
    url: str
    of: str = ""


def places(user: User, text: str) -> dict[str, list[Place]]:
    """Places by kind whose names contain `text`, those that begin with it first. Without a text, the newest ones.

    Of queries the words count, as in a search, or the ID. Five statements, seven for queries.
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
        "Query sets": [Place(one.name, reverse("query-set", args=[one.pk])) for one in sets],
        "Lists": [Place(one.name, reverse("list", args=[one.pk]), one.query_set.name) for one in lists],
        "Runs": [Place(one.name, _address_of(one), one.query_set.name) for one in _by_name(runs, text)],
        "Queries": [
            Place(one.text, reverse("query", args=[one.pk]), one.query_set.name)
            for one in _queries(user, text)
        ],
    }
    return {kind: found for kind, found in kinds.items() if found}


def _address_of(run: Any) -> str:
    """Its page under the newest list; without a list, the runs of its query set."""
    if run.newest_list is None:
        return reverse("query-set-runs", args=[run.query_set_id])
    return reverse("run", args=[run.newest_list, run.pk])


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
