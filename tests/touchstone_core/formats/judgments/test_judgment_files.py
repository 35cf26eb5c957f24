"""Files of judgments of every tool: found out by their content, and read whole."""

import csv
import json
from collections import Counter

import pytest

from tests.shared_data import shared_data
from tests.touchstone_core.formats.judgments.reading import grades, read, real, sentences
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.file_format import detect_format
from touchstone_core.formats.judgments.judgment_files import READABLE, open_judgment_text
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.text import decode


# Counted in the files by jq, csv.DictReader and grep.
@pytest.mark.parametrize(
    ("path", "format", "count", "queries"),
    [
        ("chorus_ratings/Broad_Query_Set_rated.csv", "csv", 3668, 135),
        ("chorus_ratings/Chorus_Electronics_basic.csv", "csv", 207, 2),
        ("chorus_ratings/chorus_demo_rre.json", "rre", 207, 2),
        ("chorus_ratings/opensearch_edition_art_judgments.json", "opensearch", 1080, 27),
        ("esci_opensearch/ImportJudgments_sample_fractional_grades.json", "opensearch", 80, 4),
        ("esci_opensearch/esci_us_judgments.json", "opensearch", 6678, 150),
        ("esci_opensearch/judgment_before.json", "opensearch", 229, 96),
        ("esci_opensearch/judgment_after.json", "opensearch", 229, 96),
        ("esci_opensearch/judgments_example.csv", "csv", 3, 1),
        ("esci_opensearch/qrels.esci_us_150.txt", "qrels", 6678, 150),
        ("esci_small/judgments.csv", "csv", 1269, 30),
        ("quepid_haystack/case_qrels.txt", "qrels", 1659, 135),
        ("quepid_haystack/haystack_judgements_long.csv", "csv", 1942, 137),
        ("quepid_haystack/haystack_rating_party_case.pseudonymised.json", "quepid-case", 1679, 137),
        ("ranx/qrels.json", "json", 5, 2),
        ("ranx/nb_small_qrels.json", "json", 4, 2),
        ("ranx/nb_qrels.trec", "qrels", 5541, 5505),
        ("rre/quepid_mock_rre.json", "rre", 6, 2),
        ("tmdb_judgments/title_judgments.txt", "letor", 1390, 40),
        ("trec_eval/qrels.rel_level", "qrels", 3681, 3),
    ],
)
def test_real_files_are_recognized_and_read_whole(path, format, count, queries):
    judgments = real(path)

    assert judgments.report.ok
    assert judgments.format == format
    assert len(judgments.records) == count
    assert len({record.query for record in judgments.records}) == queries
    assert all(record.grade is not None or record.reason for record in judgments.records)


def test_a_real_book_has_its_judgments_its_cannot_tell_and_its_pairs_to_be_judged():
    judgments = real("quepid_haystack/haystack_rating_party_book.pseudonymised.json")

    assert judgments.format == "quepid-book"
    assert Counter(record.grade for record in judgments.records if record.grade_text) == {
        0: 775,
        1: 367,
        2: 215,
        3: 563,
    }
    assert Counter(record.reason for record in judgments.records) == {"": 2966, "other": 22}
    assert sum(record.unjudged for record in judgments.records) == 1046
    assert len({(record.query, record.document) for record in judgments.records}) == 2420
    assert len({record.rater for record in judgments.records if not record.unjudged}) == 13


def test_a_real_book_and_its_long_table_say_the_same():
    book = real("quepid_haystack/haystack_rating_party_book.pseudonymised.json").records
    table = real("quepid_haystack/haystack_judgements_long.csv").records

    answers = [
        Counter((one.query, one.document, one.rater.split("@")[0], one.grade, one.reason) for one in records)
        for records in ([one for one in book if not one.unjudged], table)
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("rre-core_src_test_resources_engine_evaluation_tests_ratings_ratings_example.json", 9),
        (
            "rre-maven-archetype_rre-maven-solr-archetype_src_main_resources_archetype-resources_src_etc_ratings_"
            "ratings_example.json",
            8,
        ),
    ],
)
def test_topics_and_groups_of_rre_are_expanded(name, count):
    judgments = real(f"rre/{name}")

    assert judgments.report.ok
    assert len(judgments.records) == count
    assert {one.grade for one in judgments.records} == {3}
    assert {one.query for one in judgments.records} >= {"fender", "jazz"}


def test_both_shapes_of_rre_say_the_same():
    old = real("rre/quepid_mock_rre.json")
    new = json.dumps(
        {
            "queries": [
                {
                    "placeholders": {"$query": query},
                    "relevant_documents": {
                        one.document: {"gain": one.grade} for one in old.records if one.query == query
                    },
                }
                for query in ("star trek", "star wars")
            ]
        }
    )

    assert grades(read(new)) == grades(old)
    assert grades(old)[:2] == [("star trek", "193", 1), ("star trek", "157", 2)]


def test_the_real_table_with_a_column_for_each_rater_is_taken_apart():
    judgments = real("chorus_ratings/Broad_Query_Set_individual_ratings.csv")
    agents = ["agent_1_rating", "agent_2_rating", "agent_3_rating"]
    by_choice = real(
        "chorus_ratings/Broad_Query_Set_individual_ratings.csv", columns={"raters": ", ".join(agents)}
    )

    assert judgments.format == "wide"
    assert judgments.columns["raters"] == ", ".join([*agents, "final_rating"])
    assert len(judgments.records) == 4 * 3188
    assert Counter(one.rater for one in by_choice.records) == dict.fromkeys(agents, 3188)
    path = shared_data("chorus_ratings") / "Broad_Query_Set_individual_ratings.csv"
    with path.open(newline="", encoding="utf-8") as file:
        expected = [
            (row["query"], row["docid"], float(row[name])) for row in csv.DictReader(file) for name in agents
        ]
    assert grades(by_choice) == expected


def test_letor_keeps_the_query_id_and_its_text():
    judgments = real("tmdb_judgments/title_judgments.txt")

    assert judgments.records[0].query == "1"
    assert judgments.records[0].query_text == "rambo"
    assert {one.query_text for one in judgments.records if one.query == "40"} == {"star wars"}


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("q1 0 d1 1\n", "qrels"),
        ("q1 d1 1\n", "qrels"),
        ("query,document,grade\nq,d,1\n", "csv"),
        ("query\tdocument\tgrade\nq\td\t1\n", "tsv"),
        ("query,docid,Anna,Bob\nq,d,1,\nq,e,,2\n", "wide"),
        ("query,docid,rank\nq,d,1\n", "csv"),
        ("query,docid,position,price\nq,d,1,2\n", "csv"),
        ("3 qid:1 1:0.5 # 7555 rambo\n", "letor"),
        ('{"query": "q", "document": "d", "grade": 1}\n', "jsonl"),
        ('{"query": "q", "document": "d"}\n{"query": "q", "document": "e"}\n', "jsonl"),
        ('{"q": {"d": 1}}', "json"),
        ('{"q": {"d": 1},\n "r": {"d": 1}}', "json"),
        ('[{"query": "q", "ratings": [{"docId": "d", "rating": 1}]}]', "opensearch"),
        ('{"requests": [{"id": "q", "ratings": []}]}', "rank-eval"),
        ('{"queries": [{"query": "q", "ratings": {"d": 1}}]}', "quepid-case"),
    ],
)
def test_the_format_is_found_out_by_the_content(content, format):
    assert detect_format(text_of(content), READABLE).name == format
    assert format in READABLE


def test_a_chosen_format_comes_before_the_one_found_out():
    assert read("query,docid,Anna\nq,d,1\n", format="wide").records[0].rater == "Anna"
    with pytest.raises(
        FormatError, match=r"Unknown format xml\. Choose one of: csv, decisions, json, jsonl, "
    ):
        read("q 0 d 1\n", format="xml")
    with pytest.raises(FormatError, match="file is empty"):
        read(" \n")


def test_a_table_of_opensearch_needs_no_header_and_keeps_its_lines():
    judgments = read('red dress,B077,3.000\n"a ""b"", c",B078,x\nred dress,B079\n')

    assert [(one.line, one.query, one.document, one.grade) for one in judgments.records] == [
        (1, "red dress", "B077", 3),
        (2, 'a "b", c', "B078", None),
    ]
    assert sentences(judgments) == ["Line 3: 2 columns. There should be 3 columns."]


def test_a_line_of_quepid_without_a_document_makes_only_the_query():
    judgments = read('query,docid,rating\nstar wars,11,3.0\n"I like, commas!",,\n')

    assert judgments.report.ok
    assert [(one.query, one.query_alone) for one in judgments.records] == [
        ("star wars", False),
        ("I like, commas!", True),
    ]
    case = read('{"queries": [{"query_text": "a", "ratings": []}]}')
    assert [(one.query, one.query_alone) for one in case.records] == [("a", True)]


def test_judge_later_is_a_pair_to_be_judged():
    table = read(
        "query,docid,rater,rating,unrateable,judge_later\nq,d,ann,,False,True\nq,e,ann,,True,False\n"
    )
    book = read(
        json.dumps(
            {
                "scale": [0, 1],
                "query_doc_pairs": [
                    {
                        "query_text": "q",
                        "doc_id": "d",
                        "document_fields": {"title": "x"},
                        "judgements": [{"rating": None, "judge_later": True, "user_email": "a@b.c"}],
                    },
                    {
                        "query_text": "q",
                        "doc_id": "e",
                        "judgements": [{"unrateable": True, "user_email": "a@b.c", "explanation": "why"}],
                    },
                ],
            }
        )
    )

    for judgments in (table, book):
        assert judgments.report.ok
        assert [(one.document, one.unjudged, one.reason) for one in judgments.records] == [
            ("d", True, ""),
            ("e", False, "other"),
        ]
        assert judgments.records[0].rater == ""
    assert book.records[1].comment == "why"


def test_the_answer_of_an_opensearch_search_is_read():
    source = {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "3.000"}]}]}

    judgments = read(
        json.dumps({"took": 1, "hits": {"total": 1, "hits": [{"_source": source}]}}), format="opensearch"
    )

    assert grades(judgments) == [("q", "d", 3)]


def test_the_placeholder_of_rre_may_be_named_behind_the_queries():
    query = {"placeholders": {"$q": "x"}, "relevant_documents": {"d": {"rating": 2}, "e": 1}}

    assert grades(read(json.dumps({"queries": [query], "query_placeholder": "$q"}))) == [
        ("x", "d", 2),
        ("x", "e", 1),
    ]


def test_ratings_of_rank_eval_belong_to_the_request():
    request = {
        "id": "amsterdam_query",
        "request": {},
        "ratings": [{"_index": "i", "_id": "doc1", "rating": 0}],
    }

    assert grades(read(json.dumps({"requests": [request], "metric": {}}))) == [("amsterdam_query", "doc1", 0)]


RED_DRESS = [("red dress", "B077", 3.0), ("red dress", "B071", 0.5)]


@pytest.mark.parametrize(
    "document",
    [
        {
            "judgmentScores": {
                "red dress": [{"docId": "B077", "score": "3.000"}, {"docId": "B071", "score": 0.5}]
            }
        },
        {
            "judgmentRatings": {
                "red dress": [{"docId": "B077", "rating": "3.0"}, {"docId": "B071", "rating": 0.5}]
            }
        },
        {
            "judgmentScores": [
                {
                    "query": "red dress",
                    "ratings": [{"docId": "B077", "rating": "3"}, {"docId": "B071", "rating": 0.5}],
                }
            ]
        },
    ],
)
def test_the_older_shapes_of_opensearch_are_read(document):
    content = json.dumps({"name": "Imported", "type": "IMPORT_JUDGMENT"} | document)
    answer = json.dumps({"took": 3, "hits": {"hits": [{"_source": document}]}})

    for text in (content, answer):
        stream = open_judgment_text(text_of(text))
        records = list(stream.records)
        assert stream.format == "opensearch"
        assert [(one.query, one.document, one.grade) for one in records] == RED_DRESS
        assert stream.head == ({"name": "Imported", "type": "IMPORT_JUDGMENT"} if text == content else {})


def test_lines_of_mslr_name_no_documents_so_they_get_ids():
    judgments = open_judgment_text(text_of("2 qid:1 1:3 2:0.5\n0 qid:1 1:2\n1 qid:16 1:3\n")).read()

    assert judgments.format == "letor"
    assert [(one.query, one.document, one.grade) for one in judgments.records] == [
        ("1", "1-1", 2.0),
        ("1", "1-2", 0.0),
        ("16", "16-1", 1.0),
    ]
    assert judgments.report.warnings.counts == {"documents without ids": 1, "not kept": 1}


def test_blank_lines_and_comments_of_letor_are_no_rows():
    judgments = open_judgment_text(text_of("# qid:1: rambo\n\n# by hand\n2 qid:1 # d1\n   \n")).read()

    assert [(one.query, one.document, one.grade) for one in judgments.records] == [("1", "d1", 2)]
    assert judgments.report.ok


def test_one_line_of_letor_without_a_document_among_others_is_a_mistake():
    judgments = open_judgment_text(text_of("2 qid:1 1:3 # d1\n0 qid:1 1:2\n")).read()

    assert judgments.report.errors.counts == {"no document": 1}


def test_a_german_spreadsheet_is_read_as_it_is():
    rows = "sep=;\nquery;document;grade\nKäse;d1;2,5\nKäse – „alt“;d2;1\n"

    judgments = open_judgment_text(decode(rows.encode("cp1252"), name="list.csv", limit=10**6)).read()

    assert judgments.report.ok
    assert grades(judgments) == [("Käse", "d1", 2.5), ("Käse – „alt“", "d2", 1.0)]


def test_what_a_file_says_of_itself_is_left_out_where_it_cannot_be_stored(monkeypatch):
    book = '{"name": %s, "query_doc_pairs": [{"query_text": "a", "doc_id": "d", "ratings": {"ann": 1}}]}'
    endless = open_judgment_text(text_of(book % "1e999"))
    monkeypatch.setattr("touchstone_core.formats.judgments.json_judgments.LONGEST_HEAD", 20)
    long = open_judgment_text(text_of(book % f'"{"x" * 30}"'))

    for stream in (endless, long):
        judgments = stream.read()
        assert len(judgments.records) == 1
        assert judgments.report.warnings.counts == {"not kept": 1}
        assert stream.head == {}


def test_fields_of_a_pair_that_cannot_be_stored_are_a_problem():
    pair = {"query_text": "a", "doc_id": "d", "ratings": {"ann": 1}, "notes": "x", "more": "\0"}

    judgments = read(json.dumps({"query_doc_pairs": [pair]}))

    assert judgments.report.errors.counts == {"not a text": 1}


def test_features_of_letor_are_said_to_be_left_out_once():
    stream = open_judgment_text(text_of("2 qid:1 1:0.5 2:7 # d\n1 qid:1 # e\n0 qid:1 1:3 # f\n"))

    records = list(stream.records)

    assert [one.document for one in records] == ["d", "e", "f"]
    assert stream.report.warnings.counts == {"not kept": 1}
    assert stream.report.warnings.first[0].line == 1
    assert stream.report.warnings.first[0].sentence == (
        "Line 1: 2 features. There should be only a grade, a query and a document (features aren’t kept, so keep the file that "
        "has them)."
    )
