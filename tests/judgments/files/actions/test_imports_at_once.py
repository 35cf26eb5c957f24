"""Files that name the same new queries, documents and raters, brought into one query set at once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction

from judgments.content.actions.content import add_document, add_query
from judgments.files.actions.imports import (
    ImportedMeanwhileError,
    import_documents,
    import_judgments,
    import_queries,
)
from judgments.files.actions.uploads import apply_upload, keep_upload
from judgments.files.reports.imports import Choices, OpenedFile, last_import
from judgments.files.reports.judgment_imports import Terms
from judgments.models import Document, Judgment, JudgmentList, Purpose, Query, QuerySet, Rater, Upload
from tests import factories as make
from tests.judgments.working import somebody_is_held_up, somebody_waits, until
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("a", "b", "c")


def bring_judgments(list_id, names=NAMES):
    """A file without a text: each name is a query, a document and a rater."""
    records = [
        JudgmentRecord(line, f"query {name}", f"document {name}", "2", 2.0, rater=f"rater {name}")
        for line, name in enumerate(names, 1)
    ]
    import_judgments(
        judgment_list=JudgmentList.objects.get(pk=list_id),
        file=OpenedFile(records),
        at=make.NOW,
        terms=Terms(create_missing=True),
    )


def bring_content(query_set_id):
    query_set = QuerySet.objects.get(pk=query_set_id)
    with transaction.atomic():
        import_queries(query_set=query_set, records=[QueryRecord(1, f"query {one}", one) for one in NAMES])
    with transaction.atomic():
        import_documents(
            query_set=query_set, records=[DocumentRecord(1, f"document {one}", one) for one in NAMES]
        )


def beside(work, *given):
    """What does the work on a connection of its own; its `result` raises what the work has raised."""

    def alone():
        try:
            work(*given)
        finally:
            connection.close()

    pool = ThreadPoolExecutor(1)
    doing = pool.submit(alone)
    pool.shutdown(wait=False)
    return doing


def ids(model, query_set):
    return sorted(model.objects.filter(query_set=query_set).values_list("external_id", flat=True))


def assert_each_once(query_set):
    assert ids(Query, query_set) == [f"query {name}" for name in NAMES]
    assert ids(Document, query_set) == [f"document {name}" for name in NAMES]


def test_a_second_file_takes_what_the_first_has_made_in_whatever_order_it_names_it():
    query_set = make.make_query_set()
    first, second = make.make_list(query_set), make.make_list(query_set)

    with transaction.atomic():
        bring_judgments(first.pk)
        doing = beside(bring_judgments, second.pk, NAMES[::-1])
        until(lambda: somebody_is_held_up() or doing.done())
    doing.result()

    assert_each_once(query_set)
    assert sorted(Rater.objects.filter(query_set=query_set).values_list("name", flat=True)) == [
        f"rater {name}" for name in NAMES
    ]
    for judgment_list in (first, second):
        assert Judgment.objects.filter(judgment_list=judgment_list, rater__name="rater a").count() == 1
        assert Judgment.objects.filter(judgment_list=judgment_list).count() == 3


def test_queries_and_documents_of_a_file_wait_for_those_that_judgments_make():
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set)

    with transaction.atomic():
        bring_judgments(judgment_list.pk)
        doing = beside(bring_content, query_set.pk)
        until(lambda: somebody_is_held_up() or doing.done())
        assert somebody_waits()  # and for no row: it holds none yet that the others may want
    doing.result()

    assert_each_once(query_set)
    assert set(Query.objects.filter(query_set=query_set).values_list("text", flat=True)) == set(NAMES)


def test_a_file_takes_the_query_and_the_document_that_somebody_adds_at_this_moment():
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set)

    with transaction.atomic():
        add_query(query_set=query_set, external_id="query b", text="by hand")
        add_document(query_set=query_set, external_id="document b", title="by hand")
        doing = beside(bring_judgments, judgment_list.pk)
        until(lambda: somebody_is_held_up() or doing.done())
    doing.result()

    assert_each_once(query_set)
    assert Query.objects.get(query_set=query_set, text="by hand").pairs.count() == 1
    assert Document.objects.get(query_set=query_set, title="by hand").external_id == "document b"
    assert Judgment.objects.filter(judgment_list=judgment_list).count() == 3


def test_a_file_takes_the_rater_who_opens_a_list_for_the_first_time_at_this_moment():
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set)
    user = make.make_member(query_set, "rater", username="rater b")

    with transaction.atomic():
        rater = make.make_rater(query_set, user)
        doing = beside(bring_judgments, judgment_list.pk)
        until(lambda: somebody_is_held_up() or doing.done())
    doing.result()

    assert Judgment.objects.filter(judgment_list=judgment_list, rater=rater).count() == 1
    assert Rater.objects.filter(query_set=query_set).count() == 3


FILES = {
    Purpose.QUERIES: b"query_id,query\nq1,zoo\n",
    Purpose.DOCUMENTS: b"document_id,title\nd1,Zoo\n",
    Purpose.JUDGMENTS: b"q1 0 d1 2\n",
}


@pytest.mark.parametrize("purpose", FILES)
@pytest.mark.parametrize("first", FILES)
def test_a_preview_that_both_of_two_imports_were_confirmed_on_is_good_for_the_first_only(first, purpose):
    query_set = make.make_query_set()
    user = make.make_member(query_set, "admin")
    choices = Choices(create_missing=True)

    def kept(purpose):
        judgment_list = make.make_list(query_set) if purpose == Purpose.JUDGMENTS else None
        file = SimpleUploadedFile("file.txt", FILES[purpose])
        return keep_upload(
            query_set=query_set, user=user, purpose=purpose, file=file, judgment_list=judgment_list
        )

    uploads = [kept(first), kept(purpose)]
    seen = last_import(query_set.pk)

    def confirm(upload):
        return apply_upload(upload=upload, choices=choices, at=make.NOW, latest_import=seen)

    with transaction.atomic():
        confirm(uploads[0])
        doing = beside(confirm, uploads[1])
        until(lambda: somebody_is_held_up() or doing.done())
    with pytest.raises(ImportedMeanwhileError):
        doing.result()

    assert list(Upload.objects.exclude(applied_at=None)) == [uploads[0]]
    again = apply_upload(
        upload=uploads[1], choices=choices, at=make.NOW, latest_import=last_import(query_set.pk)
    )
    assert again.total == 1


def test_documents_that_a_file_of_judgments_brings_are_no_other_import():
    query_set = make.make_query_set()
    book = b'{"query_doc_pairs": [{"query_text": "q", "doc_id": "d", "document_fields": {"title": "t"}}]}'
    upload = keep_upload(
        query_set=query_set,
        user=make.make_member(query_set, "admin"),
        purpose=Purpose.JUDGMENTS,
        file=SimpleUploadedFile("book.json", book),
        judgment_list=make.make_list(query_set),
    )
    choices = Choices(create_missing=True, documents=True)

    result = apply_upload(
        upload=upload, choices=choices, at=make.NOW, latest_import=last_import(query_set.pk)
    )

    assert (result.pairs, result.documents) == (1, 1)
