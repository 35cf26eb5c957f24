"""Decisions of admins: the grade of a pair, and whose judgments do not count."""

import pytest
from django.db import IntegrityError, transaction

from judgments.agreement.actions.adjudication import (
    AdjudicationError,
    exclude_rater,
    include_rater,
    withdraw_adjudication,
)
from judgments.grades.sql.explanations import explanations
from judgments.judging.actions.answers import AnswerError
from judgments.judging.actions.queue import UnknownPairError
from judgments.models import Adjudication, ConsensusGrade, Exclusion, Judgment, Rater
from tests import factories as make
from tests.judgments.agreement.decisions import decide
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    """Two pairs of one query, judged 0 and 3, 1 and 1."""
    scene = Scene(queries=1, documents=2, overlap=2, tie="adjudicate")
    scene.first, scene.second = scene.list.pairs.order_by("pk")
    scene.anna, scene.ben, scene.admin = scene.rater(), scene.rater(), scene.rater()
    for user, value in ((scene.anna, 0), (scene.ben, 3)):
        scene.judge(user, scene.first.pk, value=value)
        scene.judge(user, scene.second.pk, value=1)
    return scene


def grade(pair):
    """The stored value, and how it is explained."""
    stored = ConsensusGrade.objects.filter(pair=pair).values_list("value", flat=True).first()
    ((value, how),) = explanations([pair.pk]).values()
    assert value == stored
    return value, how


def revision(scene):
    return scene.list.list_queries.get().revision


def test_a_decision_stands_beside_the_judgments(scene):
    before, judgments = revision(scene), list(Judgment.objects.order_by("pk").values())

    made = decide(scene, scene.first, note=" Sizes matter. ")

    assert grade(scene.first) == (2, "0, 3: adjudicated 2 (a slip)")
    assert not ConsensusGrade.objects.get(pair=scene.first).undecided
    assert (made.by, made.at, made.note) == (scene.admin, make.NOW, "Sizes matter.")
    assert str(made) == f"2 for pair {scene.first.pk}"
    assert list(Judgment.objects.order_by("pk").values()) == judgments
    assert revision(scene) == before + 1


def test_a_decision_outlives_later_judgments_and_a_change_of_the_rule(scene):
    decide(scene, scene.first)

    scene.judge(scene.rater(), scene.first.pk, value=3)
    scene.list.rule = "mean"
    scene.list.save()
    refresh_consensus(judgment_list=scene.list)

    assert grade(scene.first) == (2, "0, 3, 3: adjudicated 2 (a slip)")
    assert grade(scene.second) == (1, "1, 1: mean 1")


def test_a_later_decision_replaces_an_earlier_one_and_leaves_its_row(scene):
    decide(scene, scene.first, value=2, cause="slip")
    decide(scene, scene.first, value=3, cause="query")

    first, second = Adjudication.objects.all()
    assert (first.value, first.withdrawn_by, first.withdrawn_at) == (2, scene.admin, make.NOW)
    assert (second.value, second.withdrawn_at) == (3, None)
    assert list(Adjudication.objects.standing()) == [second]
    assert grade(scene.first) == (3, "0, 3: adjudicated 3 (the query is ambiguous)")


def test_a_decision_can_be_taken_back(scene):
    decide(scene, scene.first)
    more = {"judgment_list": scene.list, "pair_id": scene.first.pk, "user": scene.admin, "at": make.NOW}

    assert withdraw_adjudication(**more)
    assert not withdraw_adjudication(**more)

    value, how = grade(scene.first)
    assert value is None
    assert "waits for an admin" in how


def test_a_pair_without_judgments_can_be_decided():
    scene = Scene(queries=1, documents=1)
    scene.admin = scene.rater()
    pair = scene.list.pairs.get()

    decide(scene, pair, value=0, cause="document")

    assert grade(pair) == (0, "adjudicated 0 (the wrong document)")
    assert scene.list.list_queries.get().graded_count == 1
    withdraw_adjudication(judgment_list=scene.list, pair_id=pair.pk, user=scene.admin, at=make.NOW)
    assert not ConsensusGrade.objects.exists()
    assert scene.list.list_queries.get().graded_count == 0


def test_what_cannot_be_decided(scene):
    other = Scene(queries=1, documents=1)

    with pytest.raises(AnswerError, match="7 isn’t a grade"):
        decide(scene, scene.first, value=7)
    with pytest.raises(AdjudicationError, match="Unknown cause “mood”"):
        decide(scene, scene.first, cause="mood")
    with pytest.raises(UnknownPairError):
        decide(scene, other.list.pairs.get())
    assert not Adjudication.objects.exists()


def exclude(scene, user, **more):
    rater = Rater.objects.get(user=user)
    return exclude_rater(judgment_list=scene.list, rater=rater, user=scene.admin, at=make.NOW, **more)


def include(scene, user):
    rater = Rater.objects.get(user=user)
    return include_rater(judgment_list=scene.list, rater=rater, user=scene.admin, at=make.NOW)


def test_an_excluded_raters_judgments_are_left_out_of_the_grade_and_kept(scene):
    before = revision(scene)

    assert exclude(scene, scene.ben, note=" Clicks at random. ") == 1

    assert grade(scene.first) == (0, "0: the only grade; without 1 judgment of excluded raters")
    assert grade(scene.second) == (1, "1: the only grade; without 1 judgment of excluded raters")
    assert revision(scene) == before + 1
    assert Judgment.objects.count() == 4
    made = Exclusion.objects.get()
    assert (made.by, made.at, made.note) == (scene.admin, make.NOW, "Clicks at random.")
    assert str(made) == f"{scene.ben.username} left out of {scene.list}"


def test_who_is_excluded_twice_is_excluded_once(scene):
    exclude(scene, scene.ben)

    assert exclude(scene, scene.ben) is None
    assert Exclusion.objects.count() == 1


def test_a_new_judgment_of_an_excluded_rater_does_not_count(scene):
    exclude(scene, scene.ben)

    scene.judge(scene.ben, scene.first.pk, value=2)

    assert grade(scene.first) == (0, "0: the only grade; without 1 judgment of excluded raters")


def test_a_pair_that_only_excluded_raters_judged_has_no_grade(scene):
    exclude(scene, scene.ben)
    exclude(scene, scene.anna)

    assert grade(scene.first) == (None, "no grade: only excluded raters judged it")
    assert scene.list.list_queries.get().graded_count == 0


def test_an_exclusion_can_be_taken_back_and_stays_on_record(scene):
    before = grade(scene.second)
    exclude(scene, scene.ben)

    assert include(scene, scene.ben) == 1
    assert include(scene, scene.ben) is None

    assert grade(scene.second) == before
    lifted = Exclusion.objects.get()
    assert (lifted.lifted_by, lifted.lifted_at) == (scene.admin, make.NOW)
    assert not Exclusion.objects.standing().exists()
    assert exclude(scene, scene.ben) == 1
    assert Exclusion.objects.count() == 2


def test_an_exclusion_counts_in_its_own_list(scene):
    other = make.make_list(scene.query_set)
    pair = make.make_pair(other, scene.first.query, scene.first.document)
    make.make_judgment(pair, Rater.objects.get(user=scene.ben), value=3)
    exclude(scene, scene.ben)

    refresh_consensus(judgment_list=other)

    assert grade(pair) == (3, "3: the only grade")


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({}, "adjudication_one_stands"),
        ({"cause": "mood", "withdrawn_at": make.NOW}, "adjudication_cause_known"),
        ({"value": 7, "withdrawn_at": make.NOW}, "judgment_grade_on_scale"),
    ],
)
def test_the_database_refuses_other_decisions(scene, fields, constraint):
    decide(scene, scene.first)
    common = {"query_set": scene.query_set, "judgment_list": scene.list, "pair": scene.first}

    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        Adjudication.objects.create(**{**common, "value": 1, "cause": "slip", "at": make.NOW} | fields)
    assert constraint in str(refused.value) or refused.value.__cause__.diag.constraint_name == constraint


def test_a_decided_pair_keeps_the_scale_as_it_is(scene):
    decide(scene, scene.first)
    scene.list.judgments.all().delete()
    grade = scene.list.scale.grades.first()
    grade.gain = 99

    with pytest.raises(IntegrityError, match="relabelled"), transaction.atomic():
        grade.save()


def test_a_rater_is_left_out_of_a_list_once(scene):
    exclude(scene, scene.ben)
    again = {
        "query_set": scene.query_set,
        "judgment_list": scene.list,
        "rater": Rater.objects.get(user=scene.ben),
    }

    with pytest.raises(IntegrityError, match="exclusion_once"), transaction.atomic():
        Exclusion.objects.create(**again, at=make.NOW)
