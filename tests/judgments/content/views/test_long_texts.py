"""Texts that were stored before there were limits are shown cut, and say so; new ones are refused."""

import pytest
from django.urls import reverse

from judgments.base.cleaning import CARD_BODY, LONGEST, LONGEST_GUIDELINES
from judgments.content.reports.content import mark_of
from judgments.judging.reports.judging import card
from tests import factories as make
from tests.judgments.lists.views.test_list_changes import list_data
from touchstone_core.formats import cells
from touchstone_core.words import tidied

pytestmark = pytest.mark.django_db


def test_a_long_body_is_cut_on_its_page_and_says_so(client, admin, query_set):
    whole = make.make_document(query_set, "d1", body="x" * LONGEST)
    longer = make.make_document(query_set, "d2", body="x" * (LONGEST + 1))

    page = client.get(reverse("document", args=[longer.pk])).content.decode()

    assert "the first 100,000 of 100,001 characters." in page
    assert "x" * LONGEST in page
    assert "x" * (LONGEST + 1) not in page
    assert "The text is cut here" not in client.get(reverse("document", args=[whole.pk])).content.decode()


def test_further_fields_are_cut_together(client, admin, query_set):
    fields = {f"f{number}": "y" * CARD_BODY for number in range(8)}
    document = make.make_document(query_set, "d1", fields=fields)
    pair = make.make_pair(make.make_list(query_set), make.make_query(query_set), document)

    page = client.get(reverse("document", args=[document.pk])).content.decode()
    shown = card(judgment_list=pair.judgment_list, user=admin, pair_id=pair.pk).document

    assert page.count("y" * CARD_BODY) == LONGEST // CARD_BODY
    assert sum(html.count("y") for _, html in shown.texts) == CARD_BODY
    assert len(shown.facts) == 7  # cut to nothing but an ellipsis


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"body": "x" * (cells.LONGEST_BODY + 1)}, b"it has 1,000,001 characters. Use at most 1,000,000."),
        ({"title": "x" * (cells.LONGEST_TITLE + 1)}, b"it has 10,001 characters. Use at most 10,000."),
        (
            {"field_name": ["a", "b"], "field_value": ["x" * 600_000, "x" * 600_000]},
            b"The further fields are too long: at most 1,000,000 characters together (they have 1,200,002)",
        ),
    ],
)
def test_a_document_is_not_saved_with_texts_that_are_too_long(client, admin, query_set, changed, problem):
    document = make.make_document(query_set, "d1", title="Tent")
    form = {"seen": mark_of(document), "title": "Tent", "body": "", "url": "", "image": ""}

    response = client.post(reverse("document-edit", args=[document.pk]), form | changed)

    assert response.status_code == 422
    assert problem in response.content
    document.refresh_from_db()
    assert (document.title, document.body, document.fields) == ("Tent", "", {})


def test_guidelines_that_are_too_long_are_refused(client, admin, query_set):
    data = list_data(guidelines="x" * (LONGEST_GUIDELINES + 1))

    response = client.post(reverse("list-new", args=[query_set.pk]), data)

    assert response.status_code == 422
    assert b"The guidelines have 20,001 characters, but the limit is 20,000." in response.content


def test_guidelines_that_are_stored_already_do_not_keep_other_settings_from_being_saved(
    client, admin, query_set
):
    text = "x\r\n" * LONGEST_GUIDELINES  # as browsers send line ends
    judgment_list = make.make_list(query_set, guidelines=tidied(text))

    response = client.post(
        reverse("list-edit", args=[judgment_list.pk]),
        list_data(name="Other", guidelines=text, scale=judgment_list.scale_id, overlap=judgment_list.overlap),
    )

    assert response.status_code == 302
    judgment_list.refresh_from_db()
    assert judgment_list.name == "Other"
    assert b"The guidelines are cut here" in client.get(reverse("list", args=[judgment_list.pk])).content
