"""The site asks a search engine for a run, as a program wants it."""

from functools import partial

import httpx
import pytest

from tests.touchstone_core.client.test_site import scene
from touchstone_core.client.errors import InvalidError, JobFailedError
from touchstone_core.engines import fetching
from touchstone_core.engines.site_engines import read_engines

__all__ = ["scene"]


@pytest.fixture
def answers(settings, monkeypatch):
    """What the engine answers, a response in a list."""
    settings.ENGINES = read_engines('[shop]\nurl = "http://es/?q={query}&n={depth}"')
    sent = [httpx.Response(200, json=["b", "a"])]
    transport = httpx.MockTransport(lambda _: sent[0])
    monkeypatch.setattr(fetching, "fetch", partial(fetching.fetch, transport=transport, sleep=lambda _: None))
    return sent


def test_a_run_of_an_engine_is_waited_for(site, scene, worker, answers):
    query_set = scene[0]

    stored = site.fetch(
        query_set, "shop", depth=5, name="today", tags=["nightly"], progress=lambda _: worker()
    )

    assert site.engines(query_set) == ["shop"]
    assert (stored.run.name, stored.run.tags, stored.run.documents) == ("today", ["nightly"], 4)
    assert [run.name for run in site.runs(query_set)] == ["base", "new", "today"]


def test_what_an_engine_refuses_is_an_error_and_leaves_no_run(site, scene, worker, answers):
    query_set = scene[0]
    answers[0] = httpx.Response(401, text="who are you")

    with pytest.raises(JobFailedError, match="The engine answered 401 Unauthorized: who are you"):
        site.fetch(query_set, "shop", progress=lambda _: worker())
    with pytest.raises(InvalidError, match="“solr” isn’t one of the choices"):
        site.fetch(query_set, "solr")

    assert [run.name for run in site.runs(query_set)] == ["base", "new"]
