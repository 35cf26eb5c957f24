"""Who the names of raters in a file are, said to the command that imports it."""

import json

import pytest

from judgments.models import Document, Judgment, Rater, User
from tests import factories as make
from tests.judgments.management.importing import refused, run, write

pytestmark = pytest.mark.django_db


def test_names_are_said_to_be_accounts_or_machines_and_documents_of_a_book_arrive(tmp_path):
    query_set = make.make_query_set(name="Shop")
    make.make_member(query_set, "rater", username="ann")
    make.make_query(query_set, "zoo")
    said = [{"rating": 3, "user_email": "a=b@example.org"}, {"rating": 2, "user_email": "gpt"}]
    pair = {
        "query_text": "zoo",
        "doc_id": "d1",
        "document_fields": {"title": "Zoolander"},
        "judgements": said,
    }
    file = write(tmp_path, json.dumps({"query_doc_pairs": [pair]}), "book.json")
    where = (file, "--query-set", "Shop", "--list", "Main", "--scale", "TREC 0–3", "--create", "--documents")

    who = ("--rater-is", "a=b@example.org=account:ann", "--rater-is", "gpt=machine", "--origin", "gpt-4o")
    out, _ = run("import_judgments", *where, *who)

    assert out == (
        "book.json: 2 judgments new, 0 changed, 0 unchanged. 1 document new or changed. "
        "Grades of 1 machine don’t count until an admin lets them, at Quality, Raters.\n"
    )
    assert set(Rater.objects.values_list("kind", "origin")) == {("person", ""), ("machine", "gpt-4o")}
    assert Document.objects.get().title == "Zoolander"
    assert set(Judgment.objects.values_list("rater__user__username", "rater__kind")) == {
        ("ann", "person"),
        (None, "machine"),
    }


def test_names_that_differ_only_in_case_are_asked_about_and_an_email_is_its_member(tmp_path):
    query_set = make.make_query_set(name="Shop")
    ann = make.make_member(query_set, "rater", username="ann")
    User.objects.filter(pk=ann.pk).update(email="ann@example.org")
    table = "query,document,rater,grade\nq,d1,Bob,1\nq,d2,Bob,1\nq,d3,bob,2\nq,d4,Ann@Example.org,3\n"
    where = ("--query-set", "Shop", "--list", "Main", "--scale", "TREC 0–3", "--create", "--create-missing")
    arguments = ("import_judgments", write(tmp_path, table), *where)

    _, status, asked = refused(*arguments, "--good-lines")
    run(*arguments, "--rater-is", "bob=same:Bob")

    assert status == 2
    assert "“bob”" in asked
    assert "“Bob”, which differs in case only" in asked
    assert dict(Judgment.objects.values_list("pair__document__external_id", "rater__name")) == {
        **dict.fromkeys(("d1", "d2", "d3"), "Bob"),
        "d4": "ann",
    }


@pytest.mark.parametrize(
    ("who", "message"),
    [
        ("gpt", "is not NAME=external"),
        ("=machine", "is not NAME=external"),
        ("gpt=robot", "is not NAME=external"),
        ("gpt=account:eve", "eve is not a member of Shop."),
    ],
)
def test_who_a_name_cannot_be_is_refused(tmp_path, who, message):
    make.make_query_set(name="Shop")
    where = ("--query-set", "Shop", "--list", "Main", "--scale", "TREC 0–3", "--create")

    said, status, _ = refused("import_judgments", write(tmp_path, "q 0 d 1\n"), *where, "--rater-is", who)

    assert message in said
    assert status == 2
