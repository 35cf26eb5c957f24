"""Single queries and documents: added, changed, deleted, tagged; what the log says of it and what becomes stale."""

import pytest

from judgments.base.errors import ArchivedError, ChangedSinceError
from judgments.base.names import NameTakenError
from judgments.content.actions import content
from judgments.content.reports.content import mark_of
from judgments.files.actions.imports import import_documents, import_queries
from judgments.judging.actions import queue
from judgments.judging.reports.judging import card
from judgments.lists.actions.pairs import add_pairs
from judgments.log.actions import acting
from judgments.models import Act, Document, Query
from tests import factories as make
from tests.judgments.judging.actions.scene import NOW
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord

pytestmark = pytest.mark.django_db


def told(**about):
    return list(Act.objects.filter(**about).order_by("pk").values_list("verb", "before", "after", "note"))


def change(query, **values):
    same = {name: getattr(query, name) for name in ("text", "information_need", "weight", "tags")}
    return content.change_query(**{"query": query, "seen_mark": mark_of(query)} | same | values)


def change_document(document, **values):
    same = {name: getattr(document, name) for name in ("title", "body", "url", "image", "fields")}
    return content.change_document(**{"document": document, "seen_mark": mark_of(document)} | same | values)


def test_a_query_is_added_once(query_set):
    made = content.add_query(query_set=query_set, external_id="q1", text="tent", tags=["camp"])

    with pytest.raises(NameTakenError):
        content.add_query(query_set=query_set, external_id="q1", text="other")

    assert told(query=made) == [("created", {}, {"text": "tent", "weight": 1.0, "tags": ["camp"]}, "")]


def test_a_document_is_added_once(query_set):
    made = content.add_document(query_set=query_set, external_id="d1", title="Tent", fields={"brand": "A"})

    with pytest.raises(NameTakenError):
        content.add_document(query_set=query_set, external_id="d1", title="Other")

    assert told(document=made) == [("created", {}, {"title": "Tent", "fields.brand": "A"}, "")]


def test_the_log_keeps_what_differs_and_who_did_it(query_set):
    query = make.make_query(query_set, text="tent", tags=["a"])
    user = make.make_user("ada")

    with acting(user):
        change(query, text="tents", tags=["a", "b"])

    act = Act.objects.get(query=query)
    assert (act.before, act.after) == ({"text": "tent", "tags": ["a"]}, {"text": "tents", "tags": ["a", "b"]})
    assert (act.by, act.query_set, act.subject) == (user, query_set, f"query {query.external_id}")


def test_each_further_field_of_a_document_is_told_by_itself(query_set):
    document = make.make_document(query_set, fields={"brand": "A", "price": "1"})

    changed = change_document(document, fields={"price": "2", "color": "red"})

    before = {"fields.brand": "A", "fields.price": "1", "fields.color": None}
    after = {"fields.brand": None, "fields.price": "2", "fields.color": "red"}
    assert told(document=document) == [("changed", before, after, "")]
    assert changed.fields == {"price": "2", "color": "red"}


@pytest.mark.parametrize(
    ("body", "new", "before", "after"),
    [
        ("a" * 400, "a" * 340 + "b" * 60, "…" + "a" * 120, "…" + "a" * 60 + "b" * 60),
        ("a" * 400, "a" * 350, "…" + "a" * 110, "…" + "a" * 60),
        ("a" * 400, "b" * 400, "a" * 300 + "…", "b" * 300 + "…"),
    ],
)
def test_a_long_text_is_cut_to_where_it_differs(query_set, body, new, before, after):
    document = make.make_document(query_set, body=body)

    change_document(document, body=new)

    assert told(document=document) == [("changed", {"body": before}, {"body": after}, "")]


def test_saving_what_is_stored_changes_and_tells_nothing(query_set):
    query = make.make_query(query_set)

    change(query)
    change(query, seen_mark="another state")

    assert told(query=query) == []


def test_a_form_that_is_older_than_somebody_elses_change_is_refused(query_set):
    query = make.make_query(query_set, text="tent")
    seen = mark_of(query)
    change(query, text="their text")

    with pytest.raises(ChangedSinceError) as refused:
        change(query, seen_mark=seen, text="my text")

    query.refresh_from_db()
    assert refused.value.current.text == query.text == "their text"
    assert "query" in str(refused.value)
    assert change(query, seen_mark=mark_of(query), text="my text").text == "my text"


def test_another_weight_makes_the_lists_of_the_query_stale_and_another_text_does_not(query_set):
    judgment_list = make.make_list(query_set)
    query, other = make.make_query(query_set), make.make_query(query_set)
    for one in (query, other):
        make.make_pair(judgment_list, one, make.make_document(query_set))
    rows = judgment_list.list_queries.order_by("position")
    revisions = list(rows.values_list("revision", flat=True))

    change(query, text="new")
    same = list(rows.values_list("revision", flat=True))
    change(Query.objects.get(pk=query.pk), weight=7.0)

    assert same == revisions
    assert list(rows.values_list("revision", flat=True)) == [revisions[0] + 1, revisions[1]]


def test_a_rater_who_holds_a_card_sees_the_new_text_at_the_next_fetch(query_set):
    judgment_list = make.make_list(query_set)
    query, document = make.make_query(query_set, text="old"), make.make_document(query_set, title="Old")
    add_pairs(judgment_list=judgment_list, pairs=[(query.pk, document.pk)])
    rater = make.make_member(query_set, "rater")
    (claimed,) = queue.claim(user=rater, judgment_list=judgment_list, at=NOW, count=1)

    change(query, text="new")
    change_document(document, title="New")

    shown = card(judgment_list=judgment_list, user=rater, pair_id=claimed.pair_id)
    assert "New" in shown.document.title_html


def test_an_unused_query_and_document_can_be_deleted_and_the_log_keeps_what_they_said(query_set):
    query, document = make.make_query(query_set, text="tent"), make.make_document(query_set, title="Tent")
    keys = query.pk, document.pk

    content.delete_row(row=query)
    content.delete_row(row=document)

    assert not query_set.queries.exists()
    assert not query_set.documents.exists()
    assert told(query=keys[0]) == [("deleted", {"text": "tent", "weight": 1.0}, {}, "")]
    assert told(document=keys[1]) == [("deleted", {"title": "Tent"}, {}, "")]


def test_what_something_refers_to_stays(query_set):
    judgment_list = make.make_list(query_set)
    query, document = make.make_query(query_set), make.make_document(query_set)
    make.make_pair(judgment_list, query, document)

    with pytest.raises(content.InUseError, match="1 pair"):
        content.delete_row(row=document)
    with pytest.raises(content.InUseError, match="1 judgment list and 1 pair"):
        content.delete_row(row=query)

    assert Document.objects.filter(pk=document.pk).exists()
    assert Query.objects.filter(pk=query.pk).exists()


def test_a_query_in_a_run_stays(query_set):
    query = make.make_query(query_set)
    run = make.make_run(query_set)
    run.rankings.create(query_set=query_set, query=query, size=0, documents=b"")

    with pytest.raises(content.InUseError, match="it’s in 1 run\\."):
        content.delete_row(row=query)


def test_a_tag_is_given_to_those_that_lack_it_and_taken_from_those_that_have_it(query_set):
    with_tag = make.make_query(query_set, tags=["x", "y"])
    without = make.make_query(query_set)
    foreign = make.make_query(make.make_query_set())
    keys = [with_tag.pk, without.pk, foreign.pk]

    given = content.set_tag(query_set=query_set, query_ids=keys, tag="x", on=True)
    taken = content.set_tag(query_set=query_set, query_ids=[with_tag.pk], tag="x", on=False)

    assert (given, taken) == (1, 1)
    assert [Query.objects.get(pk=key).tags for key in keys] == [["y"], ["x"], []]
    assert told(query=without) == [("changed", {"tags": []}, {"tags": ["x"]}, "")]
    assert told(query=with_tag) == [("changed", {"tags": ["x", "y"]}, {"tags": ["y"]}, "")]


def test_an_archived_query_set_keeps_its_tags(query_set):
    query = make.make_query(query_set)
    query_set.archived_at = make.NOW
    query_set.save()

    with pytest.raises(ArchivedError):
        content.set_tag(query_set=query_set, query_ids=[query.pk], tag="x", on=True)


def test_an_import_tells_of_every_query_that_it_changes(query_set):
    same, changed = (
        make.make_query(query_set, "q1", text="same"),
        make.make_query(query_set, "q2", text="old"),
    )
    user = make.make_user("ada")
    records = [
        QueryRecord(1, "q1", "same"),
        QueryRecord(2, "q2", "n" * 400, weight=2.5, tags=("t",)),
        QueryRecord(3, "q3", "fresh"),
    ]

    with acting(user):
        import_queries(query_set=query_set, records=records)

    before = {"text": "old", "weight": 1.0, "tags": []}
    after = {"text": "n" * 300 + "…", "weight": 2.5, "tags": ["t"]}
    assert told(query=changed) == [("changed", before, after, "by import")]
    assert told(query=same) == []
    act = Act.objects.get(query=changed)
    assert (act.by_name, act.subject, act.query_set) == (user.display_name, "query q2", query_set)


def test_an_import_tells_of_every_document_that_it_changes(query_set):
    document = make.make_document(query_set, "d1", title="Old", fields={"a": "1", "b": "2"})
    make.make_document(query_set, "d2", title="Same")
    records = [
        DocumentRecord(1, "d1", "New", body="x", fields={"b": "3", "c": "4"}),
        DocumentRecord(2, "d2", "Same"),
    ]

    import_documents(query_set=query_set, records=records)

    before = {"title": "Old", "body": "", "fields.a": "1", "fields.b": "2", "fields.c": None}
    after = {"title": "New", "body": "x", "fields.a": None, "fields.b": "3", "fields.c": "4"}
    assert told(document=document) == [("changed", before, after, "by import")]
    assert Act.objects.filter(document__isnull=False).count() == 1


@pytest.mark.parametrize("columns", [{"weight"}, set()])
def test_an_import_of_weights_makes_the_lists_of_these_queries_stale(query_set, columns):
    judgment_list = make.make_list(query_set)
    query, other = make.make_query(query_set, "q1", text="a"), make.make_query(query_set, "q2", text="b")
    for one in (query, other):
        make.make_pair(judgment_list, one, make.make_document(query_set))
    rows = judgment_list.list_queries.order_by("position")
    first, second = rows.values_list("revision", flat=True)
    records = [QueryRecord(1, "q1", "a", weight=5.0), QueryRecord(2, "q2", "b")]

    import_queries(query_set=query_set, records=records, columns=columns)

    expected = [first + 1, second] if columns else [first, second]
    assert list(rows.values_list("revision", flat=True)) == expected
