"""Queries and documents as they are looked for: what is found, in which order, and by which index."""

import json

import pytest
from django.db import connection
from django.db.models import CharField, Func

from judgments.base.sql.searching import by_bitmaps
from judgments.content.reports import search as reports
from judgments.content.reports.search import COUNTED, PER_PAGE, Criteria, find, matching_rows
from judgments.models import Document, Query
from tests import factories as make

pytestmark = pytest.mark.django_db
MANY = 10_000


def ids(model, query_set, **criteria):
    return [row.external_id for row in find(model, query_set, Criteria(**criteria)).rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two tent", ["a", "c"]),
        ("TWO-MAN", ["a"]),
        ("two ma", ["a", "c"]),
        ("tw tent", []),
        ('"man tent"', ["a"]),
        ("tent -man", ["b"]),
        ("-tent", ["x-1"]),
        ("a", ["a", "c"]),
        ("A", ["c"]),
        ("x-", ["x-1"]),
        ("X-", []),
        ("x-1%", []),
        ("warm", ["x-1"]),
        ("zzz", []),
        ("!!!", []),
        ("&", []),
    ],
)
def test_queries_are_found_by_every_word_the_beginning_of_the_last_or_the_beginning_of_their_id(
    query_set, text, expected
):
    make.make_query(query_set, "a", text="Two-man tent")
    make.make_query(query_set, "b", text="tent for kids")
    make.make_query(query_set, "c", text="tent, two of them", information_need="For a man")
    make.make_query(query_set, "x-1", text="Sleeping bag", information_need="Something warm")
    make.make_query(make.make_query_set(), "a", text="two man tent")

    assert ids(Query, query_set, text=text) == expected


def test_documents_are_found_by_title_and_body(query_set):
    make.make_document(query_set, "a", title="Tent", body="For two. Waterproof.")
    make.make_document(query_set, "b", title="Tent", body="For one.")

    assert ids(Document, query_set, text="tent water") == ["a"]
    assert ids(Document, query_set, text="tent") == ["a", "b"]


def test_queries_are_narrowed_by_tag_list_and_what_has_no_grade(query_set):
    first, second = make.make_list(query_set), make.make_list(query_set)
    document = make.make_document(query_set)
    queries = [make.make_query(query_set, name, tags=["x", name]) for name in "abc"]
    for query in queries[:2]:
        make.make_consensus(make.make_pair(first, query, document), 1)
    first.list_queries.filter(query=queries[0]).update(graded_count=1)
    make.make_pair(second, queries[0], document)

    assert ids(Query, query_set, tags=["b"]) == ["b"]
    assert ids(Query, query_set, tags=["x", "c"]) == ["c"]
    assert ids(Query, query_set, in_list=str(first.pk)) == ["a", "b"]
    assert ids(Query, query_set, in_list="none") == ["c"]
    assert ids(Query, query_set, unjudged=True) == ["b", "c"]
    assert ids(Query, query_set, unjudged=True, in_list=str(second.pk)) == ["a"]
    assert ids(Query, query_set, in_list="nonsense", sort="nonsense") == ["a", "b", "c"]
    assert ids(Query, query_set, in_list="9" * 30) == ["a", "b", "c"]


def test_documents_are_narrowed_by_list_and_what_has_no_grade(query_set):
    first, second = make.make_list(query_set), make.make_list(query_set)
    query = make.make_query(query_set)
    graded, cannot, outside = (make.make_document(query_set, name) for name in "abc")
    make.make_consensus(make.make_pair(first, query, graded), 1)
    make.make_consensus(make.make_pair(first, query, cannot), None)
    make.make_pair(second, query, graded)

    assert ids(Document, query_set, in_list=str(first.pk)) == ["a", "b"]
    assert ids(Document, query_set, in_list="none") == [outside.external_id]
    assert ids(Document, query_set, unjudged=True) == ["b", "c"]
    assert ids(Document, query_set, unjudged=True, in_list=str(second.pk)) == ["a"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("", "cab"), ("id", "abc"), ("text", "bca"), ("weight", "acb")],
)
def test_queries_come_in_the_order_that_is_asked_for(query_set, sort, expected):
    make.make_query(query_set, "c", text="m", weight=2)
    make.make_query(query_set, "a", text="Z", weight=3)
    make.make_query(query_set, "b", text="B", weight=1)

    assert "".join(ids(Query, query_set, sort=sort)) == expected


@pytest.mark.parametrize(
    ("model", "sort"), [(Query, "id"), (Query, "text"), (Document, "id"), (Document, "text")]
)
def test_texts_are_in_one_order_here_and_in_every_database(query_set, model, sort):
    make.make_query(query_set)
    make.make_document(query_set)
    by = reports.SORTS[model][sort].by
    collation = Func(by, function="pg_collation_for", output_field=CharField())

    assert set(model.objects.filter(query_set=query_set).values_list(collation)) == {('"C"',)}


def there_and_back(query_set, criteria):
    """All pages from the first to the last, and those that lead back from it."""
    pages = [find(Query, query_set, criteria)]
    while pages[-1].later:
        pages.append(find(Query, query_set, criteria, after=pages[-1].later))
    back = [pages[-1]]
    while back[-1].earlier:
        back.append(find(Query, query_set, criteria, before=back[-1].earlier))
    return pages, back


@pytest.mark.parametrize("sort", ["", "id", "text", "weight"])
@pytest.mark.parametrize("text", ["", "same"])
def test_pages_lead_on_and_back_without_losing_or_doubling_a_query(query_set, sort, text):
    count = 2 * PER_PAGE + 7
    Query.objects.bulk_create(
        Query(query_set=query_set, external_id=f"{nth % 10}-{nth}", text=f"same {nth % 4}", weight=nth % 3)
        for nth in range(count)
    )
    criteria = Criteria(text=text, sort=sort)

    pages, back = there_and_back(query_set, criteria)

    seen = [row.pk for page in pages for row in page.rows]
    assert len(seen) == len(set(seen)) == count == pages[0].count
    assert [len(page.rows) for page in pages] == [PER_PAGE, PER_PAGE, 7]
    assert pages[0].earlier is None
    assert [[row.pk for row in page.rows] for page in reversed(back)] == [
        [row.pk for row in page.rows] for page in pages
    ]


@pytest.mark.parametrize("sort", ["", "id", "text", "weight"])
@pytest.mark.parametrize("text", ["same", '"same word"'])
def test_pages_of_more_than_are_counted_lead_on_and_back_as_well(query_set, monkeypatch, sort, text):
    monkeypatch.setattr(reports, "COUNTED", PER_PAGE + 10)
    monkeypatch.setattr(reports, "COUNTED_PHRASES", PER_PAGE + 5)
    count = 2 * PER_PAGE + 7
    names = [f"{'same' if nth % 7 == 0 else nth % 10}-{nth}" for nth in range(count)]
    queries = Query.objects.bulk_create(
        Query(query_set=query_set, external_id=name, text=f"{nth % 4} same word", weight=nth % 3)
        for nth, name in enumerate(names)
    )
    make.make_query(query_set, text="word same")
    keys = {
        "": lambda one: one.pk,
        "id": lambda one: one.external_id,
        "text": lambda one: one.text,
        "weight": lambda one: -one.weight,
    }
    expected = [one.pk for one in sorted(queries, key=lambda one: (keys[sort](one), one.pk))]
    criteria = Criteria(text=f"{text} -other", sort=sort)

    pages, back = there_and_back(query_set, criteria)

    assert (pages[0].count, pages[0].most) == (None, PER_PAGE + (10 if text == "same" else 5))
    seen = [row.pk for page in pages for row in page.rows]
    assert [one for one in seen if one in set(expected)] == expected
    assert len(seen) == len(set(seen)) == count + (text == "same")
    assert [row.pk for page in reversed(back) for row in page.rows] == seen


def test_a_query_that_is_found_by_words_and_by_its_id_counts_once(query_set):
    make.make_query(query_set, "tent-1", text="tent")
    make.make_query(query_set, "tent-2", text="shoe")
    make.make_query(make.make_query_set(), "tent-3", text="tent")

    page = find(Query, query_set, Criteria(text="tent"))

    assert ([row.external_id for row in page.rows], page.count) == (["tent-1", "tent-2"], 2)


def test_a_place_that_has_gone_is_the_first_page(query_set):
    query = make.make_query(query_set)

    page = find(Query, query_set, Criteria(), after=query.pk + 1)

    assert page.rows == [query]
    assert (page.earlier, page.later) == (None, None)


def test_the_commonest_tags_are_counted(query_set):
    make.make_query(query_set, tags=["b", "a"])
    make.make_query(query_set, tags=["b"])

    assert reports.tags_of(query_set) == [("b", 2), ("a", 1)]


@pytest.fixture(scope="module")
def crowd(migrated, django_db_blocker):
    """A query set with many queries and documents among those of others, and statistics that know them."""
    with django_db_blocker.unblock():
        query_sets = [make.make_query_set() for _ in range(2)]
        for query_set in query_sets:
            Document.objects.bulk_create(
                Document(
                    query_set=query_set,
                    external_id=f"d{nth}",
                    title=f"title {nth}",
                    body=f"common rare{nth % 5000}",
                )
                for nth in range(MANY)
            )
            Query.objects.bulk_create(
                Query(query_set=query_set, external_id=f"q{nth}", text=f"common rare{nth % 5000}")
                for nth in range(MANY)
            )
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        yield query_sets[0]
        migrated.restore()


def scans(rows):
    def below(plan):
        yield plan["Node Type"], plan.get("Index Name", plan.get("Relation Name"))
        for one in plan.get("Plans", []):
            yield from below(one)

    (plan,) = json.loads(rows.explain(format="json"))
    return list(below(plan["Plan"]))


@pytest.mark.parametrize(("model", "index"), [(Query, "query_search"), (Document, "document_search")])
@pytest.mark.parametrize(
    "text", ["rare77", "common rare12", '"common rare4"', "rare12 -tent", "common", "q77"]
)
def test_words_and_ids_are_looked_up_in_their_indexes(crowd, model, index, text):
    with by_bitmaps():
        plan = scans(matching_rows(model, crowd, Criteria(text=text)).values_list("pk")[: COUNTED + 1])

    assert ("Bitmap Index Scan", index) in plan
    assert [scan for scan in plan if scan[0] == "Seq Scan"] == []


def test_what_many_have_is_not_counted_to_its_end_and_every_page_of_it_can_be_reached(crowd):
    first = find(Document, crowd, Criteria(text="common"))
    second = find(Document, crowd, Criteria(text="common"), after=first.later)

    assert scans(Document.objects.filter(pk=first.rows[0].pk).order_by())[0][0] == "Index Scan"
    assert first.count is None
    assert len(first.rows) == PER_PAGE
    assert second.rows[0].pk > first.rows[-1].pk
