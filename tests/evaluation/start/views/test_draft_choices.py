"""Choices on the preview of a new evaluation that can't be."""

import pytest

from judgments.models import QuerySet
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import SHOP, drop, field_of, press, signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", "x" * 500, "Name: "),
        ("negative", "nonsense", "Negative grades become: "),
        ("encoding", "nonsense", "queries.csv: Encoding: "),
        ("header_line", "-3", "queries.csv: Columns named in line: "),
    ],
)
@pytest.mark.parametrize("action", ["create", "choose"])
def test_choices_that_cannot_be_are_refused_by_name(client, field, value, words, action):
    """They were dropped, and everything was made by the choices before."""
    draft = drop(signed_in(client), SHOP)
    name = draft.name
    is_of_file = field in ("encoding", "header_line")

    refused = press(
        client, draft, action, **{field_of(draft, "queries.csv", field) if is_of_file else field: value}
    )

    assert refused.status_code == 422
    assert words in text_of(refused)
    assert not QuerySet.objects.exists()
    draft.refresh_from_db()
    assert draft.name == name
