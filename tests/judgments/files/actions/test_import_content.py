"""Queries and documents from files to rows."""

import csv

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.files.actions.imports import import_documents, import_queries
from judgments.files.reports.imports import Choices, ImportResult, file_columns, read_file
from judgments.models import Act, Document, Purpose, Query
from tests import factories as make
from tests.shared_data import shared_data
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord, id_of_text
from touchstone_core.formats.judgments.qrels import looks_like_qrels
from touchstone_core.formats.text import Text

pytestmark = pytest.mark.django_db


def read(path, purpose, **choices):
    with path.open("rb") as file:
        return read_file(file, name=path.name, purpose=purpose, choices=Choices(**choices), limit=10**8)


def test_queries_are_added_then_changed_by_their_external_id():
    query_set = make.make_query_set()
    first = [QueryRecord(2, "q1", "zoo"), QueryRecord(3, "q2", "lion", "The animal", 2.5, ("cats",))]
    import_queries(query_set=query_set, records=first)

    result = import_queries(
        query_set=query_set,
        records=[QueryRecord(2, "q1", "zoolander"), first[1], QueryRecord(4, "q3", "x")],
    )

    assert result == ImportResult(new=1, changed=1, unchanged=1)
    stored = Query.objects.filter(query_set=query_set).values_list(
        "external_id", "text", "information_need", "weight", "tags"
    )
    assert list(stored) == [
        ("q1", "zoolander", "", 1.0, []),
        ("q2", "lion", "The animal", 2.5, ["cats"]),
        ("q3", "x", "", 1.0, []),
    ]


def test_columns_that_a_file_lacks_stay_as_they_are_stored():
    query_set = make.make_query_set()
    make.make_query(query_set, "q1", text="zoo", information_need="The film", weight=3.0, tags=["film"])

    result = import_queries(query_set=query_set, records=[QueryRecord(2, "q1", "zoolander")], columns=())

    assert result == ImportResult(new=0, changed=1, unchanged=0)
    stored = Query.objects.get(query_set=query_set)
    assert (stored.text, stored.information_need, stored.weight, stored.tags) == (
        "zoolander",
        "The film",
        3.0,
        ["film"],
    )


def test_documents_keep_line_breaks_tabs_backslashes_and_html():
    query_set = make.make_query_set()
    body = 'one\ntwo\tthree \\n \\. <b class="x">four</b>\n\n'

    import_documents(
        query_set=query_set, records=[DocumentRecord(2, "d1", "T", body, fields={"brand": 'A "B" \\'})]
    )

    stored = Document.objects.get(query_set=query_set)
    assert stored.body == body
    assert stored.fields == {"brand": 'A "B" \\'}


def test_the_log_keeps_the_beginning_of_a_long_text_and_shows_that_it_ends_there():
    query_set = make.make_query_set()
    same, fields = "x" * 300, {"note": "n" * 301, "short": "a"}
    import_documents(query_set=query_set, records=[DocumentRecord(2, "d1", "T", f"{same}old", fields=fields)])

    changed = DocumentRecord(2, "d1", "T", same, fields=fields | {"note": "n", "short": "b"})
    import_documents(query_set=query_set, records=[changed])

    act = Act.objects.get(query_set=query_set, document__isnull=False)
    assert act.before == {"body": f"{same}…", "fields.note": "n" * 300 + "…", "fields.short": "a"}
    assert act.after == {"body": same, "fields.note": "n", "fields.short": "b"}


def test_another_query_set_with_the_same_ids_is_left_alone():
    other = make.make_document(make.make_query_set(), "d1", title="Mine")

    result = import_documents(query_set=make.make_query_set(), records=[DocumentRecord(2, "d1", "Yours")])

    assert result.new == 1
    other.refresh_from_db()
    assert other.title == "Mine"


def test_the_real_products_arrive_whole():
    folder = shared_data("esci_small")
    query_set = make.make_query_set()

    for name in ("products.csv", "extra_products_in_runs.csv"):
        parsed = read(folder / name, Purpose.DOCUMENTS)
        assert parsed.report.ok
        import_documents(query_set=query_set, records=parsed.records, columns=file_columns(parsed))

    assert Document.objects.filter(query_set=query_set).count() == 1267 + 512
    with (folder / "products.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["asin"]: row for row in csv.DictReader(file)}
    kindle = Document.objects.get(query_set=query_set, external_id="B07CXG6C9W")
    assert kindle.title == rows["B07CXG6C9W"]["title"]
    assert kindle.fields["bullet_points"] == rows["B07CXG6C9W"]["bullet_points"].strip()
    assert "\n" in kindle.fields["bullet_points"]


def test_the_number_of_queries_does_not_grow_with_the_file():
    query_set = make.make_query_set()
    costs = []
    for count in (1, 2, 2000):  # the first makes the table in which the later ones are staged
        records = [DocumentRecord(line, f"d{line}", "T") for line in range(count)]

        with CaptureQueriesContext(connection) as context:
            import_documents(query_set=query_set, records=records)

        costs.append(len(context))

    assert costs[1] == costs[2] <= 15


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("x" * 61, "should be tags of at most 60 characters"),
        (";".join(map(str, range(101))), "101 tags. There should be 100 tags at most"),
    ],
)
def test_tags_that_are_too_long_or_too_many_are_told_by_line(tmp_path, tags, expected):
    path = tmp_path / "q.csv"
    path.write_text(f"query_id,query,tags\nq1,zoo,{tags}\nq2,lion,{';'.join(map(str, range(100)))}\n")

    parsed = read(path, Purpose.QUERIES)

    assert [record.query_id for record in parsed.records] == ["q2"]
    assert expected in parsed.report.errors.first[0].sentence


@pytest.mark.parametrize(
    ("text", "qrels"),
    [
        ("q1 0 d1 2\n", True),
        ("# said\n\nq1\t0\td1\t-1\n", True),
        ("query document grade rater\n", False),
        ("query,document,grade\nq1,d1,2\n", False),
        ("# only words\n", False),
    ],
)
def test_qrels_are_told_from_tables_by_their_first_line(text, qrels):
    assert looks_like_qrels(Text("x", text, "utf-8")) is qrels


def test_queries_without_ids_are_found_by_their_text(tmp_path):
    query_set = make.make_query_set()
    known = make.make_query(query_set, "q1", text="red shoes")
    for place in range(2):
        make.make_query(query_set, f"twice-{place}", text="boots")
    file = tmp_path / "needs.csv"
    file.write_text("query,information_need\nred shoes,Wants to buy\nsandals,For the beach\nboots,\n")
    records = read(file, Purpose.QUERIES).records

    first = import_queries(query_set=query_set, records=records, columns={"query", "information_need"})
    again = import_queries(query_set=query_set, records=records, columns={"query", "information_need"})

    assert (first, again) == (ImportResult(2, 1, 0), ImportResult(0, 0, 3))
    known.refresh_from_db()
    assert (known.external_id, known.information_need) == ("q1", "Wants to buy")
    made = Query.objects.get(query_set=query_set, text="sandals")
    assert made.external_id.startswith("sandals-")


def test_an_id_that_was_made_from_an_earlier_text_is_taken_once():
    """What was “old” is “new” since, and the file has both."""
    query_set = make.make_query_set()
    records = [
        QueryRecord(place, id_of_text(text), text, by_text=True) for place, text in enumerate(["old", "new"])
    ]
    make.make_query(query_set, records[0].query_id, text="new")

    import_queries(query_set=query_set, records=records, columns={"query"})

    stored = Query.objects.filter(query_set=query_set).values_list("external_id", "text")
    assert set(stored) == {(one.query_id, one.query) for one in records}
