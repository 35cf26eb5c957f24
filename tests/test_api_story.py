"""From a token to a verdict, as docs/api.md tells it."""

import pytest

from judgments.files.actions.import_jobs import import_in_background
from tests import factories as make
from tests.api import Api, problem_of

pytestmark = pytest.mark.django_db

QUERIES = b"query_id,query\nq1,red shoes\nq2,blue coat\n"
QRELS = b"q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n"
BASELINE = b"q1 Q0 b 1 2 base\nq1 Q0 a 2 1 base\nq2 Q0 c 1 1 base\n"
CANDIDATE = b"q1 Q0 a 1 2 new\nq1 Q0 b 2 1 new\nq2 Q0 c 1 1 new\n"


@pytest.fixture
def api():
    """An engineer of another query set, who may therefore create one."""
    return Api(make.make_member(make.make_query_set(), "engineer", username="eve"))


@pytest.fixture
def worker(monkeypatch):
    """Runs the jobs that calls have left to a worker."""
    from procrastinate.contrib.django.models import ProcrastinateJob

    class Context:
        class job:
            attempts = 0

    def run():
        for job in ProcrastinateJob.objects.filter(task_name="import_upload", status="todo"):
            import_in_background.func(Context, **job.args)

    return run


def test_from_a_token_to_a_verdict(api, worker):
    created = api.post("query-sets", {"name": "Shop"})
    assert created.status_code == 201, created.content
    query_set = created.json()["id"]
    job = api.post(f"query-sets/{query_set}/imports/queries?file_name=queries.csv", QUERIES)
    assert job.status_code == 202, job.content
    worker()
    assert api.get(job["Location"]).json()["state"] == "done"
    queries = api.get(f"query-sets/{query_set}/queries").json()["items"]
    assert [one["query_id"] for one in queries] == ["q1", "q2"]
    scale = next(
        one for one in api.get(f"query-sets/{query_set}/scales").json()["items"] if one["maximum"] == 3
    )
    created = api.post(f"query-sets/{query_set}/lists", {"name": "Main", "scale": scale["id"]})
    assert created.status_code == 201, created.content
    main = created.json()["id"]
    job = api.post(f"lists/{main}/imports?file_name=qrels.txt&create_missing=true", QRELS)
    worker()
    assert api.get(job["Location"]).json()["result"]["new"] == 3
    version = api.post(f"lists/{main}/versions", {"note": "For the build"})
    assert version.status_code == 201, version.content
    assert version.json()["grades"] == 3
    runs = [
        api.post(f"query-sets/{query_set}/runs?file_name=a.trec&tags=nightly", content)
        for content in (BASELINE, CANDIDATE)
    ]
    assert [run.status_code for run in runs] == [201, 201], runs[0].content
    one, other = (run.json()["runs"][0]["id"] for run in runs)
    table = api.get(f"lists/{main}/runs?k=1&version=1")
    assert table.status_code == 200, table.content
    assert [row["run"] for row in table.json()["runs"]] == ["base", "new"]
    scores = api.get(f"lists/{main}/runs/{other}/queries?k=1").json()["queries"]
    assert scores[0]["values"]["nDCG@1"] == 1.0
    fixes = api.get(f"lists/{main}/runs/{one}/fix-first?k=1").json()["fixes"]
    assert [fix["query_id"] for fix in fixes] == ["q1"]
    assert api.get(f"lists/{main}/agreement").status_code in (200, 202)
    compared = api.get(f"lists/{main}/comparison?runs={one}-{other}&k=1")
    assert compared.status_code == 200, compared.content
    assert compared.json()["verdicts"][0]["run"] == "new"
    assert compared.json()["recommendation"]
    export = api.get(f"lists/{main}/export?format=qrels")
    assert b"".join(export.streaming_content) == b"".join(sorted(QRELS.splitlines(keepends=True)))
    assert api.delete(f"runs/{one}").status_code == 204
    assert problem_of(api.get(f"runs/{one}"))


def test_a_file_without_rows_is_a_failure_that_says_so(api, worker):
    query_set = api.post("query-sets", {"name": "Shop"}).json()["id"]
    job = api.post(f"query-sets/{query_set}/imports/queries?file_name=queries.csv", b"query_id,query\n")
    worker()

    failed = api.get(job["Location"]).json()
    assert (failed["state"], failed["failure"]) == (
        "failed",
        "queries.csv holds no queries that can be imported.",
    )
