"""Runs in what Elasticsearch, OpenSearch, RRE and Quepid give."""

import json

import pytest

from tests.touchstone_core.formats.other_tools import (
    RANK_EVAL,
    SNAPSHOTS,
    evaluation_result,
    rre_evaluation,
    rre_report,
    search_response,
)
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.runs import ParsedFile, read_runs


def read(content, **options) -> ParsedFile:
    text = content if isinstance(content, str) else json.dumps(content)
    return read_runs(text_of(text, "file"), Options(**options))


def orders(file: ParsedFile) -> dict[str, dict[str, list[str]]]:
    return {run.name: {one.query: one.documents for one in run.rankings} for run in file.runs}


def errors(file: ParsedFile) -> list[str]:
    return list(file.report.errors.sentences())


def test_a_rank_eval_response_is_a_run_with_the_scores_that_are_there():
    file = read(RANK_EVAL)

    assert (file.format, orders(file)) == (
        "rank_eval",
        {"": {"q1": ["d1", "d3"], "q2": [], "q3": ["d2", "d1"]}},
    )
    assert [ranking.scores for ranking in file.runs[0].rankings] == [[9.5, 2.25], None, None]
    assert list(file.report.warnings.sentences()) == [
        "Failures: “q4” should be answered, like every other query."
    ]
    assert not file.runs[0].by_text


def test_the_order_of_hits_is_their_rank_and_is_compared_with_their_scores():
    hits = [{"hit": {"_id": "a", "_score": 1}}, {"hit": {"_id": "b", "_score": 2}}]
    response = {"metric_score": 0, "details": {"q": {"hits": hits}}, "failures": {}}

    by_score, by_rank = read(response), read(response, order="rank")

    assert orders(by_score) == {"": {"q": ["b", "a"]}}
    assert by_score.report.warnings.counts == {"score and rank disagree": 1}
    assert orders(by_rank) == {"": {"q": ["a", "b"]}}


@pytest.mark.parametrize(
    ("details", "sentence"),
    [
        ({"": {"hits": []}}, "Query: empty, but should be an ID."),
        ({"q": 3}, "Query q: “3” should be an object with hits."),
        ({"q": {"hits": {}}}, "Query q: “{\"hits\": {}}” should be an object with hits."),
        ({"q": {"hits": [3]}}, "Query q: “null” should be a document ID."),
        ({"q": {"hits": [{"hit": {"_score": 1}}]}}, "Query q: “null” should be a document ID."),
        ({"q": {"hits": [{"hit": {"_id": "d", "_score": "1"}}]}}, "Query q, hit 1: “\"1\"” should be a number."),
        ({"q": {"hits": [{"hit": {"_id": "d"}}, {"hit": {"_id": "d"}}]}}, "Query q: “d” should be listed once for query q."),
    ],
)  # fmt: skip
def test_a_bad_rank_eval_response_is_reported_by_query(details, sentence):
    assert errors(read({"metric_score": 0, "details": details})) == [sentence]


def test_opensearch_results_name_queries_by_text_and_make_one_run():
    hits = [evaluation_result("tv", ["d1", "d2"]), evaluation_result(" led tv ", [])]

    file = read(search_response(*hits))

    assert (file.format, orders(file)) == ("opensearch", {"": {"tv": ["d1", "d2"], "led tv": []}})
    assert file.runs[0].by_text
    assert file.report.warnings.counts == {}


def test_opensearch_results_of_several_configurations_are_a_run_each():
    file = read([evaluation_result("tv", ["d1"], "c1"), evaluation_result("tv", ["d2"], "c2")])

    assert orders(file) == {"c1": {"tv": ["d1"]}, "c2": {"tv": ["d2"]}}


def test_opensearch_results_may_stand_alone_or_on_lines():
    alone = evaluation_result("tv", ["d1"])["_source"]
    lines = "\n".join(json.dumps(evaluation_result(text, ["d1"])) for text in ("tv", "radio"))

    assert orders(read(alone)) == {"": {"tv": ["d1"]}}
    assert orders(read(lines)) == {"": {"tv": ["d1"], "radio": ["d1"]}}


def test_a_page_of_results_that_leaves_some_out_is_a_warning():
    file = read(search_response(evaluation_result("tv", ["d1"]), total=150))

    assert list(file.report.warnings.sentences()) == [
        "Hits: the first 1. There should be all 150 (ask OpenSearch for a greater size)."
    ]


@pytest.mark.parametrize(
    ("hits", "sentence"),
    [
        ([{"_source": {"searchText": "tv"}}], "“{\"searchText\": \"tv\"}” should be a result with searchText and documentIds."),
        ([{"_source": {"searchText": "tv", "documentIds": ["d"]}}] * 2, "Query: “tv” should be listed once."),
        ([{"_source": {"searchText": " ", "documentIds": ["d"]}}], "Query: empty, but should be a text."),
        ([{"_source": {"searchText": "tv", "documentIds": [None]}}], "Query tv: “null” should be a document ID."),
        ([{"_source": {"searchText": "tv", "documentIds": ["d"], "searchConfigurationId": "c"}},
          {"_source": {"searchText": "tv", "documentIds": ["d"], "searchConfigurationId": "\ud800"}}],
         "Name of a run: “\\xd800” should be text without NUL or broken characters."),
        ([7], "“{}” should be a result with searchText and documentIds."),
    ],
)  # fmt: skip
def test_bad_opensearch_results_are_reported(hits, sentence):
    assert errors(read({"hits": {"hits": hits}})) == [sentence]


FOUND = [
    {"_index": "products", "_id": "d1", "_score": 2.5, "_source": {"title": "TV"}},
    {"_index": "products", "_id": "d2", "_score": 1.5},
]
ANSWER = {"took": 3, "hits": {"total": {"value": 2}, "hits": FOUND}}


@pytest.mark.parametrize("hits", [ANSWER["hits"], FOUND])
def test_answers_of_searches_are_lines_of_a_run_if_they_name_their_queries(hits):
    lines = [{"query": query, "took": 3, "hits": hits} for query in ("q1", "q2")]

    file = read("\n".join(map(json.dumps, lines)))

    assert (file.format, orders(file)) == ("jsonl", {"": {"q1": ["d1", "d2"], "q2": ["d1", "d2"]}})
    assert file.runs[0].rankings[0].scores == [2.5, 1.5]
    assert not file.report.errors.total
    assert orders(read(json.dumps(lines[0]))) == {"": {"q1": ["d1", "d2"]}}


NOTHING_FOUND = {"took": 1, "hits": {"total": {"value": 0}, "hits": []}}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"took": 9, "responses": [ANSWER, ANSWER]}),
        json.dumps({"took": 9, "responses": [NOTHING_FOUND, ANSWER]}),
        json.dumps(ANSWER),
        json.dumps([ANSWER, ANSWER]),
        f"{json.dumps(ANSWER)}\n{json.dumps(ANSWER)}\n",
        f"{json.dumps(NOTHING_FOUND)}\n{json.dumps(ANSWER)}\n",
    ],
)
def test_answers_of_searches_without_their_queries_are_refused_in_one_sentence(content):
    with pytest.raises(FormatError) as error:
        read(content)

    assert str(error.value) == (
        "file holds answers of searches, which don’t name their queries. "
        'Write a line for each query: {"query": "q1", "hits": …}.'
    )


def test_an_rre_evaluation_is_one_run_for_each_version():
    report = rre_report(
        [rre_evaluation("fender", v1_0=["2", "1"], v1_1=["1", "2"]), rre_evaluation("Fender bass", v1_0=["1"], v1_1=[])],
        [rre_evaluation("fender", v1_0=["2", "1"], v1_1=["1", "2"])],
    )  # fmt: skip

    file = read(report)

    assert file.format == "rre"
    assert orders(file) == {
        "v1.0": {"fender": ["2", "1"], "Fender bass": ["1"]},
        "v1.1": {"fender": ["1", "2"], "Fender bass": []},
    }
    assert all(run.by_text for run in file.runs)
    assert file.report.ok


def test_an_rre_query_with_two_answers_in_a_version_is_refused():
    report = rre_report([rre_evaluation("fender", v1=["1"])], [rre_evaluation("fender", v1=["2"])])

    assert errors(read(report)) == ["Query: “fender” should be listed once."]


def test_rre_documents_may_be_named_by_id_as_solr_does():
    evaluation = {"query": "q", "results": {"v1": {"hits": [{"id": 7}, {"id": "8"}]}}}

    assert orders(read(rre_report([evaluation]))) == {"v1": {"q": ["7", "8"]}}


@pytest.mark.parametrize(
    ("evaluation", "sentence"),
    [
        ({"query": 3, "results": {}}, "“{\"query\": 3, \"results\": {}}” should be a query with results by version."),
        ({"query": "q", "results": {"v1": []}}, "Query q: “[]” should be an object with hits."),
        ({"query": "q", "results": {"v1": {"hits": ["d"]}}}, "Query q: “null” should be a document ID."),
        ({"query": "q", "results": {"v1": {"hits": [{"_id": "d"}, {"_id": "d"}]}}}, "Query q: “d” should be listed once for query q."),
    ],
)  # fmt: skip
def test_a_bad_rre_evaluation_is_reported(evaluation, sentence):
    assert errors(read(rre_report([evaluation]))) == [sentence]


def test_an_rre_evaluation_without_queries_is_refused():
    with pytest.raises(FormatError, match="holds no ranking"):
        read({"corpora": [{"topics": [3, {"query-groups": 4}]}]})


def test_quepid_snapshots_are_a_run_each_with_queries_by_text():
    file = read(SNAPSHOTS)

    assert file.format == "quepid"
    assert orders(file) == {
        "(3/5/26) Base": {"star wars": ["d1", "d2"]},
        "(3/6/26) New": {"star wars": ["d2"], "=dog": ["d9"]},
    }
    assert all(run.by_text for run in file.runs)


SNAPSHOT = {
    "id": 5,
    "name": "Base",
    "time": "2026-03-05T12:00:00Z",
    "docs": {
        "11": [
            {"id": "d2", "explain": "", "rated_only": False},
            {"id": 7, "rated_only": False},
            {"id": "d9", "rated_only": True},
        ],
        "12": [],
        "13": [{"id": "d1"}],
    },
    "queries": [{"query_id": 11, "query_text": "star wars"}, {"query_id": 12, "query_text": "dog"}],
    "scores": [{"query_id": 11, "score": 0.5}],
}
API_POST = {
    "snapshots": [
        {
            "name": "A",
            "queries": {"star wars": {"docs": [{"id": "d2", "position": 2}, {"id": "d1", "position": 1}]}},
        },
        {"name": "B", "queries": {"star wars": {"docs": [{"id": "d3", "position": 1, "fields": {"a": 1}}]}}},
    ]
}


@pytest.mark.parametrize("format", ["", "quepid"])
def test_a_quepid_snapshot_as_json_is_a_run_of_what_was_found(format):
    file = read(SNAPSHOT, format=format)

    assert (file.format, file.runs[0].by_text) == ("quepid", True)
    assert orders(file) == {"": {"star wars": ["d2", "7"], "dog": []}}
    assert file.report.warnings.counts == {"deleted query": 1}
    assert orders(read(SNAPSHOT, format=format, queries="id"))[""].keys() == {"11", "12", "13"}


def test_several_quepid_snapshots_as_json_are_a_run_each():
    assert orders(read(API_POST)) == {"A": {"star wars": ["d1", "d2"]}, "B": {"star wars": ["d3"]}}


@pytest.mark.parametrize(
    "content",
    [
        {"snapshots": [{"name": "A", "queries": []}]},
        {"snapshots": [{"name": "A", "queries": {"q": {"docs": 3}}}]},
        {"docs": {"1": [{"rank": 3}]}, "queries": [{"query_id": 1, "query_text": "q"}]},
    ],
)
def test_broken_quepid_snapshots_are_told(content):
    assert read(content).report.errors.counts == {"shape": 1}
    with pytest.raises(FormatError, match="no Quepid snapshot"):
        read({"q": ["d"]}, format="quepid")


def test_quepid_snapshots_of_one_name_are_told_apart_by_their_times():
    file = read(SNAPSHOTS.replace("(3/6/26) New", "(3/5/26) Base"))

    assert list(orders(file)) == [
        "(3/5/26) Base 2026-03-05T12:00:00Z",
        "(3/5/26) Base 2026-03-06T12:00:00Z",
    ]


def test_a_document_twice_in_one_snapshot_is_told_for_that_one():
    file = read(SNAPSHOTS + "(3/6/26) New,2026-03-06T12:00:00Z,8,star wars,d2,2,B\r\n")

    assert [run.report.ok for run in file.runs] == [True, False]
    assert errors(file) == [
        "Line 6, column Doc ID: “d2” should be listed once for query star wars (it is on line 4 already)."
    ]


@pytest.mark.parametrize(
    ("content", "format", "message"),
    [
        ("{}", "rank_eval", "no Elasticsearch rank_eval response: it has no “details”"),
        ("[]", "rank_eval", "no Elasticsearch rank_eval response"),
        ("7", "opensearch", "no OpenSearch evaluation results: it has no “searchText”"),
        ('{"corpora": []}', "rre", "no RRE evaluation.json: it has no “corpora”"),
        ("query,document\n", "quepid", "needs a column for snapshot"),
        ("q Q0 d 1 1 t", "parquet", "is not a Parquet file"),
    ],
)
def test_a_stated_format_that_the_file_has_not_is_refused(content, format, message):
    with pytest.raises(FormatError, match=message):
        read(content, format=format)


@pytest.mark.parametrize("content", ["q Q0 d 1 1 t", "[3]"])
def test_lines_that_are_no_objects_are_reported_where_json_lines_are_expected(content):
    assert read(content, format="jsonl").report.errors.counts == {"not a JSON object": 1}


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('{"details": {"d1": 1}}', "json"),
        ('{"hits": {"d1": 1}}', "json"),
        ('{"corpora": ["d1"]}', "json"),
        ('{"query": ["d1"], "results": ["d2"]}', "json"),
        ('{"query": "q", "results": ["d2"]}', "jsonl"),
        ('{"query": "q", "results": []}\n{"query": "r", "results": []}', "jsonl"),
        (json.dumps(RANK_EVAL), "rank_eval"),
        (json.dumps(search_response(evaluation_result("a", []))), "opensearch"),
        (json.dumps([evaluation_result("a", [])]), "opensearch"),
        (json.dumps(rre_report([rre_evaluation("a", v1=["d"])])), "rre"),
        (SNAPSHOTS, "quepid"),
    ],
)
def test_the_format_shows_in_the_keys(content, format):
    assert read(content).format == format


def test_the_choice_to_read_queries_by_id_overrides_the_format():
    assert not read(SNAPSHOTS, queries="id").runs[0].by_text
    assert not read(search_response(evaluation_result("q1", ["d"])), queries="id").runs[0].by_text
    assert read(RANK_EVAL, queries="text").runs[0].by_text
