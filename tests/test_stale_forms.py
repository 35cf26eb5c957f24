"""Two admins who have the same form open: the second is shown both versions before one replaces the other."""

import re

import pytest
from django.urls import reverse

from evaluation.models import Comparing, Comparison, Intent, Run
from judgments.models import Document, GoldPair, JudgmentList, Query, QuerySet, Scale
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set():
    return make.make_query_set(name="Shop")


@pytest.fixture
def admin(client, query_set):
    client.force_login(make.make_member(query_set, "admin"))


@pytest.fixture
def scale(query_set):
    found = query_set.scales.create(name="Own", maximum=1, threshold=1)
    for value in (0, 1):
        found.grades.create(value=value, label=f"Level {value}", gain=value, key=str(value))
    return found


def opened(client, path):
    """The fields of the form as a browser sends them."""
    page = client.get(path)
    form, data = page.context["form"], {}
    for row in page.context.get("grades", ()):
        data |= {field.html_name: field.value() for field in row}
    if "grades" in page.context:
        data |= {
            f"grades-{name}": page.context["grades"].management_form[name].value()
            for name in ("TOTAL_FORMS", "INITIAL_FORMS")
        }
    data |= {
        field.html_name: field.value()
        for field in form
        if field.value() not in (None, []) and field.value() is not False
    }
    if "candidate" in page.context:
        data["pair"] = page.context["candidate"].pair.pk
    data["seen"] = re.search(r'name="seen" value="(\w+)"', page.content.decode())[1]
    return {name: "" if value is None else value for name, value in data.items()}


@pytest.mark.parametrize(
    ("kind", "name", "field"),
    [
        (JudgmentList, "list-edit", "guidelines"),
        (Scale, "scale-edit", "description"),
        (QuerySet, "query-set-edit", "description"),
        (Run, "run-edit", "notes"),
        (Comparison, "saved-comparison-edit", "notes"),
        (Intent, "intent", "name"),
        (Comparing, "comparison-settings", "held_out"),
        (GoldPair, "list-gold", "explanation"),
    ],
)
def test_the_second_of_two_who_save_is_shown_both_versions(
    client, admin, query_set, scale, kind, name, field
):
    row, path = OPEN[kind](query_set, scale)
    path = path or reverse(name, args=[row.pk])
    words = ["first", "second"]
    for word in words:
        make.make_query(query_set, f"of {word}", tags=[word])
    first, second = opened(client, path), opened(client, path)

    assert client.post(path, first | {field: words[0]}).status_code == 302
    refused = client.post(path, second | {field: words[1]})

    text = refused.content.decode()
    assert refused.status_code == 422
    assert "Somebody changed this" in text
    both = text[text.index("Both versions") :]
    assert all(word in both for word in words)
    assert getattr(kind.objects.latest("pk"), field) == words[0]
    seen = re.search(r'name="seen" value="(\w+)"', text)[1]
    assert client.post(path, second | {field: words[1], "seen": seen}).status_code == 302
    assert getattr(kind.objects.latest("pk"), field) == words[1]


def open_saved(query_set, _):
    runs = [make.make_run(query_set), make.make_run(query_set)]
    return make.make_comparison(make.make_list(query_set), runs), None


def open_gold(query_set, scale):
    judgment_list = make.make_list(query_set, scale=scale)
    pair = make.make_pair(judgment_list, make.make_query(query_set), make.make_document(query_set))
    address = reverse("list-gold", args=[judgment_list.pk])
    return make.make_gold_pair(pair, 1), f"{address}?pair={pair.pk}"


OPEN = {
    JudgmentList: lambda query_set, scale: (make.make_list(query_set, scale=scale), None),
    Scale: lambda query_set, scale: (scale, None),
    QuerySet: lambda query_set, scale: (query_set, None),
    Run: lambda query_set, scale: (make.make_run(query_set), None),
    Comparison: open_saved,
    Intent: lambda query_set, scale: (make.make_intent(query_set, [make.make_query(query_set)]), None),
    Comparing: lambda query_set, scale: (make.make_list(query_set), None),
    GoldPair: open_gold,
    Query: lambda query_set, scale: (make.make_query(query_set), None),
    Document: lambda query_set, scale: (make.make_document(query_set), None),
}


@pytest.mark.parametrize(
    ("kind", "name", "theirs", "mine"),
    [
        (JudgmentList, "list-edit", {"guidelines": "first\r\nlines"}, {"description": "second"}),
        (JudgmentList, "list-edit", {"confidence": "on", "overlap": "3"}, {"name": "second"}),
        (QuerySet, "query-set-edit", {"show_images": "on"}, {"description": "second"}),
        (Scale, "scale-edit", {"threshold": "0"}, {"description": "second"}),
        (Scale, "scale-edit", {"grades-1-label": "first"}, {"description": "second"}),
        (Scale, "scale-edit", {"description": "first"}, {"grades-1-label": "second"}),
        (Run, "run-edit", {"notes": "first\r\nlines", "tags": "a, b"}, {"name": "second"}),
        (Run, "run-edit", {"name": "first", "commit": "4f2c1aa"}, {"tags": "second"}),
        (Comparison, "saved-comparison-edit", {"notes": "first\r\nlines"}, {"name": "second"}),
        (Comparison, "saved-comparison-edit", {"name": "first"}, {"notes": "second"}),
        (Intent, "intent", {"queries": "of first\nof second"}, {"name": "second"}),
        (Intent, "intent", {"name": "first"}, {"queries": "of second"}),
        (Comparing, "comparison-settings", {"held_out": "first"}, {"drawn": "traffic"}),
        (GoldPair, "list-gold", {"explanation": "first"}, {"value": "0.0"}),
        (GoldPair, "list-gold", {"also": ["0.0"]}, {"explanation": "second"}),
        (Query, "query-edit", {"tags": "a, b", "weight": "2"}, {"text": "second"}),
        (Query, "query-edit", {"text": "first"}, {"tags": "second"}),
        (Document, "document-edit", {"body": "first\r\nlines"}, {"title": "second"}),
    ],
)
def test_what_the_second_left_alone_is_not_reverted(
    client, admin, query_set, scale, kind, name, theirs, mine
):
    """The form that asks has what the first saved, and the second's own changes. Saved as it is, it keeps both."""
    row, path = OPEN[kind](query_set, scale)
    path = path or reverse(name, args=[row.pk])
    for word in ("first", "second"):
        make.make_query(query_set, f"of {word}", tags=[word])
    first, second = opened(client, path), opened(client, path)
    confirmed = client.post(path, first | theirs)
    if confirmed.status_code == 200:  # more raters per pair are asked for
        key = re.search(r'name="confirmed" value="([^"]+)"', confirmed.content.decode())[1]
        confirmed = client.post(path, first | theirs | {"confirmed": key})
    assert confirmed.status_code == 302
    after_first = opened(client, path)

    refused = client.post(path, second | mine)

    assert refused.status_code == 422
    assert [one.kept for one in refused.context["both"]].count(True) == len(theirs)
    assert "left alone: stays as stored" in " ".join(refused.content.decode().split())
    shown = shown_fields(refused)
    assert client.post(path, shown).status_code == 302
    saved = opened(client, path)
    changed = {field for field in saved if saved[field] != after_first.get(field)} - {"seen"}
    assert changed == set(mine)
    assert all(saved[field] == value for field, value in mine.items())


def shown_fields(page):
    """The form of a refused page as a browser sends it."""
    data = {}
    for one in (page.context["form"], *page.context.get("grades", ())):
        data |= {field.html_name: field.value() for field in one if field.value() not in (None, [], False)}
    if "candidate" in page.context:
        data["pair"] = page.context["candidate"].pair.pk
    if "grades" in page.context:
        management = page.context["grades"].management_form
        data |= {f"grades-{name}": management[name].value() for name in ("TOTAL_FORMS", "INITIAL_FORMS")}
    data["seen"] = re.search(r'name="seen" value="(\w+)"', page.content.decode())[1]
    return data
