"""Deleting many queries or documents by page: first what would go and what stays, then the button."""

import pytest
from django.urls import reverse

from judgments.content.actions.query_sets import archive_query_set
from judgments.lists.actions.pairs import add_pairs
from judgments.models import Act
from tests import factories as make
from tests.html import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(query_set):
    """Two tents, of which one is in a list, and a boat; of queries and of documents."""
    queries = [
        make.make_query(query_set, f"q{n}", text=text) for n, text in enumerate(("tent", "tent", "boat"))
    ]
    documents = [
        make.make_document(query_set, f"d{n}", title=text) for n, text in enumerate(("tent", "tent", "boat"))
    ]
    add_pairs(judgment_list=make.make_list(query_set), pairs=[(queries[0].pk, documents[0].pk)])
    return {"query": queries, "document": documents}


KINDS = [("query", "queries"), ("document", "documents")]


def ids(query_set, many):
    return sorted(getattr(query_set, many).values_list("external_id", flat=True))


def hidden(response):
    """What the form of the page sends."""
    return dict(response.context["sent"]) | {"confirmed": "1"}


@pytest.mark.parametrize(("kind", "many"), KINDS)
def test_the_page_says_what_goes_and_what_stays_and_then_does_it(client, admin, query_set, rows, kind, many):
    address = reverse(f"{many}-delete", args=[query_set.pk]) + "?q=tent"

    shown = client.post(address, {"all": "1"})
    stored = ids(query_set, many)
    done = client.post(address, hidden(shown), follow=True)

    assert f"<strong>1 {kind} is deleted:</strong> nothing uses it." in html_of(shown)
    assert "<strong>1 stays,</strong> because something uses it: 1 in a " in html_of(shown)
    assert f"Delete 1 {kind}</button>" in html_of(shown)
    assert len(stored) == 3
    assert f"1 {kind} deleted. 1 stayed." in html_of(done)
    assert done.redirect_chain[0][0].endswith(f"/{many}/?q=tent")
    assert ids(query_set, many) == [f"{kind[0]}0", f"{kind[0]}2"]


@pytest.mark.parametrize(("kind", "many"), KINDS)
def test_checked_rows_alone_go(client, admin, query_set, rows, kind, many):
    address = reverse(f"{many}-delete", args=[query_set.pk])
    chosen = [rows[kind][2].pk, "x", 10**30]

    shown = client.post(address, {kind: chosen})
    client.post(address, {kind: chosen, "confirmed": "1"})

    assert [value for _, value in shown.context["sent"]] == [rows[kind][2].pk]
    assert ids(query_set, many) == [f"{kind[0]}0", f"{kind[0]}1"]


def test_what_came_after_the_page_was_shown_stays(client, admin, query_set, rows):
    address = reverse("queries-delete", args=[query_set.pk])
    shown = client.post(address, {"all": "1"})
    make.make_query(query_set, "late")

    client.post(address, hidden(shown))

    assert ids(query_set, "queries") == ["late", "q0"]


def test_a_second_click_deletes_nothing_and_says_so(client, admin, query_set, rows):
    address = reverse("queries-delete", args=[query_set.pk])
    sent = hidden(client.post(address, {"query": rows["query"][2].pk}))
    client.post(address, sent)

    again = client.post(address, sent, follow=True)

    assert "0 queries deleted." in html_of(again)
    assert Act.objects.filter(verb="deleted").count() == 1


@pytest.mark.parametrize(("kind", "many"), KINDS)
def test_where_all_are_in_use_the_page_promises_no_deletion(client, admin, query_set, rows, kind, many):
    address = reverse(f"{many}-delete", args=[query_set.pk])

    page = html_of(client.post(address, {kind: rows[kind][0].pk}))

    assert "<strong>1 stays,</strong>" in page
    assert "Nothing can be deleted." in page
    assert "deleted:" not in page
    assert 'name="confirmed"' not in page


def test_without_a_selection_nothing_goes(client, admin, query_set, rows):
    answer = client.post(reverse("queries-delete", args=[query_set.pk]), {"confirmed": "1"}, follow=True)

    assert "no queries are checked" in html_of(answer)
    assert len(ids(query_set, "queries")) == 3


def test_rows_of_others_are_not_among_the_checked(client, admin, query_set, rows):
    foreign = make.make_query(make.make_query_set())

    client.post(reverse("queries-delete", args=[query_set.pk]), {"query": foreign.pk, "confirmed": "1"})

    foreign.refresh_from_db()


@pytest.mark.parametrize(("kind", "many"), KINDS)
def test_the_button_is_for_admins_and_not_in_the_archive(client, admin, query_set, rows, kind, many):
    page, address = (
        reverse(f"query-set-{many}", args=[query_set.pk]),
        reverse(f"{many}-delete", args=[query_set.pk]),
    )
    as_admin = html_of(client.get(page))
    client.force_login(make.make_member(query_set, "engineer"))
    as_engineer = html_of(client.get(page))
    client.force_login(admin)
    archive_query_set(query_set=query_set, user=admin, at=make.NOW)

    assert address in as_admin
    assert f'name="{kind}" value="{rows[kind][0].pk}"' in as_admin
    assert address not in as_engineer
    assert address not in html_of(client.get(page))
    assert client.post(address, {"all": "1", "confirmed": "1"}).status_code == 409
