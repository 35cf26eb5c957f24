"""Files of judgments with something wrong in them: told by line, and what is good is read."""

import pytest

from tests.touchstone_core.formats.judgments.reading import grades, read, sentences
from touchstone_core.formats.problems import FormatError


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[\n{"query": "q", "ratings": 3}]', "Line 2, column ratings: “3” should be a list."),
        ('[\n{"query": "q", "ratings": [3]}]', "Line 2, column ratings: “3” should be an object."),
        (
            '[{"query": "q",\n "ratings": [{"docId": "", "rating": 1}]}]',
            "Line 1, column document: empty, but should be an ID.",
        ),
        (
            '[{"query": ["q"], "ratings": [{"docId": "d", "rating": 1}]}]',
            "Line 1, column query: “['q']” should be an ID.",
        ),
        (
            '[{"query": "q", "ratings": [{"docId": "d", "rating": true}]}]',
            "Line 1, column grade: “True” should be a text or a number.",
        ),
        ('[{"ratings": 1},\n3]', "Line 2, column judgmentRatings: “3” should be an object."),
    ],
)
def test_what_json_lacks_is_told_by_line(content, sentence):
    assert sentence in sentences(read(content))


def test_a_list_where_grades_by_query_are_expected_is_told():
    assert sentences(read("[1]", format="json")) == [
        "Line 1: “a list” should be an object of grades by query."
    ]


@pytest.mark.parametrize("content", ['{"judgmentRatings": []}', "# qid:1: a\n", "[]"])
def test_a_file_without_judgments_is_refused(content):
    format = "letor" if content.startswith("#") else None
    with pytest.raises(FormatError, match="holds no judgments"):
        read(content, format=format)


def test_raters_columns_that_are_not_there_are_refused_with_the_headers():
    with pytest.raises(FormatError, match="no column “Eve”; the file has: query, docid, Anna"):
        read("query,docid,Anna\nq,d,1\n", format="wide", columns={"raters": "Eve"})
    with pytest.raises(FormatError, match="none looks like a rater’s"):
        read("query,docid,title\nq,d,shoe\n", format="wide")


def test_a_row_that_no_rater_filled_is_a_pair_to_be_judged_and_bad_ids_are_told():
    judgments = read(
        "query,docid,Anna,Bob\nq,d,,\nq,e,1,2\n,f,1,1\nq,g,1,x\n",
        format="wide",
        columns={"raters": "Anna;Bob"},
    )

    assert [(one.document, one.rater, one.unjudged) for one in judgments.records][:3] == [
        ("d", "", True),
        ("e", "Anna", False),
        ("e", "Bob", False),
    ]
    assert sentences(judgments) == ["Line 4, column query: empty, but should be an ID."]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("x qid:1 # d", "grade"),
        ("nan qid:1 # d", "grade"),
        ("1 1:0.5 # d", "qid"),
        ("1 qid: # d", "qid"),
        ("1 qid:1 1:0.5", "#"),
        ("# d", ""),
    ],
)
def test_a_bad_line_of_letor_is_told(line, column):
    judgments = read(f"1 qid:1 # d\n{line}\n", format="letor")

    assert len(judgments.records) == 1
    assert [problem.column for problem in judgments.report.errors.first] == [column][: bool(column)]


def test_letors_own_data_names_the_document_differently():
    judgments = read("2 qid:10032 1:0.056537 2:0.0 #docid = GX029-35-5894638 inc = 0.0119 prob = 0.139842\n")

    assert grades(judgments) == [("10032", "GX029-35-5894638", 2)]


def test_a_header_whose_third_name_is_a_number_is_a_header():
    with pytest.raises(FormatError, match="needs a column for grade"):
        read("query,docid,3\nq,d,1\n")


def test_the_score_of_a_search_system_is_no_grade():
    with pytest.raises(FormatError, match="A score beside a rank is the search system’s"):
        read("query,document,rank,score\nq,d,1,2\n")


BAD = '{"rating": 1}, 3, {"_id": "d", "doc_id": "d", "docId": "d", "rating": 1}'


@pytest.mark.parametrize(
    "content",
    [
        f'{{"requests": [{{"id": "q", "ratings": [{BAD}]}}, 3]}}',
        f'{{"queries": [{{"query": "q", "ratings": [{BAD}]}}, 3], "name": "x"}}',
        f'{{"judgmentRatings": [{{"query": "q", "ratings": [{BAD}]}}, 3], "name": "x"}}',
    ],
)
def test_bad_ratings_among_good_ones_are_told_and_the_good_ones_are_read(content):
    judgments = read(content)

    assert grades(judgments) == [("q", "d", 1)]
    assert judgments.report.errors.counts == {"not an ID": 1, "not as expected": 2}


def test_bad_parts_of_a_book_and_of_rre_are_told():
    book = read('{"query_doc_pairs": [3, {"query_text": "q", "doc_id": "", "judgements": [{"rating": 1}]}]}')
    empty = read('{"queries": [{"query": "", "ratings": []}, {"query": "a", "ratings": []}]}')
    rre = read('{"queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {"": 1, "d": 2}}, 3]}')

    assert book.report.errors.counts == {"not as expected": 1, "not an ID": 1}
    assert [one.query for one in empty.records] == ["a"]
    assert empty.report.errors.counts == {"not an ID": 1}
    assert grades(rre) == [("q", "d", 2)]
    assert rre.report.errors.counts == {"not an ID": 1, "not as expected": 1}


@pytest.mark.parametrize("placeholders", ['{"$query": [1]}', '{"$query": null}', "{}"])
def test_a_query_of_rre_without_a_text_is_told_and_the_others_are_read(placeholders):
    nameless = f'{{"placeholders": {placeholders}, "relevant_documents": {{"d": 1}}}}'
    query = '{"placeholders": {"$query": "q"}, "relevant_documents": {"d": 2}}'

    judgments = read(f'{{"queries": [{nameless}, {query}]}}')

    assert grades(judgments) == [("q", "d", 2)]
    assert judgments.report.errors.counts == {"not an ID": 1}


def test_ratings_of_quepid_may_be_grades_by_document():
    judgments = read('{"queries": [{"query": "star wars", "ratings": {"11": 3.0, "12": 0.0}}]}')

    assert grades(judgments) == [("star wars", "11", 3), ("star wars", "12", 0)]
