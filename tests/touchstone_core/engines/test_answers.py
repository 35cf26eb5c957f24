"""Answers as the engines document them."""

import pytest

from touchstone_core.engines.answers import AnswerError, document_ids

ELASTICSEARCH = {
    "took": 5,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "max_score": 1.3862942,
        "hits": [
            {"_index": "products", "_id": "b", "_score": 1.38, "_source": {"sku": 12, "id": "x"}},
            {"_index": "products", "_id": "a", "_score": 1.38, "_source": {"sku": 7}},
        ],
    },
}
SOLR = {
    "responseHeader": {"status": 0, "QTime": 1},
    "response": {"numFound": 2, "start": 0, "docs": [{"id": "b", "title": ["B"]}, {"id": "a"}]},
}
ALGOLIA = {"hits": [{"objectID": "b", "title": "B"}, {"objectID": "a"}], "nbHits": 2}
MEILISEARCH = {"hits": [{"id": 12, "title": "B"}, {"id": 7}], "offset": 0, "estimatedTotalHits": 2}
TYPESENSE = {"found": 2, "hits": [{"document": {"id": "b"}, "text_match": 1}, {"document": {"id": "a"}}]}


@pytest.mark.parametrize(
    ("answer", "ids"),
    [
        (ELASTICSEARCH, ["b", "a"]),
        (SOLR, ["b", "a"]),
        (ALGOLIA, ["b", "a"]),
        (MEILISEARCH, ["12", "7"]),
        (TYPESENSE, ["b", "a"]),
        ({"results": ["b", " a "]}, ["b", "a"]),
        ([{"id": "b"}, {"id": "b"}], ["b", "b"]),
        ({"hits": {"hits": []}}, []),
        ({"_id": "x", "results": []}, []),
    ],
)
def test_results_are_found_where_engines_have_them(answer, ids):
    assert document_ids(answer) == ids


def test_other_places_are_named_by_paths():
    assert document_ids(ELASTICSEARCH, id_at="_source.sku") == ["12", "7"]
    assert document_ids({"a": {"b.c": [{"x.y": "b"}]}}, hits_at="a.b.c", id_at="x.y") == ["b"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            {"error": "no", "took": 3},
            r"has no list of results where engines usually have it\. It has “error”, “took”\.",
        ),
        ("text", r"has no list of results .* It isn’t an object\."),
        ({}, r"It is empty\. Say where it is with “hits”"),
        (
            {"results": [{"id": "b"}, {"name": "c"}]},
            r"Result 2 has no ID .* It has “name”\. Say where it is with “id”",
        ),
        ({"results": [{"id": True}]}, "Result 1 has no ID"),
        ({"results": [{"id": "  "}]}, "Result 1 has no ID"),
        ({"results": [None]}, "Result 1 has no ID"),
        (ELASTICSEARCH | {"timed_out": True}, "ran out of time, so its results are only a part"),
        (ELASTICSEARCH | {"_shards": {"failed": 1}}, "1 of the index’s shards failed"),
        (SOLR | {"responseHeader": {"partialResults": True}}, "only a part"),
    ],
)
def test_an_answer_without_usable_results_is_refused(answer, says):
    with pytest.raises(AnswerError, match=says):
        document_ids(answer)


def test_a_path_that_leads_nowhere_is_named():
    with pytest.raises(AnswerError, match=r"at “response.docs”\. It has .*“hits”"):
        document_ids(ELASTICSEARCH, hits_at="response.docs")
    with pytest.raises(AnswerError, match=r"Result 2 has no ID at “_source.id”"):
        document_ids(ELASTICSEARCH, id_at="_source.id")
