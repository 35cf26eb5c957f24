"""Drafts of a new evaluation: thrown away, made once, and made of files that hold the same things."""

import pytest
from django.core.files.base import ContentFile

from evaluation.start.actions.drafts import begin_draft, discard_draft
from evaluation.start.actions.making import DraftGoneError, make_evaluation
from evaluation.start.reports.draft_choices import DraftChoices
from evaluation.start.reports.drafts import mark_of_files, uploads_of
from judgments.lists.actions.scales import write_presets
from judgments.models import Document, Draft, QuerySet, Upload
from tests import factories as make
from tests.evaluation.start.views.drafting import PRODUCTS, SHOP

pytestmark = pytest.mark.django_db


@pytest.fixture
def user():
    write_presets()
    return make.make_user("ada", is_superuser=True)


def begin(user, files):
    content = [ContentFile(text.encode(), name=name) for name, text in files.items()]
    return begin_draft(user=user, name="Shop", files=content)


def made(draft, user):
    return make_evaluation(
        draft=draft,
        name="Shop",
        choices=DraftChoices.from_json(draft.options),
        seen=mark_of_files(uploads_of(draft)),
        user=user,
        at=make.NOW,
    )


def test_a_draft_is_thrown_away_with_its_files(user):
    draft = begin(user, SHOP)

    discard_draft(draft=draft)

    assert not Draft.objects.exists()
    assert not Upload.objects.exists()


def test_nothing_is_made_of_a_draft_that_was_thrown_away(user):
    draft = begin(user, SHOP)
    discard_draft(draft=Draft.objects.get())

    with pytest.raises(DraftGoneError):
        made(draft, user)


def test_of_two_clicks_the_second_finds_it_made(user):
    draft = begin(user, SHOP)

    first, second = made(draft, user), made(draft, user)

    assert first.query_set_id == second.query_set_id
    assert QuerySet.objects.count() == 1


def test_a_draft_that_was_made_is_not_thrown_away(user):
    draft = begin(user, SHOP)
    made(draft, user)

    discard_draft(draft=draft)

    assert Draft.objects.get().query_set is not None


def test_a_document_in_two_files_is_the_one_of_the_first(user):
    draft = begin(user, SHOP | {"more.csv": PRODUCTS.replace("Boots", "Wellingtons") + "d4,Sandals\n"})

    made(draft, user)

    titles = dict(Document.objects.values_list("external_id", "title"))
    files = [upload.name for upload in uploads_of(draft)]
    first = "Boots" if files.index("products.csv") < files.index("more.csv") else "Wellingtons"
    assert titles == {"d1": "Red shoes", "d2": "Blue shoes", "d3": first, "d4": "Sandals"}
