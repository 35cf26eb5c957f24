"""What the audit log keeps of an act."""

import pytest
from django.contrib.auth.models import AnonymousUser

from judgments.log.actions import acting, record_act
from judgments.models import Act, Verb
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_an_act_names_who_what_and_where():
    judgment_list = make.make_list(make.make_query_set())
    admin = make.make_user(first_name="Ada", last_name="Lovelace")

    with acting(admin):
        record_act(
            Verb.CHANGED,
            "list Main",
            judgment_list=judgment_list,
            before={"overlap": 1},
            after={"overlap": 3},
            note="more",
        )

    act = Act.objects.get()
    assert (act.query_set_id, act.judgment_list_id) == (judgment_list.query_set_id, judgment_list.pk)
    assert (act.by_id, act.by_name) == (admin.pk, "Ada Lovelace")
    assert (act.before, act.after, act.note) == ({"overlap": 1}, {"overlap": 3}, "more")


@pytest.mark.parametrize("actor", [None, AnonymousUser()])
def test_an_act_of_a_command_or_a_stranger_names_nobody(actor):
    with acting(actor):
        record_act(Verb.CREATED, "query set Shop", query_set=make.make_query_set())

    assert (Act.objects.get().by_id, Act.objects.get().by_name) == (None, "")


def test_nobody_acts_after_somebody_has_acted():
    with acting(make.make_user()):
        pass

    record_act(Verb.CREATED, "query set Shop", query_set=make.make_query_set().pk)

    assert Act.objects.get().by is None


def test_what_changes_nothing_is_not_recorded():
    record_act(Verb.CHANGED, "list Main", before={"overlap": 1}, after={"overlap": 1})

    assert not Act.objects.exists()


def test_a_long_subject_is_cut():
    record_act(Verb.DELETED, "x" * 400)

    assert Act.objects.get().subject == "x" * 300
