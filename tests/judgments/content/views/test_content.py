"""Pages of queries and documents: found while somebody types, read with their history, changed without losing anything."""

import pytest
from django.urls import reverse

from judgments.content.actions.content import change_query
from judgments.content.reports.content import PAGE, mark_of
from judgments.content.reports.search import PER_PAGE
from judgments.models import Act, Document, Query, Role
from judgments.raters.actions.gold import mark_gold
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def query(query_set):
    return make.make_query(query_set, "q1", text="two man tent", weight=2.0, tags=["camp"])


@pytest.fixture
def document(query_set):
    return make.make_document(
        query_set, "d1", title="Tent", body="One\nTwo", fields={"brand": "A", "sizes": ["S", "M"]}
    )


def query_form(query, **changed):
    return {
        "seen": mark_of(query),
        "text": query.text,
        "information_need": query.information_need,
        "weight": query.weight,
        "tags": ", ".join(query.tags),
    } | changed


def document_form(document, rows, **changed):
    texts = {name: getattr(document, name) for name in ("title", "body", "url", "image")}
    names, values = [name for name, _ in rows], [value for _, value in rows]
    return {"seen": mark_of(document), "field_name": names, "field_value": values} | texts | changed


@pytest.mark.parametrize(
    ("name", "noun"), [("query-set-queries", "queries"), ("query-set-documents", "documents")]
)
def test_the_import_is_offered_once(client, admin, query_set, name, noun):
    address = reverse(name, args=[query_set.pk])
    offers = f'href="{reverse(f"import-{noun}", args=[query_set.pk])}"'
    assert client.get(address).content.decode().count(offers) == 1

    make.make_query(query_set, "q1")
    make.make_document(query_set, "d1")

    assert client.get(address).content.decode().count(offers) == 1


@pytest.mark.parametrize("name", ["query-set-queries", "query-set-documents"])
@pytest.mark.parametrize(
    "text", ["&|!():*<->", "'\\\"", "\x00", "x" * 10_000, "-", '"', "%_", "😀é日本", "-a -b", "a:*b"]
)
def test_whatever_is_typed_the_page_answers(client, admin, query_set, query, document, name, text):
    response = client.get(
        reverse(name, args=[query_set.pk]),
        {"q": text, "after": text[:50], "list": "x"},
    )

    assert response.status_code == 200


def test_htmx_gets_the_part_that_was_found_and_history_the_page(client, admin, query_set, query):
    url = reverse("query-set-queries", args=[query_set.pk])

    part = client.get(url, {"q": "ten"}, headers={"HX-Request": "true"})
    restored = client.get(
        url, {"q": "ten"}, headers={"HX-Request": "true", "HX-History-Restore-Request": "true"}
    )

    assert b"<html" not in part.content
    assert b"two man tent" in part.content
    assert "1 query found" in " ".join(part.content.decode().split())
    assert b"<html" in restored.content


def test_the_links_between_pages_keep_the_search(client, admin, query_set):
    Query.objects.bulk_create(
        Query(query_set=query_set, external_id=f"{nth:03}", text=f"tent {nth}") for nth in range(PER_PAGE + 1)
    )
    url = reverse("query-set-queries", args=[query_set.pk])

    first = client.get(url, {"q": "tent", "sort": "id"})
    later = first.context["results"].later
    second = client.get(f"{url}?q=tent&sort=id&after={later}")

    assert f"?q=tent&amp;sort=id&amp;after={later}" in first.content.decode()
    assert [row.external_id for row in second.context["results"].rows] == ["050"]
    assert f"before={second.context['results'].rows[0].pk}" in second.content.decode()


def test_tags_narrow_what_is_found(client, admin, query_set, query):
    make.make_query(query_set, text="tent", tags=["other"])

    response = client.get(reverse("query-set-queries", args=[query_set.pk]), {"tag": ["camp", "camp\x00"]})

    assert response.context["results"].rows == [query]
    assert 'aria-current="true"' in response.content.decode()


def test_a_query_is_changed_and_its_history_tells(client, admin, query):
    response = client.post(
        reverse("query-edit", args=[query.pk]), query_form(query, text="tents", tags="a; b", weight="3.5")
    )

    assert response.status_code == 302
    query.refresh_from_db()
    assert (query.text, query.tags, query.weight) == ("tents", ["a", "b"], 3.5)
    page = client.get(reverse("query", args=[query.pk])).content.decode()
    assert "two man tent" in page
    assert f"{admin.display_name} changed it" in " ".join(page.split())


def test_the_history_says_what_was_done_to_a_pair_of_the_query(client, admin, query):
    pair = make.make_pair(
        make.make_list(query.query_set), query, make.make_document(query.query_set, title="Tarp")
    )
    mark_gold(judgment_list=pair.judgment_list, pair_id=pair.pk, value=1.0, user=admin, at=make.NOW)

    page = client.get(reverse("query", args=[query.pk])).content.decode()

    assert f"marked as gold: “Tarp” for “{query.text}”" in page
    assert ">Grade</th>" in page


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": ""},
        {"weight": "-1"},
        {"weight": "inf"},
        {"tags": "x" * 61},
        {"tags": ", ".join(map(str, range(101)))},
        {"tags": "[1, 2]"},
        {"text": "a\x00"},
    ],
)
def test_a_query_is_not_saved_with_what_cannot_be(client, admin, query, wrong):
    response = client.post(reverse("query-edit", args=[query.pk]), query_form(query, **wrong))

    assert response.status_code == 422
    assert response.context["seen"] == mark_of(query)
    assert not Act.objects.filter(query=query).exists()


def test_a_stale_form_shows_both_versions_and_saves_when_asked_again(client, admin, query):
    form = query_form(query, text="my text")
    change_query(
        query=query,
        seen_mark=mark_of(query),
        text="their text",
        information_need="",
        weight=2.0,
        tags=["camp"],
    )

    refused = client.post(reverse("query-edit", args=[query.pk]), form)

    page = refused.content.decode()
    assert refused.status_code == 422
    assert "their text" in page
    assert page.count("my text") == 2
    assert Query.objects.get(pk=query.pk).text == "their text"
    again = client.post(reverse("query-edit", args=[query.pk]), form | {"seen": refused.context["seen"]})
    assert again.status_code == 302
    assert Query.objects.get(pk=query.pk).text == "my text"


def test_line_ends_of_a_browser_and_values_that_are_no_texts_are_not_changes(client, admin, document):
    rows = [("brand", "A"), ("sizes", '["S", "M"]'), ("", "")]

    response = client.post(
        reverse("document-edit", args=[document.pk]), document_form(document, rows, body="One\r\nTwo")
    )

    assert response.status_code == 302
    assert not Act.objects.filter(document=document).exists()


def test_a_document_is_changed_with_its_further_fields(client, admin, document):
    rows = [("brand", "B"), ("", ""), ("color", "red\r\nblue")]

    client.post(reverse("document-edit", args=[document.pk]), document_form(document, rows, title="Big tent"))

    document.refresh_from_db()
    assert (document.title, document.fields) == ("Big tent", {"brand": "B", "color": "red\nblue"})
    page = client.get(reverse("document-edit", args=[document.pk])).content.decode()
    assert "red\nblue</textarea>" in page


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("", "x")], "a name"),
        ([("a", "1"), ("a", "2")], "two fields"),
        ([("a", "\x00")], "cannot be stored"),
        ([(f"f{nth}", "x") for nth in range(201)], "200 further fields"),
    ],
)
def test_further_fields_that_cannot_be_are_told_and_kept_in_the_form(client, admin, document, rows, said):
    response = client.post(reverse("document-edit", args=[document.pk]), document_form(document, rows))

    assert response.status_code == 422
    assert said in response.content.decode()
    assert (rows[0][0], rows[0][1], False) in response.context["form"].rows


def test_a_stale_document_form_is_refused(client, admin, document):
    form = document_form(document, [("brand", "mine")], seen="older")

    response = client.post(reverse("document-edit", args=[document.pk]), form)

    assert response.status_code == 422
    assert [one.label for one in response.context["both"]] == ["brand", "sizes"]


def test_a_query_is_added_and_deleted(client, admin, query_set):
    url = reverse("query-new", args=[query_set.pk])
    form = {"external_id": "q9", "text": "boots", "weight": "1"}

    made = client.post(url, form)
    twice = client.post(url, form)
    bad = client.post(url, form | {"external_id": "a\u2028b"})

    query = Query.objects.get(query_set=query_set)
    assert made["Location"] == reverse("query", args=[query.pk])
    assert (twice.status_code, bad.status_code) == (422, 422)
    gone = client.post(reverse("query-delete", args=[query.pk]))
    assert gone["Location"] == reverse("query-set-queries", args=[query_set.pk])
    assert not query_set.queries.exists()


def test_a_document_is_added_and_deleted(client, admin, query_set):
    url = reverse("document-new", args=[query_set.pk])
    form = {"external_id": "d9", "title": "Boots", "field_name": ["brand"], "field_value": ["A"]}

    client.post(url, form)
    twice = client.post(url, form)

    document = Document.objects.get(query_set=query_set)
    assert document.fields == {"brand": "A"}
    assert twice.status_code == 422
    client.post(reverse("document-delete", args=[document.pk]))
    assert not query_set.documents.exists()


@pytest.mark.parametrize("kind", ["query", "document"])
def test_what_a_list_has_is_not_deleted_and_the_page_says_why(
    client, admin, query_set, query, document, kind
):
    make.make_pair(make.make_list(query_set), query, document)
    row = query if kind == "query" else document

    form = client.get(reverse(f"{kind}-edit", args=[row.pk])).content.decode()
    refused = client.post(reverse(f"{kind}-delete", args=[row.pk]), follow=True).content.decode()

    assert "can’t delete this" in form
    assert f"This {kind} can’t be deleted, because it’s in" in refused
    assert type(row).objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize(
    ("sent", "tagged", "said"),
    [
        ({"tag": "new", "act": "add"}, [], "no queries are checked"),
        ({"tag": "new", "act": "add", "query": ["{key}", "x"]}, ["q1"], "1 query"),
        ({"tag": "new", "act": "add", "all": "1"}, ["q1", "q2"], "2 queries"),
        ({"tag": "", "all": "1"}, [], "Enter a tag"),
        ({"tag": "a, b", "all": "1"}, [], "one tag"),
    ],
)
def test_tags_are_set_for_queries_checked_or_found(client, admin, query_set, query, sent, tagged, said):
    make.make_query(query_set, "q2", text="tent")
    make.make_query(query_set, "q3", text="boots")
    chosen = {
        name: [one.format(key=query.pk) for one in value] if isinstance(value, list) else value
        for name, value in sent.items()
    }

    response = client.post(reverse("query-tags", args=[query_set.pk]) + "?q=tent", chosen, follow=True)

    assert said in response.content.decode()
    assert response.redirect_chain[0][0].endswith("?q=tent")
    assert (
        sorted(query_set.queries.filter(tags__contains=["new"]).values_list("external_id", flat=True))
        == tagged
    )


def test_a_tag_is_taken_away(client, admin, query_set, query):
    client.post(
        reverse("query-tags", args=[query_set.pk]), {"tag": "camp", "act": "remove", "query": [query.pk]}
    )

    query.refresh_from_db()
    assert query.tags == []


def test_a_document_shows_where_it_is_judged_and_its_image_where_that_is_allowed(
    client, admin, query_set, query, document
):
    document.image = "https://images.example/d1.png"
    document.save()
    pair = make.make_pair(make.make_list(query_set, name="First"), query, document)
    make.make_consensus(pair, 2)
    url = reverse("document", args=[document.pk])

    closed = client.get(url)
    query_set.show_images = True
    query_set.save()
    shown = client.get(url)

    assert "two man tent" in closed.content.decode()
    assert "First" in closed.content.decode()
    assert "doc-image" not in closed.content.decode()
    assert '<img class="doc-image"' in shown.content.decode()
    assert "https:" in shown["Content-Security-Policy"]
    assert "https:" not in closed["Content-Security-Policy"]


def test_a_long_history_leads_on(client, admin, query):
    for nth in range(PAGE + 1):
        stored = Query.objects.get(pk=query.pk)
        change_query(
            query=stored,
            seen_mark=mark_of(stored),
            text=f"text {nth}",
            information_need="",
            weight=2.0,
            tags=["x"],
        )
    url = reverse("query", args=[query.pk])

    first = client.get(url).context["history"]
    second = client.get(url, {"earlier": first.earlier}).context["history"]

    assert len(first.changes) == PAGE
    assert [differences[0].before for _, _, differences in second.changes] == ["two man tent"]


def test_a_long_text_that_an_import_changed_far_in_is_told_as_such(client, admin, document):
    Act.objects.create(
        query_set_id=document.query_set_id,
        document=document,
        at=make.NOW,
        verb="something else",
        subject="document d1",
        before={"body": "same"},
        after={"body": "same"},
    )

    page = client.get(reverse("document", args=[document.pk])).content.decode()

    assert "changed further on" in page


def test_engineers_read_and_do_not_change(client, query_set, query, document):
    client.force_login(make.make_member(query_set, Role.ENGINEER))

    pages = [
        client.get(reverse(name, args=[key])).content.decode()
        for name, key in (
            ("query-set-queries", query_set.pk),
            ("query", query.pk),
            ("document", document.pk),
        )
    ]

    assert not any("/edit/" in page or "History" in page or "Add the tag" in page for page in pages)


@pytest.mark.parametrize("sort", ["", "id", "text", "weight"])
@pytest.mark.parametrize("place", ["after", "before"])
def test_the_place_of_a_foreign_query_in_the_order_is_not_told(place, sort, client):
    own, foreign = make.make_query_set(), make.make_query_set()
    make.make_query(own, "a", text="aaa", weight=1)
    secret = make.make_query(foreign, "m", text="mmm", weight=2)
    make.make_query(own, "z", text="zzz", weight=3)
    client.force_login(make.make_member(own, "engineer"))
    address = f"{reverse('query-set-queries', args=[own.pk])}?sort={sort}&{place}="

    there, nothing = (client.get(f"{address}{key}").context["results"] for key in (secret.pk, 2**40))

    assert (there.rows, there.count) == (nothing.rows, nothing.count)
    assert len(there.rows) == 2
