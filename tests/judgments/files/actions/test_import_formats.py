"""Files of other tools as they arrive in a list: queries by ID and text, raters, pairs to be judged."""

import json

import pytest

from judgments.files.actions.imports import ImportRefusedError
from judgments.files.reports.imports import ImportResult
from judgments.models import Document, Judgment, KeptFields, Pair, Query, Rater
from tests import factories as make
from tests.judgments.files.actions.test_import_grades import bring_in
from tests.judgments.files.actions.test_kept_fields import written
from tests.shared_data import shared_data
from touchstone_core.formats.content.queries import id_of_text
from touchstone_core.formats.problems import FormatError

pytestmark = pytest.mark.django_db


def test_a_whole_book_arrives_with_its_raters_and_its_pairs():
    path = shared_data("quepid_haystack") / "haystack_rating_party_book.pseudonymised.json"
    judgment_list = make.make_list(make.make_query_set(), overlap=3)

    result, report = bring_in(judgment_list, path.read_bytes(), name=path.name)

    assert report.ok
    assert result == ImportResult(1942, 0, 0, pairs=1046)
    assert (Pair.objects.count(), Query.objects.count(), Rater.objects.count()) == (2420, 137, 13)
    assert Judgment.objects.filter(reason="other").count() == 22


def test_queries_of_letor_are_made_with_id_and_text_and_found_by_either():
    path = shared_data("tmdb_judgments") / "title_judgments.txt"
    query_set = make.make_query_set()
    known = make.make_query(query_set, "forty", text="star wars")
    judgment_list = make.make_list(query_set, scale=make.preset("Five grades 0–4"))

    result, _ = bring_in(judgment_list, path.read_bytes(), name=path.name)

    assert result.total + report_of_repeats(_) == 1390
    assert Query.objects.get(external_id="1").text == "rambo"
    assert known.pairs.exists()
    assert not Query.objects.filter(external_id="40").exists()


def report_of_repeats(report):
    return report.warnings.counts.get("the same twice", 0)


@pytest.mark.parametrize("file", ["CreateQuerySet.json", "esci_us_queryset.json", "query_set_example.ndjson"])
def test_a_query_set_of_opensearch_is_told_where_it_belongs(file):
    path = shared_data("esci_opensearch") / file

    with pytest.raises(FormatError, match=r"It looks like queries: import it as queries\.$"):
        bring_in(make.make_list(make.make_query_set()), path.read_bytes(), name=path.name)


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("_id,title,body\nd1,Red,For running\n", "It looks like documents: import it as documents."),
        ("q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 8 bm25\n", "If it is a run, upload it as a run."),
        ("a,b\n1,2\n", "its first line has: a, b."),
    ],
)
def test_a_file_of_another_kind_is_told_where_it_belongs(content, hint):
    with pytest.raises(FormatError) as caught:
        bring_in(make.make_list(make.make_query_set()), content, name="file")

    assert caught.value.message.endswith(hint)


def test_queries_without_documents_are_made():
    query_set = make.make_query_set()
    make.make_query(query_set, "known")
    judgment_list = make.make_list(query_set)

    result, _ = bring_in(judgment_list, "query,docid,rating\nstar wars,11,3\nknown,,\nnew,,\nnew,,\n")

    assert result == ImportResult(1, 0, 0)
    assert list(Query.objects.order_by("id").values_list("external_id", "text")) == [
        ("known", "text of known"),
        (id_of_text("star wars"), "star wars"),
        ("new", "new"),
    ]
    assert Document.objects.get().external_id == "11"


@pytest.mark.parametrize("last", ['{"docId": "e", "rating": "7"}', '{"docId": "e"'])
def test_what_is_wrong_with_a_document_of_json_leaves_nothing_behind(last):
    content = f'{{"judgmentRatings": [{{"query": "q", "ratings": [{{"docId": "d", "rating": 1}}, {last}]}}]}}'

    with pytest.raises(Exception, match=r"The file has 1 problem|is not valid JSON"):
        bring_in(make.make_list(make.make_query_set()), content)

    assert not Query.objects.exists()


def test_the_same_document_twice_in_a_book_with_other_grades_is_refused_with_its_line():
    pairs = [
        {"query_text": "q", "doc_id": "d", "judgements": [{"rating": grade, "user_email": "a@b.c"}]}
        for grade in (1, 2)
    ]

    with pytest.raises(ImportRefusedError) as caught:
        bring_in(make.make_list(make.make_query_set()), json.dumps({"query_doc_pairs": pairs}, indent=1))

    assert caught.value.report.errors.counts == {"twice in the file": 1}
    assert caught.value.report.errors.first[0].line > 5


TEXT = "Red shoes, size #9"
ID = id_of_text(TEXT)
BY_TEXT = {
    "quepid-book": {
        "query_doc_pairs": [
            {"query_text": TEXT, "doc_id": "d", "judgements": [{"rating": 1, "user_email": "a"}]}
        ]
    },
    "quepid-case": {"queries": [{"query": TEXT, "ratings": {"d": 1}}]},
    "a case's query without ratings": {
        "queries": [
            {"query_text": TEXT, "notes": "n", "ratings": []},
            {"query_text": "o", "ratings": [{"doc_id": "d", "rating": 1}]},
        ]
    },
    "opensearch": {"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": "d", "rating": "1.000"}]}]},
    "rre": {
        "queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": {"d": {"gain": 1}}}],
        "id_field": "id",
    },
    "csv": f'query,docid,rating\n"{TEXT}",d,1\n',
    "csv by its header": f'query_text,document,grade\n"{TEXT}",d,1\n',
    "a query alone in csv": f'query,docid,rating\n"{TEXT}",,\no,d,1\n',
    "jsonl": f'{{"query_text": "{TEXT}", "document": "d", "grade": 1}}\n',
    "wide": f'query,docid,ann,bob\n"{TEXT}",d,1,2\n',
}


@pytest.mark.parametrize("name", BY_TEXT)
def test_a_query_named_by_its_text_gets_the_id_that_an_import_of_queries_makes(name):
    judgment_list = make.make_list(make.make_query_set())
    content = BY_TEXT[name] if isinstance(BY_TEXT[name], str) else json.dumps(BY_TEXT[name])

    bring_in(judgment_list, content)
    again, _ = bring_in(judgment_list, content)

    assert Query.objects.get(text=TEXT).external_id == ID == "red-shoes-size-9-4e9ffa08"
    assert (again.new, again.changed) == (0, 0)
    assert Query.objects.filter(text=TEXT).count() == 1
    for format in ("qrels", "letor"):
        assert f"{ID} " in written(judgment_list, format) or "alone" in name or "without" in name


def test_a_text_whose_query_was_reworded_here_finds_the_query_that_was_made_of_it():
    judgment_list = make.make_list(make.make_query_set())
    content = json.dumps(BY_TEXT["opensearch"])
    bring_in(judgment_list, content)
    Query.objects.update(text="Red shoes")

    result, _ = bring_in(judgment_list, content, create_missing=False)

    assert (result.unchanged, Query.objects.get().text) == (1, "Red shoes")


@pytest.mark.parametrize(
    "content",
    [
        "query,document,grade\nq1,d,1\n",
        "query_id,query,document,grade\nq1,some text,d,1\n",
        '{"q1": {"d": 1}}',
        '{"requests": [{"id": "q1", "params": {"query": "some text"}, "ratings": [{"_id": "d", "rating": 1}]}]}',
    ],
)
def test_an_id_of_the_file_is_the_id_of_its_query(content):
    bring_in(make.make_list(make.make_query_set()), content)

    assert Query.objects.get().external_id == "q1"


def test_what_is_kept_of_a_query_without_ratings_finds_a_query_of_another_id():
    query_set = make.make_query_set()
    known = make.make_query(query_set, "q1", text=TEXT)
    judgment_list = make.make_list(query_set)

    bring_in(judgment_list, json.dumps(BY_TEXT["a case's query without ratings"]))

    assert KeptFields.objects.get(query=known).fields == {"notes": "n"}
