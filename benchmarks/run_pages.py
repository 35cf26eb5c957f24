"""`make bench-runs`: the pages of 200 runs over 7,000 queries with 105,000 judgments, from stored scores.

A fleeting PostgreSQL gets queries, judgments, grades, runs and the scores of a formula and two further measures, and of rankings
what scoring reads. Two rows are first looks after one grade has changed: each run is scored again on one query. CPU seconds are
those of this process and of PostgreSQL's together.
"""

import argparse
import sys
import time
from typing import Any, Final

from benchmarks.comparing_pages import QUERIES, fill
from benchmarks.measuring import ROOT
from benchmarks.pages import Spent, clocks, fleeting_site, since, views
from benchmarks.race import machine
from judgments.base.sql.fingerprints import fingerprint

RUNS, JUDGED = 200, 15
FEW, CHANGES = 100, 40
LIMIT: Final = 0.2
ONE_GRADE_CHANGED: Final = ", one grade changed"
PAGES: Final = {
    "run table": "/lists/{list}/runs/",
    "run table, all 25 columns": "/lists/{list}/runs/?measures=AP+RR&columns={columns}",
    "run table, 20 found and sorted": "/lists/{list}/runs/?q=run+1&tag=nightly&sort=-max",
    "run table, grouped by tag": "/lists/{list}/runs/?group=tag",
    "runs of the query set": "/query-sets/{query_set}/runs/",
    "trend": "/lists/{list}/runs/trend/?tag=nightly",
    "page of a run": "/lists/{list}/runs/{run}/",
    "home": "/",
    "query sets": "/query-sets/",
    "first page of the query set": "/query-sets/{query_set}/",
    "queries": "/query-sets/{query_set}/queries/",
    "queries found and sorted": "/query-sets/{query_set}/queries/?q=query&list={list}&sort=text",
    "documents": "/query-sets/{query_set}/documents/",
    "lists": "/query-sets/{query_set}/lists/",
    "members": "/query-sets/{query_set}/members/",
    "log": "/query-sets/{query_set}/log/",
    "comparisons": "/query-sets/{query_set}/comparisons/",
    "progress of the list": "/lists/{list}/",
    "plan": "/lists/{list}/plan/",
    "pairs": "/lists/{list}/pairs/",
    "raters": "/lists/{list}/raters/",
    "disagreements": "/lists/{list}/disagreements/",
    "gold pairs": "/lists/{list}/gold/",
    "versions": "/lists/{list}/versions/",
    "export": "/lists/{list}/export/",
    "query": "/queries/{query}/",
    "document": "/documents/{document}/",
    "own judgments": "/judgments/",
    "own judgments of the list": "/lists/{list}/judge/done/",
    "go to": "/go/?q=query",
}
PAGE: Final = """# Pages of 200 runs

`make bench-runs` looks at each page of a site with 200 runs, 7,000 queries and 105,000 judgments of five raters, from stored scores: once to
fill caches, then nine times. The figures are medians. No page may take more than 200 ms.
Where one grade changed, each of the looks comes after such a change, scores all 200 runs again on its query, and stores the averages.
Statements count what the page asks the database.

To score {few} runs again after one grade has changed takes {rescoring:.0f} ms of PostgreSQL's processor time (mean of {changes} changes; the bar is 10).

{machine}

| page | wall ms | processor ms, PostgreSQL's included | statements |
| --- | --- | --- | --- |
{rows}
"""
COLUMNS: Final = (
    "local recall global max change-global change-max change-dcg change-AP change-RR dcg losses judged AP RR answered missing "
    "empty unjudged zero_ideal ties counted tags commit link notes uploaded by"
)
FILL_JUDGMENTS: Final = (
    """
    INSERT INTO judgments_slot (query_set_id, judgment_list_id, pair_id, query_position, priority, surplus, ordinal, state,
                                rater_id, lease_until)
    SELECT {query_set}, {list}, id, query_id, 0, false, 1, 'done', ({raters})[1 + query_id % 5], to_timestamp(0)
    FROM judgments_pair
    """,
    """
    INSERT INTO judgments_judgment (query_set_id, judgment_list_id, pair_id, rater_id, request_id, value, reason, comment, extra,
                                    method, device, created_at, updated_at, active_ms, wall_ms, guidelines_version)
    SELECT {query_set}, {list}, id, ({raters})[1 + query_id % 5], gen_random_uuid(), abs(hashint8(id)) % 4, '', '', false, 'key',
           'mouse', now() - query_id % 30 * interval '1 day', now(), 3000, 3500, 1
    FROM judgments_pair
    """,
    "UPDATE judgments_listquery SET judgment_count = pair_count",
)
"""Of five raters in the last 30 days; each query has one of them."""
FILL_RUNS: Final = (
    """
    INSERT INTO evaluation_run (query_set_id, name, notes, "order", file_name, sha256, row_count, query_count, report,
                                created_at, tags, commit, link, is_baseline, uploaded_by_id)
    SELECT {query_set}, 'run ' || n, 'Notes about run ' || n, 'score', 'run.trec', '', 700000, {queries}, '{{}}',
           now() - n * interval '1 day', ARRAY['nightly', 'experiment ' || n % 7], md5(n::text),
           'https://ci.example.com/builds/' || n, n = 1, {user}
    FROM generate_series(1, {runs}) n
    """,
    """
    INSERT INTO evaluation_score (query_set_id, evaluation_id, query_id, revision, retrieved, shown, judged, ideal_local,
        ideal_recall, ideal_global, ideal_max, dcg, ndcg_local, ndcg_recall, ndcg_global, ndcg_max, lost_order, lost_depth,
        lost_recall, lost_content, judged_at_k, coverage)
    SELECT {query_set}, evaluation.id, query.id, 1, 100, 10, 8, 6, 8, 10, 12, 5 * value, 5 * value / 6, 5 * value / 8,
        value / 2, 5 * value / 12, 6 - 5 * value, 2, 2, 2, 0.8, 0.85
    FROM evaluation_evaluation evaluation, judgments_query query, LATERAL (
        SELECT abs(hashint8(evaluation.id * 10007 + query.id)) / 2147483648.0 AS value
    ) random
    ORDER BY evaluation.id, query.id
    """,
    """
    INSERT INTO evaluation_measurescore (query_set_id, evaluation_id, query_id, revision, value)
    SELECT {query_set}, evaluation.id, query.id, 1, abs(hashint8(evaluation.id * 7 + query.id)) / 2147483648.0
    FROM evaluation_measureevaluation evaluation, judgments_query query
    ORDER BY evaluation.id, query.id
    """,
    """
    UPDATE evaluation_measureevaluation evaluation
    SET revision = {fingerprint}, computed_at = now(), counted = {queries}, mean = total.mean, median = total.mean,
        weighted = total.mean
    FROM (SELECT evaluation_id, avg(value) AS mean FROM evaluation_measurescore GROUP BY evaluation_id) total
    WHERE total.evaluation_id = evaluation.id
    """,
    """
    UPDATE evaluation_evaluation evaluation
    SET revision = {fingerprint}, computed_at = now(), judged_queries = {queries}, answered = {queries}, counted = {queries},
        holes = 20000, coverage = 0.85, judged_at_k = 0.8, median_judged_at_k = 0.8, weighted_judged_at_k = 0.8,
        dcg = 5 * value, median_dcg = 5 * value, weighted_dcg = 5 * value,
        ndcg_local = 5 * value / 6, median_ndcg_local = 5 * value / 6, weighted_ndcg_local = 5 * value / 6,
        ndcg_recall = 5 * value / 8, median_ndcg_recall = 5 * value / 8, weighted_ndcg_recall = 5 * value / 8,
        ndcg_global = value / 2, median_ndcg_global = value / 2, weighted_ndcg_global = value / 2,
        ndcg_max = 5 * value / 12, median_ndcg_max = 5 * value / 12, weighted_ndcg_max = 5 * value / 12,
        sum_dcg = 35000 * value, sum_order = 42000 - 35000 * value, sum_depth = 14000, sum_recall = 14000, sum_content = 14000
    FROM (
        SELECT evaluation_id, avg(ndcg_global) * 2 AS value FROM evaluation_score GROUP BY evaluation_id
    ) total
    WHERE total.evaluation_id = evaluation.id
    """,
    """
    INSERT INTO evaluation_ranking (query_set_id, query_id, run_id, size, documents, tied, hit_ranks, hit_documents, pairs_revision)
    SELECT {query_set}, query.id, run.id, 100, '', false, '{{1,2,3,5,8}}', query.documents, query.pairs_revision
    FROM evaluation_run run, (
        SELECT query_id AS id, {pairs} AS pairs_revision, (
            SELECT (array_agg(document_id ORDER BY document_id))[2:6] FROM judgments_pair WHERE query_id = one.query_id
        ) AS documents
        FROM judgments_listquery one GROUP BY query_id
    ) query
    """,
    "VACUUM ANALYZE",
)
"""Scores are in the order in which scoring stores them: a page of the table has those of one run."""
CHANGE_GRADE: Final = (
    """
    UPDATE judgments_consensusgrade SET value = 3 - value
    WHERE pair_id = (SELECT MIN(pair_id) FROM judgments_consensusgrade WHERE query_id = {query})
    """,
    "UPDATE judgments_listquery SET revision = revision + 1 WHERE query_id = {query}",
)
"""As a judgment does. No trigger is left out."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with fleeting_site():
        found, rescoring = _looks()
    rows = [
        f"| {' | '.join([name, *spent.milliseconds, str(statements)])} |"
        for name, (spent, statements) in found.items()
    ]
    page = PAGE.format(few=FEW, changes=CHANGES, rescoring=rescoring, machine=machine(), rows="\n".join(rows))
    print(page)
    if arguments.write:
        (ROOT / "benchmarks" / "run_pages.md").write_text(page)
    if slow := [name for name, (spent, _) in found.items() if spent.least > LIMIT]:
        sys.exit(f"Too slow: {', '.join(slow)}")


def _looks() -> tuple[dict[str, tuple[Spent, int]], float]:
    from judgments.base.sql.roles import as_owner

    with as_owner():
        judgment_list, user = fill(JUDGED)
        _fill_judgments(judgment_list, user)
        _fill_runs(judgment_list, user)
    given = {
        "list": judgment_list.pk,
        "query_set": judgment_list.query_set_id,
        "columns": COLUMNS.replace(" ", "+"),
        "run": judgment_list.query_set.runs.earliest("pk").pk,
        "query": judgment_list.query_set.queries.earliest("pk").pk,
        "document": judgment_list.query_set.documents.earliest("pk").pk,
    }
    found = {name: views(user, address.format(**given)) for name, address in PAGES.items()}
    for name in ("run table", "trend"):
        address = PAGES[name].format(**given)
        found[name + ONE_GRADE_CHANGED] = views(user, address, change=lambda: _change_grade(judgment_list))
    return found, _rescoring(judgment_list)


def _rescoring(judgment_list: Any) -> float:
    """Milliseconds of PostgreSQL's processor time that few runs take after one grade has changed."""
    from evaluation.scores.actions.scores import bring_up_to_date
    from evaluation.scores.actions.scoring_request import ScoringRequest
    from touchstone_core.metrics.formula import Formula

    runs, spent = list(judgment_list.query_set.runs.order_by("pk")[:FEW]), 0.0
    for _ in range(CHANGES):
        _change_grade(judgment_list)
        before, own = clocks(), time.process_time()
        bring_up_to_date(ScoringRequest(judgment_list, runs, Formula(cutoff=10)))
        spent += since(before).processor - (time.process_time() - own)
    return 1000 * spent / CHANGES


def _change_grade(judgment_list: Any) -> None:
    """Of a query at random."""
    from django.db import connection

    query = judgment_list.list_queries.order_by("?").first().query_id
    with connection.cursor() as cursor:
        for statement in CHANGE_GRADE:
            cursor.execute(statement.format(query=query))


def _fill_judgments(judgment_list: Any, user: Any) -> None:
    from django.db import connection

    raters = judgment_list.query_set.raters
    keys = [raters.create(user=user, name="admin", kind="person").pk]
    keys += [raters.create(name=f"rater {number}", kind="external").pk for number in range(4)]
    given = {
        "list": judgment_list.pk,
        "query_set": judgment_list.query_set_id,
        "raters": f"ARRAY{keys}::bigint[]",
    }
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # triggers change nothing here
        for statement in FILL_JUDGMENTS:
            cursor.execute(statement.format(**given))
        cursor.execute("SET session_replication_role = DEFAULT")


def _fill_runs(judgment_list: Any, user: Any) -> None:
    """Runs with evaluations under the default formula, AP and RR, as if scored at the current state of the list."""
    from django.db import connection

    from evaluation.models import Evaluation, MeasureEvaluation, Run
    from evaluation.scores.sql.scores import read_fingerprint
    from touchstone_core.metrics.formula import Formula

    formula = Formula(cutoff=10)
    given = {
        "query_set": judgment_list.query_set_id,
        "queries": QUERIES,
        "runs": RUNS,
        "user": user.pk,
        "fingerprint": read_fingerprint(judgment_list.pk),
        "pairs": fingerprint("judgment_list_id", "pairs_revision"),
    }
    first, *others = FILL_RUNS
    with connection.cursor() as cursor:
        cursor.execute(first.format(**given))
    common = {"query_set_id": judgment_list.query_set_id, "judgment_list": judgment_list}
    runs = list(Run.objects.order_by("pk"))
    Evaluation.objects.bulk_create(Evaluation(run=run, formula=formula.key, **common) for run in runs)
    MeasureEvaluation.objects.bulk_create(
        MeasureEvaluation(run=run, measure=measure, **common) for run in runs for measure in ("AP", "RR")
    )
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # triggers change nothing here
        for statement in others:
            cursor.execute(statement.format(**given))
        cursor.execute("SET session_replication_role = DEFAULT")


if __name__ == "__main__":
    main()
