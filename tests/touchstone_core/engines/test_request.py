"""What an engine is sent."""

import json

import pytest

from touchstone_core.engines.request import Template, read_body, read_headers
from touchstone_core.offline.command_line import InputError


def test_a_query_in_the_address_is_quoted_and_sent_by_get():
    request = Template("http://solr/select?q=title:({query})&rows={depth}&wt=json").request(
        "a&b=c/ü {depth}", 20
    )

    assert request.method == "GET"
    assert request.url.raw_path == b"/select?q=title:(a%26b%3Dc%2F%C3%BC%20%7Bdepth%7D)&rows=20&wt=json"
    assert request.content == b""


def test_a_query_in_the_body_stays_text_whatever_it_holds():
    body = {
        "size": "{depth}",
        "query": {"bool": {"should": [{"match": {"title": "{query}"}}, {"x": "{query}*"}]}},
    }
    body["top"] = "first {depth}"

    request = Template("http://es/_search", body).request('19" rack {depth}\\', 5)

    assert request.method == "POST"
    assert json.loads(request.content) == {
        "size": 5,
        "query": {
            "bool": {"should": [{"match": {"title": '19" rack {depth}\\'}}, {"x": '19" rack {depth}\\*'}]}
        },
        "top": "first 5",
    }
    assert request.headers["Content-Type"] == "application/json"


def test_headers_are_sent_and_never_repeated_in_an_error():
    request = Template("http://es/?q={query}", headers=read_headers(["Authorization:  ApiKey a:b"])).request(
        "x", 1
    )

    assert request.headers["Authorization"] == "ApiKey a:b"
    for line in ("ApiKey secret", "A: b\nc: secret", "A: sécret", "A: secret…", ": secret", "A B: secret"):
        problem = "isn’t written as in" if line.isascii() else "a character that isn’t ASCII"
        with pytest.raises(InputError, match=problem) as refusal:
            read_headers([line])
        assert "cret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "body", "says"),
    [
        ("localhost:9200/_search?q={query}", None, "It begins with http:// or https://"),
        ("http:///x?q={query}", None, "isn’t an address"),
        ("http://[::1/x?q={query}", None, "isn’t an address"),
        ("http://es:port/?q={query}", None, "isn’t an address"),
        ("http://es/_search", None, "Neither the URL nor the body says where the query goes"),
        (
            "http://es/_search",
            {"query": {"match_all": {}}},
            "Neither the URL nor the body says where the query goes",
        ),
    ],
)
def test_a_request_that_cannot_ask_is_refused(url, body, says):
    with pytest.raises(InputError, match=says):
        Template(url, body)


def test_an_address_that_cannot_be_sent_is_refused():
    with pytest.raises(InputError, match="can’t be sent"):
        Template("http://es/\x00?q={query}").request("x", 1)


@pytest.mark.parametrize(("text", "says"), [("{", "is not JSON"), ("[1]", "is not a JSON object")])
def test_a_body_is_a_json_object(text, says):
    with pytest.raises(InputError, match=f"body.json {says}"):
        read_body(text, "body.json")


def test_it_knows_whether_the_engine_is_told_how_many():
    assert Template("http://es/?q={query}&n={depth}").says_how_many
    assert Template("http://es/?q={query}", {"size": "{depth}"}).says_how_many
    assert not Template("http://es/?q={query}", {"size": 10}).says_how_many
