"""Asking an engine many queries."""

import threading

import httpx
import pytest

from touchstone_core.engines.fetching import WAITS, Engine, fetch
from touchstone_core.engines.request import Template
from touchstone_core.offline.command_line import InputError

ENGINE = Engine(Template("http://engine/?q={query}&n={depth}"))
QUERIES = {f"q{number}": f"text {number}" for number in range(20)}


def asked(answer, queries=QUERIES, depth=3, at_once=4):
    """What is fetched where the engine answers a request with this, and the waits."""
    waits = []
    fetched = fetch(
        ENGINE,
        queries,
        depth=depth,
        at_once=at_once,
        transport=httpx.MockTransport(answer),
        sleep=waits.append,
    )
    return fetched, waits


def ids(*documents):
    return httpx.Response(200, json={"results": list(documents)})


def test_each_query_has_its_results_in_the_order_of_the_engine():
    fetched, waits = asked(lambda request: ids(request.url.params["q"], "z", "a", "beyond the depth"))

    assert fetched.rankings == {name: [text, "z", "a"] for name, text in QUERIES.items()}
    assert list(fetched.rankings) == list(QUERIES)
    assert (fetched.results, fetched.empty, fetched.doubles, waits) == (60, 0, 0, [])


def test_a_document_that_comes_twice_counts_once_and_none_is_an_answer():
    fetched, _ = asked(lambda request: ids("a", "b", "a") if "1" in request.url.params["q"] else ids())

    assert fetched.rankings["q1"] == ["a", "b"]
    assert fetched.rankings["q2"] == []
    assert (fetched.doubles, fetched.empty) == (11, 9)  # 1 and 10 to 19 have it


def test_so_many_are_asked_at_once_and_no_more():
    lock, now, most = threading.Lock(), 0, 0
    together = threading.Barrier(4, timeout=10)

    def answer(request):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait()
        with lock:
            now -= 1
        return ids("a")

    asked(answer, at_once=4)

    assert most == 4


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_passes_is_tried_again_with_longer_waits(status):
    answers = iter([httpx.Response(status), httpx.Response(status), ids("a")])

    fetched, waits = asked(lambda request: next(answers), {"q": "text"})

    assert fetched.rankings == {"q": ["a"]}
    assert waits == [0.5, 1.0]


def test_a_broken_connection_is_tried_again_and_said_in_the_end():
    def answer(request):
        raise httpx.ConnectError("Connection refused")

    with pytest.raises(
        InputError, match=r"Query q7 \(“blue shoes”\): No answer came: Connection refused\. .* 6 times"
    ):
        asked(answer, {"q7": "blue shoes"})
    assert len(WAITS) == 5


@pytest.mark.parametrize(
    ("response", "says"),
    [
        (
            httpx.Response(400, text='{"error":  "parsing_exception"}'),
            "answered 400 Bad Request: {.error.: .parsing",
        ),
        (httpx.Response(401), "answered 401 Unauthorized: nothing"),
        (httpx.Response(302, headers={"Location": "/login"}), "answered 302 Found"),
        (httpx.Response(200, text="<html>Sign in</html>"), "The answer isn’t JSON: <html>Sign in</html>"),
        (httpx.Response(200, text="x" * 500), "x{200}…$"),
        (httpx.Response(200, json={"took": 1}), "no list of results"),
    ],
)
def test_one_query_without_a_usable_answer_refuses_all_at_once(response, says):
    seen = []

    def answer(request):
        seen.append(request.url.params["q"])
        return response if request.url.params["q"] == "text 2" else ids("a")

    with pytest.raises(InputError, match=rf"^Query q2 \(“text 2”\): .*{says}"):
        asked(answer, at_once=1)

    assert len(seen) < len(QUERIES)
