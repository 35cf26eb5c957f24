"""What files of other tools hold comes back from an export in the same format, field by field."""

import json

import pytest

from judgments.files.reports.exports import export
from judgments.files.reports.imports import Choices
from judgments.files.reports.uploads import read_source
from judgments.lists.actions.copying import Parts, copy_query_set
from judgments.lists.actions.versions import freeze_version
from judgments.models import Document, KeptFields, Purpose, Query
from tests import factories as make
from tests.judgments.files.actions.test_import_grades import bring_in, make_scale
from tests.shared_data import shared_data
from touchstone_core.formats.judgments.judgment_files import WRITABLE

pytestmark = pytest.mark.django_db


def written(judgment_list, format):
    return b"".join(export(judgment_list, WRITABLE[format], at=make.NOW).content).decode()


def there_and_back(content, format, *values, documents=False):
    """What an export gives of a file that was imported into a list on a scale of these grades."""
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make_scale(query_set, *values), overlap=3)
    _, report = bring_in(judgment_list, content, name="file.json", documents=documents)
    assert report.ok
    return json.loads(written(judgment_list, format))


def by(key, rows):
    return {tuple(row[name] for name in key): row for row in rows}


def real(folder, name):
    return (shared_data(folder) / name).read_bytes()


def plain_judgments(pair):
    """The judgments of a pair, which have no order, and its fields as the object that they are the text of."""
    fields = pair["document_fields"]
    return pair | {
        "document_fields": (type(fields), json.loads(fields) if isinstance(fields, str) else fields),
        "judgements": sorted(pair["judgements"], key=lambda one: json.dumps(one, sort_keys=True)),
    }


def test_a_real_book_comes_back_field_by_field():
    content = real("quepid_haystack", "haystack_rating_party_book.pseudonymised.json")
    book = json.loads(content)

    found = there_and_back(content, "quepid-book", 0, 1, 2, 3, documents=True)

    pairs, back = (by(("query_text", "doc_id"), one.pop("query_doc_pairs")) for one in (book, found))
    assert pairs.keys() == back.keys()
    assert [(key, plain_judgments(one), plain_judgments(back[key])) for key, one in pairs.items()] == [
        (key, plain_judgments(one), plain_judgments(one)) for key, one in pairs.items()
    ]
    assert found.items() >= book.items()
    assert found.keys() - book.keys() == {"scale", "scale_with_labels"}


def test_a_real_case_comes_back_field_by_field_but_for_credentials():
    content = json.loads(real("quepid_haystack", "haystack_rating_party_case.pseudonymised.json"))
    content["queries"].append({"query_text": "no ratings", "notes": "n", "options": {"a": 1}, "ratings": []})
    content["try"]["search_endpoint"]["basic_auth_credential"] = "user:secret"

    found = there_and_back(json.dumps(content), "quepid-case", 0, 1, 2, 3)

    assert "secret" not in json.dumps(found)
    content["try"]["search_endpoint"]["basic_auth_credential"] = None
    queries, back = (by(("query_text",), one.pop("queries")) for one in (content, found))
    for one in (*queries.values(), *back.values()):
        one["ratings"].sort(key=json.dumps)
    assert back == queries
    assert found == content


BOOK = {
    "name": "B",
    "scale": [0, 1],
    "scale_with_labels": {"0": "no", "1": "yes"},
    "query_doc_pairs": [
        {
            "query_text": "q",
            "doc_id": "d1",
            "position": 2,
            "information_need": "old",
            "notes": "n",
            "options": {"a": [1]},
            "document_fields": {"price": 12.50, "image": " x ", "none": None, "cast": ["a"], "title": "T"},
            "judgements": [
                {"rating": None, "unrateable": False, "judge_later": True, "user_email": "later@b.c"},
                {"rating": 1.0, "unrateable": False, "judge_later": False, "user_email": "a@b.c"},
                {
                    "rating": None,
                    "unrateable": True,
                    "judge_later": False,
                    "user_email": "z@b.c",
                    "explanation": "[cannot judge: language] Greek",
                },
            ],
        },
        {"query_text": "q", "doc_id": "d2", "position": None, "document_fields": "{}", "judgements": []},
    ],
}


@pytest.fixture
def book_list():
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make_scale(query_set, 0, 1), overlap=3)
    bring_in(judgment_list, json.dumps(BOOK), name="book.json", documents=True)
    return judgment_list


def pair_of(judgment_list, document="d1"):
    pairs = json.loads(written(judgment_list, "quepid-book"))["query_doc_pairs"]
    return next(one for one in pairs if one["doc_id"] == document)


def test_a_book_keeps_who_put_a_pair_off_and_values_that_are_no_texts(book_list):
    back = pair_of(book_list)

    expected = BOOK["query_doc_pairs"][0]
    assert plain_judgments(back) == plain_judgments(expected)
    assert book_list.judgments.get(reason="language").comment == "Greek"
    assert "reason" not in json.dumps(back)
    assert pair_of(book_list, "d2") == BOOK["query_doc_pairs"][1]


def test_what_was_changed_since_is_written_as_it_is_now(book_list):
    assert Query.objects.get().information_need == "old"
    Query.objects.update(information_need="new")
    document = Document.objects.get(external_id="d1")
    document.title, document.fields = "New", document.fields | {"price": "13"}
    document.save()

    back = pair_of(book_list)

    assert back["information_need"] == "new"
    assert pair_of(book_list, "d2")["information_need"] == "new"
    assert (back["document_fields"]["title"], back["document_fields"]["price"]) == ("New", "13")


def test_a_file_again_changes_what_is_kept_and_a_copy_has_it_too(book_list):
    changed = json.loads(json.dumps(BOOK))
    changed["query_doc_pairs"][0]["position"] = 7
    bring_in(book_list, json.dumps(changed), name="book.json")
    kept = KeptFields.objects.count()

    assert pair_of(book_list)["position"] == 7
    parts = Parts(lists=True, judgments=True)
    made, _ = copy_query_set(query_set=book_list.query_set, name="Copy", user=make.make_user(), parts=parts)
    copied = made.judgment_lists.get()
    assert KeptFields.objects.count() == 2 * kept
    assert plain_judgments(pair_of(copied)) == plain_judgments(changed["query_doc_pairs"][0])


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, 0),
        ({"position": 7}, 1),
        ({"position": None, "notes": None, "options": None}, 1),
        ({"judgements": []}, 1),  # the rater who put the pair off is gone
    ],
)
def test_other_fields_that_differ_are_counted_before_and_by_the_import(book_list, change, kept):
    again = json.loads(json.dumps(BOOK))
    again["query_doc_pairs"][0] |= change
    reading = read(book_list, again)

    result, _ = bring_in(book_list, json.dumps(again), name="book.json", documents=True)

    assert reading.result == result
    assert (result.changed, result.kept_fields) == (0, kept)
    assert bring_in(book_list, json.dumps(again), name="book.json")[0].kept_fields == 0


def test_fields_of_the_file_and_of_its_documents_are_counted_too(book_list):
    again = json.loads(json.dumps(BOOK)) | {"name": "Other"}
    again["query_doc_pairs"][0]["document_fields"]["cast"] = ["b"]

    assert read(book_list, again).result.kept_fields == 2


def test_fields_of_documents_that_come_with_them_are_no_change_to_others(book_list):
    again = json.loads(json.dumps(BOOK))
    fields = {"title": "New", "cast": ["b"]}
    again["query_doc_pairs"].append(
        {"query_text": "q", "doc_id": "d3", "document_fields": fields, "judgements": []}
    )
    reading = read(book_list, again)

    result, _ = bring_in(book_list, json.dumps(again), name="book.json", documents=True)

    assert reading.result == result
    assert (result.pairs, result.documents, result.kept_fields) == (1, 1, 0)


@pytest.mark.parametrize("ratings", [[], [{"docId": "d", "rating": "1.000"}]])
def test_fields_of_queries_are_counted_with_and_without_documents(ratings):
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make_scale(query_set, 0, 1))
    one = {"query": "q", "note": 1, "ratings": ratings}
    bring_in(judgment_list, json.dumps({"judgmentRatings": [one]}), name="o.json")

    again = read(judgment_list, {"judgmentRatings": [one | {"note": 2}]})

    assert again.result.kept_fields == 1


def test_an_information_need_that_stays_is_a_warning(book_list):
    again = json.loads(json.dumps(BOOK))
    again["query_doc_pairs"][0]["information_need"] = "another"

    warnings = list(read(book_list, again).report.warnings.sentences())

    assert len(warnings) == 1
    assert "“another”" in warnings[0]
    assert "stays as it is" in warnings[0]
    assert not read(book_list, BOOK).report.warnings.counts


UNRATED = {
    "opensearch": {
        "name": "n",
        "description": "",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [
            {"query": "a", "ratings": [{"docId": "d", "rating": "1.000"}]},
            {"query": "b", "ratings": []},
            {"query": "c", "note": 1, "ratings": []},
        ],
    },
    "rank-eval": {
        "metric": {"dcg": {"k": 5}},
        "requests": [
            {"id": "q1", "request": {}, "ratings": [{"_index": "i", "_id": "d", "rating": 1}]},
            {"id": "q2", "params": {"query": "b"}, "ratings": []},
        ],
    },
    "rre": {
        "index": "i",
        "queries": [
            {"placeholders": {"$query": "a"}, "relevant_documents": {"d1": {"gain": 1, "note": "kept"}, "d2": {"gain": 0}}},
            {"placeholders": {"$query": "b"}, "relevant_documents": {}},
        ],
    },
    "quepid-case": {
        "case_name": "c",
        "queries": [{"query_text": "a", "notes": "n", "ratings": [{"doc_id": "d", "rating": 1}]}, {"query_text": "b", "ratings": []}],
    },
}  # fmt: skip


@pytest.mark.parametrize("format", UNRATED)
def test_queries_without_ratings_and_further_fields_of_documents_come_back(format):
    content = UNRATED[format]

    found = there_and_back(json.dumps(content), format, 0, 1)

    for query in found["queries"] if format == "quepid-case" else ():
        for rating in query["ratings"]:
            assert rating.pop("user_email") == "file"
    assert found == content
    assert Query.objects.filter(text="b").exists()


def test_a_version_has_the_queries_without_ratings_too():
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make_scale(query_set, 0, 1))
    bring_in(judgment_list, json.dumps(UNRATED["opensearch"]), name="o.json")
    version = freeze_version(judgment_list=judgment_list, user=make.make_user(), at=make.NOW)

    content = export(judgment_list, WRITABLE["opensearch"], at=make.NOW, version=version).content

    assert json.loads(b"".join(content)) == UNRATED["opensearch"]


def read(judgment_list, content):
    return read_source(
        source=json.dumps(content).encode(),
        file_name="book.json",
        purpose=Purpose.JUDGMENTS,
        target=judgment_list,
        choices=Choices(create_missing=True, documents="query_doc_pairs" in content),
        limit=10**6,
    )


@pytest.mark.parametrize(
    ("folder", "name", "values"),
    [
        ("esci_opensearch", "esci_us_judgments.json", (0, 1, 10, 100)),
        ("chorus_ratings", "opensearch_edition_art_judgments.json", (0, 1, 2, 3)),
    ],
)
def test_real_judgments_of_opensearch_come_back_to_the_letter(folder, name, values):
    content = json.loads(real(folder, name))
    content["judgmentRatings"][0]["note"] = {"a": 1}
    content["judgmentRatings"][0]["ratings"][0]["by"] = "me"

    found = there_and_back(json.dumps(content), "opensearch", *values)

    for one in (*content["judgmentRatings"], *found["judgmentRatings"]):
        one["ratings"].sort(key=lambda rating: rating["docId"])
    assert by(["query"], found.pop("judgmentRatings")) == by(["query"], content.pop("judgmentRatings"))
    assert found == content


def plain_rre(node, inherited=None):
    """A node of an RRE file with the documents of groups at each of their queries."""
    documents = node.get("relevant_documents", inherited)
    inner = [name for name in ("topics", "query_groups", "queries") if name in node]
    found = {name: value for name, value in node.items() if name != "relevant_documents"}
    if not inner:
        gains = {
            gain: sorted(value) if isinstance(value, list) else value for gain, value in documents.items()
        }
        return found | {"relevant_documents": gains}
    return found | {name: [plain_rre(one, documents) for one in node[name]] for name in inner}


def real_rre():
    folders = [shared_data("rre"), shared_data("chorus_ratings")]
    return [path for folder in folders for path in sorted(folder.glob("*rre*.json"))]


def test_real_ratings_of_rre_come_back_with_topics_groups_and_templates():
    files = real_rre()
    assert len(files) > 6
    for path in files:
        content = json.loads(path.read_bytes())

        found = there_and_back(path.read_bytes(), "rre", 0, 1, 2, 3)

        assert found == plain_rre(content), path.name


def test_requests_of_rank_eval_come_back():
    content = {
        "templates": [{"id": "t", "template": {"source": {"query": {"match": {"title": "{{q}}"}}}}}],
        "metric": {"precision": {"k": 5}},
        "max_concurrent_searches": 3,
        "requests": [
            {
                "id": "q1",
                "template_id": "t",
                "params": {"q": "berlin"},
                "ratings": [{"_index": "hotels", "_id": "a", "rating": 1}],
            },
            {
                "id": "q2",
                "request": {"query": {"match_all": {}}},
                "ratings": [{"_index": "flats", "_id": "a", "rating": 0}],
            },
        ],
    }

    assert there_and_back(json.dumps(content), "rank-eval", 0, 1) == content


def test_iterations_of_qrels_come_back_but_for_those_that_are_0_as_everybody_writes_them():
    judgment_list = make.make_list(make.make_query_set())
    content = "1 4.5 d1 2\n1 0 d2 0\n1 Q0 d3 1\n"

    bring_in(judgment_list, content)

    assert written(judgment_list, "qrels") == content
    assert KeptFields.objects.count() == 2


@pytest.mark.parametrize("last", ["2", "0"])
def test_an_iteration_comes_back_as_the_last_file_has_it(last):
    judgment_list = make.make_list(make.make_query_set())
    bring_in(judgment_list, "1 1 d1 2\n1 1 d2 2\n")

    bring_in(judgment_list, f"1 {last} d1 2\n")

    assert written(judgment_list, "qrels") == f"1 {last} d1 2\n1 1 d2 2\n"
