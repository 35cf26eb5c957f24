"""The application's role erases personal data, and can't use the way to do so for anything else."""

import pytest
from django.db import DatabaseError, connection, transaction

from judgments.log.actions import record_act
from judgments.models import Act, JudgmentHistory, User, Verb
from judgments.people.actions.erasure import erase_person
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.usefixtures("application")


def refused(statement, *parameters):
    with pytest.raises(DatabaseError) as problem, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)
    return str(problem.value).splitlines()[0]


def test_it_erases_names_and_comments():
    scene = Scene()
    kim = make.make_member(scene.query_set, "rater", username="kim")
    pair = scene.list.pairs.first()
    scene.judge(kim, pair.pk, value=1, comment="mine")
    scene.judge(kim, pair.pk, value=2)
    record_act(Verb.MEMBER_ADDED, "kim", query_set=scene.query_set)

    erase_person(user=kim, blank_comments=True, at=make.NOW)

    assert Act.objects.filter(verb="member-added").last().subject == f"erased-{kim.pk}"
    assert JudgmentHistory.objects.get().comment == ""


def test_it_cannot_say_that_it_erases_to_change_a_line():
    record_act(Verb.CREATED, "account kim")
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('touchstone.erasing', 'yes', true)")

    for table, column in (("act", "subject"), ("judgmenthistory", "comment"), ("version", "frozen_by_name")):
        assert "permission denied" in refused(f"UPDATE judgments_{table} SET {column} = ''")  # noqa: S608


def test_names_of_an_account_that_is_not_erased_stay():
    kim = make.make_user("kim")

    assert "is not erased" in refused("SELECT touchstone_erase_person(%s, NULL, true)", kim.pk)


def test_every_use_leaves_a_line():
    kim = make.make_user("kim")
    record_act(Verb.CREATED, "account kim")
    User.objects.filter(pk=kim.pk).update(is_active=False, erased_at=make.NOW)

    with connection.cursor() as cursor:
        cursor.execute("SELECT touchstone_erase_person(%s, NULL, true)", [kim.pk])

    assert Act.objects.get(verb="erased").after == {"lines of the log": 1}
