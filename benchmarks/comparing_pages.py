"""Part of `make bench-comparing`: the pages of a comparison of ten runs over 7,000 queries, from stored scores.

A fleeting PostgreSQL gets the queries, 20 grades each, and ten runs of the same 100 documents in orders of their own. The first look computes and stores; the others read. CPU seconds are those of this process and of PostgreSQL's together.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from benchmarks.pages import Spent, clocks, fleeting_site, since, views

QUERIES, RUNS, DEPTH, JUDGED = 7_000, 10, 100, 20
LIMIT = 0.2
PAGES: Final = {
    "the comparison": "/lists/{list}/compare/?runs={runs}",
    "query by query": "/lists/{list}/compare/queries/?runs={runs}",
    "both rankings of one query": "/lists/{list}/compare/queries/{query}/?runs={runs}",
    "what changed, before anybody judges": "/query-sets/{query_set}/impact/?runs={two}",
}
BEFORE_JUDGING: Final = "what changed, before anybody judges"
"""Computed anew for each look, so that the limit of stored scores is not its own."""
NOT_THERE: Final = b'id="being-compared"'
FILL: Final = (
    """
    INSERT INTO judgments_query (query_set_id, external_id, text, information_need, weight, tags)
    SELECT {query_set}, 'q' || n, 'query ' || n, '', 1 + n % 50, ARRAY['tag ' || n % 7] FROM generate_series(1, {queries}) n
    """,
    """
    INSERT INTO judgments_document (query_set_id, external_id, title, body, url, image, fields)
    SELECT {query_set}, 'd' || n, 'document', '', '', '', '{{}}' FROM generate_series(0, {judged} - 1) n
    """,
    """
    INSERT INTO judgments_pair (query_set_id, judgment_list_id, query_id, document_id, priority)
    SELECT {query_set}, {list}, query.id, document.id, 0 FROM judgments_query query, judgments_document document
    """,
    """
    INSERT INTO judgments_consensusgrade (pair_id, query_set_id, judgment_list_id, query_id, document_id,
                                          value, judgments, undecided, spread, answers)
    SELECT id, {query_set}, {list}, query_id, document_id, abs(hashint8(id)) % 4, 1, false, NULL, 1
    FROM judgments_pair
    """,
    """
    INSERT INTO judgments_listquery (query_set_id, judgment_list_id, query_id, position, pair_count, graded_count,
                                     judgment_count, open_count, revision, pairs_revision)
    SELECT {query_set}, {list}, id, row_number() OVER (ORDER BY id), {judged}, {judged}, {judged}, 0, 1, 1
    FROM judgments_query
    """,
    "VACUUM ANALYZE",
)


def measured() -> tuple[list[str], bool]:
    """The lines of a table, and whether a page from stored scores is above the limit."""
    with fleeting_site():
        found = _looks()
    lines = ["| page of ten runs | wall ms | CPU ms | statements |", "| --- | --- | --- | --- |"]
    for name, (spent, statements) in found.items():
        lines.append(f"| {' | '.join([name, *spent.milliseconds, str(statements)])} |")
    stored = [spent.least for name, (spent, _) in found.items() if name in PAGES and name != BEFORE_JUDGING]
    return lines, max(stored) > LIMIT


def _looks() -> dict[str, tuple[Spent, int]]:
    from evaluation.comparisons.actions.comparing import compare_runs
    from judgments.base.sql.roles import as_owner

    with as_owner():
        judgment_list, user = fill()
    runs = _store_runs(judgment_list.query_set)
    given = {
        "list": judgment_list.pk,
        "query_set": judgment_list.query_set_id,
        "query": judgment_list.list_queries.order_by("position").first().query_id,
        "runs": "-".join(str(run.pk) for run in runs),
        "two": f"{runs[0].pk}-{runs[1].pk}",
    }
    before = clocks()
    compare_runs(question=_question(judgment_list, runs), user=user, at=_now())
    found = {"scoring and comparing, once for each state of the grades": (since(before), 0)}
    for name, address in PAGES.items():
        found[name] = views(user, address.format(**given), refused=NOT_THERE)
    return found


def _question(judgment_list: Any, runs: Any) -> Any:
    """What the page asks where its address says nothing else."""
    from evaluation.comparisons.actions.comparing import Question, settings_of
    from touchstone_core.metrics.formula import Formula

    return Question(
        judgment_list=judgment_list,
        version=None,
        runs=tuple(runs),
        formula=Formula(cutoff=10),
        on="global",
        settings=settings_of(judgment_list.query_set),
    )


def _now() -> Any:
    from django.utils import timezone

    return timezone.now()


def fill(judged: int = JUDGED) -> tuple[Any, Any]:
    """A judgment list with so many grades for each query, and an admin."""
    from django.db import connection

    from judgments.models import JudgmentList, Membership, QuerySet, Scale, User

    query_set = QuerySet.objects.create(name="Bench")
    scale = Scale.objects.get(query_set=None, name="TREC 0–3")
    judgment_list = JudgmentList.objects.create(query_set=query_set, name="Bench", scale=scale)
    given = {"query_set": query_set.pk, "list": judgment_list.pk, "queries": QUERIES, "judged": judged}
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # triggers change nothing here
        for statement in FILL:
            cursor.execute(statement.format(**given))
        cursor.execute("SET session_replication_role = DEFAULT")
    user = User.objects.create(username="admin")
    Membership.objects.create(query_set=query_set, user=user, role="admin")
    return judgment_list, user


def _store_runs(query_set: Any) -> list[Any]:
    from evaluation.runs.actions.runs import store_run
    from touchstone_core.formats.problems import Report
    from touchstone_core.formats.runs.runs import ParsedRun

    rng = np.random.default_rng(1)
    runs = []
    for number in range(RUNS):
        rankings = list(_rankings(rng))
        parsed = ParsedRun(f"run {number}", "trec", "", rankings, Report(), QUERIES * DEPTH)
        runs.append(store_run(query_set=query_set, parsed=parsed, name=f"run {number}"))
    return runs


def _rankings(rng: np.random.Generator) -> Iterator[Any]:
    """The judged documents among others, in an order that hardly differs between runs."""
    from touchstone_core.formats.runs.rankings import ParsedRanking

    scores = [float(DEPTH - place) for place in range(DEPTH)]
    for query in range(1, QUERIES + 1):
        order = np.argsort(np.arange(DEPTH) + rng.normal(0, 3, DEPTH))
        documents = [f"d{one // 5}" if one % 5 == 0 else f"x{one}" for one in order.tolist()]
        yield ParsedRanking(f"q{query}", documents, scores, False, None)
