"""Intents as the database keeps them: so many and no more."""

import pytest

from evaluation.base.errors import TooManyError
from evaluation.comparisons.actions import intents
from evaluation.models import Intent
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_a_query_set_has_no_more_intents_than_people_can_keep_apart(monkeypatch):
    monkeypatch.setattr(intents, "MOST_INTENTS", 2)
    query_set = make.make_query_set()
    query = make.make_query(query_set)
    make.make_intent(make.make_query_set())

    def save(name):
        intents.save_intent(query_set=query_set, name=name, queries=[query.pk], user=None, at=make.NOW)

    save("first")
    save("second")
    with pytest.raises(TooManyError, match="already has 2 intents"):
        save("third")
    assert Intent.objects.filter(query_set=query_set).count() == 2
