"""A search engine of the site is asked for a run: by page and by API."""

import threading
import time
from functools import partial

import httpx
import pytest
from django.db import connections
from django.urls import reverse

from evaluation.models import Evaluation, Run
from evaluation.runs.actions import fetching
from judgments.files.actions.import_jobs import cancel_import
from judgments.files.reports.uploads import CANCEL_NOTE, progress_of
from judgments.models import Act, ApiToken, Upload, Verb
from tests import factories as make
from tests.api import Api
from tests.evaluation.runs.views.uploading import engineer, query_set
from tests.evaluation.scored import text_of
from tests.judgments.files.views.test_import_progress import elsewhere
from tests.judgments.working import forget_jobs, taken_by_a_dead_worker, work
from touchstone_core.engines import fetching as asking
from touchstone_core.engines.site_engines import read_engines

__all__ = ["engineer", "query_set"]  # fixtures

pytestmark = pytest.mark.django_db(transaction=True)
ENGINES = """
[shop]
url = "http://es/_search"
body = { query = { match = { title = "{query}" } }, size = "{depth}" }

[others]
url = "http://other/?q={query}"
query_sets = [0]
"""


@pytest.fixture(autouse=True)
def no_jobs():
    forget_jobs()


@pytest.fixture
def asked(settings, monkeypatch):
    """What the engine was asked. It answers d1 and d2 unless the test gives it another `answer`."""
    settings.ENGINES = read_engines(ENGINES)
    requests, answers = [], {}

    def answer(request):
        requests.append(request)
        return answers["answer"](request) if answers else found("d1", "d2")

    transport = httpx.MockTransport(answer)
    monkeypatch.setattr(asking, "fetch", partial(asking.fetch, transport=transport, sleep=lambda _: None))
    return requests, answers


def found(*documents):
    return httpx.Response(200, json={"hits": {"hits": [{"_id": name} for name in documents]}})


def ask(client, query_set, engine="shop", depth="10", name="Mine"):
    fields = {"fetch-engine": engine, "fetch-depth": depth, "fetch-name": name}
    return client.post(reverse("run-fetch", args=[query_set.pk]), fields)


def page_of():
    return reverse("stored-runs", args=[Upload.objects.get().pk])


def form_of(client, query_set):
    return client.get(reverse("run-upload", args=[query_set.pk])).context["fetch_form"]


def test_a_worker_asks_every_query_and_stores_and_scores_the_run(client, query_set, engineer, asked):
    make.make_query(query_set, "q2")
    judgment_list = make.make_list(query_set)
    pair = make.make_pair(
        judgment_list, query_set.queries.get(external_id="q2"), make.make_document(query_set, "d2")
    )
    make.make_consensus(pair, 1)

    response = ask(client, query_set)

    assert response["Location"] == page_of()
    assert "Asking shop" in text_of(client.get(page_of()))
    assert asked[0] == []

    work()

    assert sorted(request.content for request in asked[0]) == [
        b'{"query":{"match":{"title":"%s"}},"size":10}' % text.encode()
        for text in sorted(query_set.queries.values_list("text", flat=True))
    ]
    run = Run.objects.get()
    assert (run.name, run.uploaded_by, run.query_count, run.row_count) == ("Mine", engineer, 2, 4)
    assert Evaluation.objects.get().ndcg_local is not None
    page = client.get(page_of(), follow=True)
    assert "Run “Mine” is stored: 2 queries, 4 documents." in text_of(page)
    assert Act.objects.get(verb=Verb.IMPORTED).by == engineer


def test_only_engines_that_the_query_set_may_ask_are_offered_and_taken(client, query_set, engineer, asked):
    assert form_of(client, query_set).fields["engine"].choices == [("shop", "shop")]

    refused = ask(client, query_set, engine="others")

    assert refused.status_code == 422
    assert "“others” isn’t one of the choices" in text_of(refused)
    assert not Upload.objects.exists()


def test_a_site_without_engines_offers_none(client, query_set, engineer):
    assert form_of(client, query_set) is None
    assert ask(client, query_set).status_code == 422


@pytest.mark.parametrize("depth", ["0", "1001", "", "many"])
def test_a_depth_that_is_none_is_refused_at_its_field(client, query_set, engineer, asked, depth):
    page = ask(client, query_set, depth=depth)

    assert page.status_code == 422
    assert list(page.context["fetch_form"].errors) == ["depth"]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (httpx.Response(401, text="who are you"), "Query q1 (“text of q1”): The engine answered 401"),
        (httpx.Response(503), "It was tried 6 times"),
        (httpx.Response(200, json={}), "The answer has no list of results"),
    ],
)
def test_what_the_engine_refuses_is_said_above_the_form_as_it_was_sent(
    client, query_set, engineer, asked, answer, sentence
):
    query_set.queries.update(text="text of q1")
    asked[1]["answer"] = lambda _: answer
    ask(client, query_set, depth="7")
    work()

    page = client.get(page_of())

    form = page.context["fetch_form"]
    assert sentence in form.non_field_errors()[0]
    assert (form["engine"].value(), form["depth"].value(), form["name"].value()) == ("shop", 7, "Mine")
    assert not Run.objects.exists()


def test_a_redirect_is_not_followed(client, query_set, engineer, asked):
    asked[1]["answer"] = lambda _: httpx.Response(302, headers={"Location": "http://169.254.169.254/secrets"})
    ask(client, query_set)
    work()

    assert "The engine answered 302" in Upload.objects.get().failure
    assert {request.url.host for request in asked[0]} == {"es"}


def test_a_query_set_without_queries_and_an_engine_that_is_gone_are_said(
    client, query_set, engineer, asked, settings
):
    query_set.queries.all().delete()
    ask(client, query_set)
    work()
    assert "no queries to ask" in Upload.objects.get().failure

    Upload.objects.all().delete()
    ask(client, query_set)
    settings.ENGINES = {}
    work()
    assert "is no search engine that this query set may ask any more" in Upload.objects.get().failure
    assert asked[0] == []


def test_a_name_that_is_taken_is_said_beside_the_name_and_nothing_is_asked_again(
    client, query_set, engineer, asked
):
    make.make_run(query_set, name="Mine")
    ask(client, query_set)
    work()

    page = client.get(page_of())
    assert "already has a run named “Mine”" in page.context["form"].errors["name"][0]

    fields = dict(page.context["form"].data) | {"name": "Another", "kept": str(Upload.objects.get().pk)}
    client.post(reverse("run-upload", args=[query_set.pk]), fields)
    assert sorted(run.name for run in Run.objects.all()) == ["Another", "Mine"]
    assert len(asked[0]) == 1


def test_asked_twice_is_asked_once(client, query_set, engineer, asked):
    assert ask(client, query_set)["Location"] == ask(client, query_set)["Location"]
    work()
    ask(client, query_set, name="Another")
    work()

    assert len(asked[0]) == 2
    assert Run.objects.count() == 2


def test_a_run_without_a_name_is_called_like_the_engine_and_the_time(client, query_set, engineer, asked):
    ask(client, query_set, name="")
    work()

    assert Run.objects.get().name.startswith("shop, 20")


def test_cancelling_ends_the_asking(client, query_set, engineer, asked, monkeypatch):
    for number in range(2, 40):
        make.make_query(query_set, f"q{number}")
    ask(client, query_set)
    kept, cancelled = Upload.objects.get(), threading.Event()

    def answer(_):
        if not cancelled.is_set():
            cancelled.set()
            cancel_import(upload=kept)
            connections.close_all()
        time.sleep(0.05)
        return found("d1")

    asked[1]["answer"] = answer
    monkeypatch.setattr(fetching.ProgressTeller, "EVERY", 0)
    work()

    kept.refresh_from_db()
    assert (kept.requested_at, kept.failure) == (None, CANCEL_NOTE)
    assert not Run.objects.exists()
    assert len(asked[0]) < 39
    assert CANCEL_NOTE in text_of(client.get(page_of()))


def test_how_many_queries_are_answered_is_seen_from_elsewhere(
    client, query_set, engineer, asked, monkeypatch
):
    ask(client, query_set)
    monkeypatch.setattr(fetching.ProgressTeller, "EVERY", 0)
    make.make_query(query_set, "q2")
    seen = []

    def answer(_):
        seen.append(elsewhere(lambda: progress_of(Upload.objects.get())))
        return found("d1")

    asked[1]["answer"] = answer
    work()

    assert (seen[0].words, seen[0].done, seen[0].total) == ("Asking queries", 0, 2)
    assert progress_of(Upload.objects.get()) is None


def test_a_killed_worker_leaves_the_work_to_another_one(client, query_set, engineer, asked):
    ask(client, query_set)
    taken_by_a_dead_worker()

    work()

    assert Run.objects.count() == 1


def test_programs_ask_and_get_the_address_of_a_job(query_set, engineer, asked):
    api = Api(engineer)
    assert api.get(f"query-sets/{query_set.pk}/engines").json() == [{"name": "shop"}]

    response = api.post(
        f"query-sets/{query_set.pk}/runs/fetch",
        {"engine": "shop", "depth": 5, "name": "Mine", "tags": ["nightly"]},
    )

    assert response.status_code == 202
    job = response.json()
    assert (job["what"], job["state"]) == ("upload of runs", "waiting")
    work()
    done = api.get(f"jobs/{job['id']}").json()
    run = Run.objects.get()
    assert (done["state"], done["upload"]["run_ids"]) == ("done", [run.pk])
    assert (run.name, run.tags) == ("Mine", ["nightly"])
    assert Act.objects.get(verb=Verb.IMPORTED).token == ApiToken.objects.get()


def test_programs_get_the_sentences_of_the_form(query_set, engineer, asked):
    response = Api(engineer).post(f"query-sets/{query_set.pk}/runs/fetch", {"engine": "others"})

    assert response.status_code == 422
    assert "“others” isn’t one of the choices" in response.json()["detail"]
