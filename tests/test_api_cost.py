"""How many statements a call costs doesn't grow with what it lists."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.lists.actions.pairs import settle
from judgments.lists.actions.versions import freeze_version
from judgments.models import Query
from tests import factories as make
from tests.api import Api

pytestmark = pytest.mark.django_db
MOST = 25  # with those that check the token and count the call

PATHS = [
    *(
        "query-sets/{}/formulas",
        "query-sets/{}/run-views",
        "query-sets/{}/intents",
        "query-sets/{}/comparisons",
    ),
    *("query-sets/{}/invitations", "query-sets/{}/members", "query-sets/{}/scales", "query-sets/{}/lists"),
    *("query-sets/{}/runs", "query-sets/{}/queries", "query-sets/{}/documents", "query-sets/{}/log"),
    "query-sets/{}/jobs",
]
LIST_PATHS = [
    *("lists/{}/gold", "lists/{}/gold/candidates?q=d", "lists/{}/disagreements?state=any", "lists/{}/raters"),
    *("lists/{}/assignments", "lists/{}/progress/queries", "lists/{}/plan", "lists/{}/log"),
    *("lists/{}/agreement/raters", "lists/{}/agreement/rater-pairs", "lists/{}/overview"),
    *("lists/{}/runs", "lists/{}/trend", "lists/{}/versions", "lists/{}/rule-preview?rule=mean&tie=lower"),
]


def grow(query_set, main, more: int) -> None:
    """More rows of everything that these calls list."""
    for _ in range(more):
        user = make.make_member(query_set, "rater")
        rater, query = make.make_rater(query_set, user), make.make_query(query_set)
        disputed, gold = (make.make_pair(main, query, make.make_document(query_set)) for _ in range(2))
        make.make_judgment(disputed, rater, 1)
        shared = main.pairs.earliest("pk")
        if shared != disputed:
            make.make_judgment(shared, rater, 2)
        make.make_consensus(disputed, 1, spread=1, answers=1, judgments=1)
        make.make_gold_pair(gold, 1)
        main.assignments.create(user=user)
        run = make.make_run(query_set)
        make.make_saved_formula(query_set, name=f"Formula {run.pk}")
        make.make_saved_view(query_set, name=f"View {run.pk}")
        make.make_intent(query_set, Query.objects.filter(pk=query.pk), name=f"Intent {run.pk}")
        make.make_comparison(main, [run], name=f"Comparison {run.pk}")
        make.make_invitation(query_set, f"token {run.pk}")
        query_set.scales.create(name=f"Scale {run.pk}", maximum=1)
        freeze_version(judgment_list=main)
        make.make_list(query_set, name=f"Other list {run.pk}")
    settle(main, at=make.NOW)


def test_calls_cost_the_same_however_much_they_list(settings):
    settings.API_CALLS = 10**6
    query_set = make.make_query_set()
    main = make.make_list(query_set)
    api = Api(make.make_member(query_set, "admin"))
    paths = [path.format(query_set.pk) for path in PATHS] + [path.format(main.pk) for path in LIST_PATHS]

    def costs():
        found, sizes = {}, {}
        for path in paths:
            assert api.get(path).status_code == 200, path  # stores what has to be worked out once
            with CaptureQueriesContext(
                connection,
            ) as statements:
                sizes[path] = len(api.get(path).content)
            found[path] = len(statements)
        return found, sizes

    grow(query_set, main, 2)
    before, small = costs()
    grow(query_set, main, 3)
    after, large = costs()

    assert [path for path in paths if large[path] <= small[path]] == [f"query-sets/{query_set.pk}/jobs"]
    assert {path: (before[path], count) for path, count in after.items() if count > before[path]} == {}
    assert {path: count for path, count in after.items() if count > MOST} == {}


@pytest.mark.parametrize("kind", ["query", "document"])
def test_pairs_cost_the_same_however_many_there_are(kind):
    query_set = make.make_query_set()
    api, main = Api(make.make_member(query_set, "engineer")), make.make_list(query_set)
    query, document, rater = (
        make.make_query(query_set),
        make.make_document(query_set),
        make.make_rater(query_set),
    )
    path = f"queries/{query.pk}/pairs" if kind == "query" else f"documents/{document.pk}/pairs"

    def grow_and_count(more):
        for _ in range(more):
            others = (query, make.make_document(query_set)), (make.make_query(query_set), document)
            for pair in (make.make_pair(main, *both) for both in others):
                make.make_judgment(pair, rater, 1)
                make.make_consensus(pair, 1)
        with CaptureQueriesContext(connection) as statements:
            shown = len(api.get(path).json()["items"])
        return shown, len(statements)

    few, many = grow_and_count(1), grow_and_count(4)
    assert (few[0], many[0]) == (1, 5)
    assert many[1] <= few[1] <= MOST
