"""A format is told by names in their place, not by names that a document or a query happens to have."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.formats.content.query_files import FORMATS as QUERIES
from touchstone_core.formats.file_format import detect_format
from touchstone_core.formats.json_keys import is_json_lines, keys
from touchstone_core.formats.judgments.judgment_files import READABLE

TELLING = [
    "requests",
    "judgmentRatings",
    "query_doc_pairs",
    "ratings",
    "queries",
    "topics",
    "placeholders",
    "hits",
]
BY_FORMAT = {
    "rre": lambda name: {
        "index": "i",
        "queries": [{"placeholders": {"$query": "boots"}, "relevant_documents": {name: {"gain": 3}}}],
    },
    "rank-eval": lambda name: {"requests": [{"id": name, "ratings": [{"_id": name, "rating": 1}]}]},
    "opensearch": lambda name: {
        "judgmentRatings": [{"query": name, "ratings": [{"docId": name, "rating": "1"}]}]
    },
    "quepid-book": lambda name: {
        "name": name, "query_doc_pairs": [{"query_text": name, "doc_id": name, "document_fields": {name: [1]}}]
    },
    "quepid-case": lambda name: {"queries": [{"query": name, "ratings": {name: 1}}]},
    "label-studio": lambda name: [
        {"data": {"query": name, "doc_id": name}, "annotations": [{"result": [{"type": "rating", "value": {"rating": 1}}]}]}
    ],
    "json": lambda name: {name: {name: 1}},
}  # fmt: skip


@pytest.mark.parametrize("name", TELLING)
@pytest.mark.parametrize("format", BY_FORMAT)
def test_judgments_of_things_that_are_called_like_a_format_are_told_all_the_same(format, name):
    if (format, name) == ("json", "judgmentRatings"):
        return  # OpenSearch has that name for ratings as a map too
    assert detect_format(text_of(json.dumps(BY_FORMAT[format](name), indent=1)), READABLE).name == format


@pytest.mark.parametrize("name", [*TELLING, "queryText", "querySetQueries"])
def test_queries_whose_texts_are_called_like_a_format_are_json_lines(name):
    lines = "\n".join(
        json.dumps({"query_id": f'"{name}": [', "query": f'{{"{name}": [', "tags": name}) for _ in "ab"
    )

    assert detect_format(text_of(lines), QUERIES).name == "jsonl"


@pytest.mark.parametrize(
    "name", ["searchText", "_source", "details", "metric_score", "corpora", "hits", "query"]
)
def test_runs_of_queries_that_are_called_like_a_format_are_read(name):
    run = {other: {"d1": 2.0, name: 1.0} for other in {name, "details", "metric_score"}}

    result = read_run(text_of(json.dumps(run)))

    assert {ranking.query: ranking.documents for ranking in result.rankings} == {
        query: ["d1", name] for query in run
    }


VALUES = st.recursive(
    st.none() | st.integers() | st.text('a"\\:{}[],', max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab:{", max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["x", "y", "z"]), VALUES)
    | st.lists(st.dictionaries(st.just("x"), VALUES))
)
def test_the_names_of_a_document_are_those_that_a_parser_finds(value):
    names = keys(json.dumps(value, ensure_ascii=False))

    if isinstance(value, dict):
        assert {name for name in names if name in {"x", "y", "z"}} == value.keys()
        assert {name[0] for name in names if name in {"x[", "y[", "z["}} == {
            name for name, one in value.items() if isinstance(one, list)
        }
    else:
        assert ("[.x" in names) == any(value)


@pytest.mark.parametrize("line", ['{"query": "q", "docs}', '{"query": }', '{"a":' + "[" * 100_000 + "}"])
def test_a_line_that_is_no_object_is_no_json_lines(line):
    assert not is_json_lines(text_of(line))
