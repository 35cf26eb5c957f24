"""Two admins who have the same form open: the second is shown both versions before one replaces the other."""

import re

import pytest
from django.urls import reverse

from judgments.models import JudgmentList, QuerySet, Scale
from tests import factories as make

pytestmark = pytest.mark.django_db


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
    data["seen"] = re.search(r'name="seen" value="(\w+)"', page.content.decode())[1]
    return {name: "" if value is None else value for name, value in data.items()}


@pytest.mark.parametrize(
    ("kind", "name", "field"),
    [
        (JudgmentList, "list-edit", "guidelines"),
        (Scale, "scale-edit", "description"),
        (QuerySet, "query-set-edit", "description"),
    ],
)
def test_the_second_of_two_who_save_is_shown_both_versions(
    client, admin, query_set, scale, kind, name, field
):
    row = {
        JudgmentList: lambda: make.make_list(query_set, scale=scale),
        Scale: lambda: scale,
        QuerySet: lambda: query_set,
    }[kind]()
    path = reverse(name, args=[row.pk])
    first, second = opened(client, path), opened(client, path)

    assert client.post(path, first | {field: "of the first"}).status_code == 302
    refused = client.post(path, second | {field: "of the second"})

    text = refused.content.decode()
    assert refused.status_code == 422
    assert "Somebody changed this" in text
    assert all(words in text for words in ("of the first", "of the second"))
    assert getattr(kind.objects.get(pk=row.pk), field) == "of the first"
    seen = re.search(r'name="seen" value="(\w+)"', text)[1]
    assert client.post(path, second | {field: "of the second", "seen": seen}).status_code == 302
    assert getattr(kind.objects.get(pk=row.pk), field) == "of the second"
