"""Every invariant that the database states, broken once."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Model

from judgments.log.actions import record_act
from judgments.models import (
    Act,
    Assignment,
    ConsensusGrade,
    GoldDraw,
    GoldPair,
    Grade,
    JudgmentHistory,
    JudgmentList,
    ListQuery,
    Membership,
    Query,
    QuerySet,
    Rater,
    RepeatAnswer,
    RepeatDraw,
    Scale,
    Slot,
    Upload,
    Verb,
)
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair():
    query_set = make.make_query_set(name="Shop")
    judgment_list = make.make_list(query_set, name="Main")
    return make.make_pair(
        judgment_list, make.make_query(query_set, "q1"), make.make_document(query_set, "d1")
    )


def refused_by(constraint: str, row: Model) -> None:
    """Saving `row` must fail, and by this constraint."""
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        row.save()


def test_two_query_sets_cannot_share_a_name_whatever_its_case():
    make.make_query_set(name="Shop")

    refused_by("query_set_name_unique", QuerySet(name="SHOP"))


def test_an_account_has_one_role_in_a_query_set():
    query_set = make.make_query_set()
    user = make.make_member(query_set, "rater")

    refused_by("membership_once", Membership(query_set=query_set, user=user, role="admin"))
    refused_by("membership_role_known", Membership(query_set=query_set, user=make.make_user(), role="owner"))


def test_query_ids_are_unique_in_a_query_set_and_weights_finite():
    query_set = make.make_query_set()
    make.make_query(query_set, "q1")

    refused_by("query_id_unique", Query(query_set=query_set, external_id="q1", text="again"))
    refused_by("query_id_given", Query(query_set=query_set, external_id="", text="no id"))
    for weight in (-1.0, float("inf"), float("nan")):
        refused_by(
            "query_weight_finite", Query(query_set=query_set, external_id="q2", text="x", weight=weight)
        )


def test_documents_have_an_id_and_it_is_unique(pair):
    document = pair.document

    document.pk = None
    refused_by("document_id_unique", document)
    document.external_id = ""
    refused_by("document_id_given", document)


def test_scales_and_grades_keep_their_order_and_their_keys():
    query_set = make.make_query_set()
    scale = Scale.objects.create(query_set=query_set, name="Own", maximum=1)
    Grade.objects.create(scale=scale, value=0, label="No", gain=0, key="0")

    refused_by("scale_name_unique", Scale(query_set=query_set, name="Own"))
    refused_by("scale_name_unique", Scale(query_set=None, name="Binary"))
    refused_by("scale_range_ordered", Scale(query_set=query_set, name="2", minimum=2, maximum=1))
    refused_by("scale_step_positive", Scale(query_set=query_set, name="3", step=0))
    refused_by("scale_level_known", Scale(query_set=query_set, name="4", level="ratio"))
    refused_by("grade_value_unique", Grade(scale=scale, value=0, label="Nil", gain=0, key="1"))
    refused_by("grade_key_unique", Grade(scale=scale, value=1, label="Yes", gain=1, key="0"))
    refused_by("grade_gain_not_negative", Grade(scale=scale, value=1, label="Yes", gain=-1, key="1"))
    for key in ("u", "A", "", "é"):
        refused_by("grade_key_allowed", Grade(scale=scale, value=1, label="Yes", gain=1, key=key))


def test_a_used_grade_can_be_relabelled_but_not_revalued_or_deleted(pair):
    make.make_judgment(pair, make.make_rater(pair.query_set), 3)
    grade = Grade.objects.get(scale=pair.judgment_list.scale, value=3)

    grade.label = "Spot on"
    grade.save()
    grade.gain = 7
    refused_by("in use", grade)
    with pytest.raises(IntegrityError, match="in use"), transaction.atomic():
        grade.delete()


def test_a_used_scale_gets_no_further_grade_and_keeps_its_range(pair):
    scale = pair.judgment_list.scale
    refusal = Grade(scale=scale, value=4, label="Better still", gain=4, key="4")
    make.make_judgment(pair, make.make_rater(pair.query_set), 3)

    refused_by("in use", refusal)
    scale.maximum = 4
    refused_by("in use", scale)
    scale.refresh_from_db()
    scale.description = "Other words"
    scale.save()


def test_list_settings_are_in_range(pair):
    query_set, scale = pair.query_set, pair.judgment_list.scale

    refused_by("judgment_list_name_unique", JudgmentList(query_set=query_set, scale=scale, name="MAIN"))
    for overlap in (0, 31):
        refused_by(
            "judgment_list_overlap_in_range",
            JudgmentList(query_set=query_set, scale=scale, name="b", overlap=overlap),
        )
    for constraint, wrong in (
        ("rule_known", {"rule": "x"}),
        ("tie_known", {"tie": "x"}),
        ("assignment_known", {"assignment": "x"}),
        ("view_known", {"view": "x"}),
        ("evidence_known", {"evidence": "x"}),
        ("gold_rate_in_range", {"gold_rate": 51}),
        ("repeat_rate_in_range", {"repeat_rate": 21}),
        ("adaptive_in_range", {"adaptive_step": 0, "overlap_most": 3}),
        ("adaptive_in_range", {"adaptive_step": 1, "overlap_most": 1, "overlap": 2}),
        ("adaptive_in_range", {"adaptive_step": 1, "overlap_most": 31}),
    ):
        row = JudgmentList(query_set=query_set, scale=scale, name="b", **wrong)
        refused_by(f"judgment_list_{constraint}", row)


def test_a_query_stands_once_in_a_list_and_never_has_more_grades_than_pairs(pair):
    row = ListQuery.objects.get()
    other = make.make_query(pair.query_set)

    common = {"query_set": pair.query_set, "judgment_list": pair.judgment_list}
    refused_by("list_query_once", ListQuery(**common, query=pair.query, position=9))
    refused_by("list_query_position_unique", ListQuery(**common, query=other, position=row.position))
    row.graded_count = 2
    refused_by("list_query_graded_within_pairs", row)


def test_a_pair_stands_once_in_a_list_and_its_consensus_is_a_value_or_undecided(pair):
    with pytest.raises(IntegrityError, match="pair_once"), transaction.atomic():
        make.make_pair(pair.judgment_list, pair.query, pair.document)

    consensus = make.make_consensus(pair, 2)
    consensus.undecided = True
    refused_by("consensus_decided_has_value", consensus)
    assert ConsensusGrade.objects.get().undecided is False


def test_people_have_accounts_and_imported_raters_have_names_of_their_own(pair):
    user = make.make_user()
    make.make_rater(pair.query_set, user)
    Rater.objects.create(query_set=pair.query_set, name="qrels", kind="external")

    refused_by("rater_account_once", Rater(query_set=pair.query_set, user=user, name="again"))
    refused_by("rater_external_name_unique", Rater(query_set=pair.query_set, name="qrels", kind="external"))
    refused_by("rater_person_has_account", Rater(query_set=pair.query_set, name="nobody", kind="person"))


def test_a_slot_is_one_of_its_pair_and_a_rater_holds_only_one(pair):
    rater = make.make_rater(pair.query_set)
    common = {
        "query_set": pair.query_set,
        "judgment_list": pair.judgment_list,
        "pair": pair,
        "query_position": 1,
    }
    Slot.objects.create(**common, ordinal=1, rater=rater, lease_until=make.NOW)

    refused_by("slot_ordinal_unique", Slot(**common, ordinal=1))
    refused_by("slot_rater_once", Slot(**common, ordinal=2, rater=rater, lease_until=make.NOW))
    refused_by("slot_state_known", Slot(**common, ordinal=2, state="held"))
    refused_by("slot_surplus_has_rater", Slot(**common, ordinal=2, surplus=True))


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"value": None}, "judgment_one_answer"),
        ({"value": 1, "reason": "language"}, "judgment_one_answer"),
        ({"value": None, "reason": "tired"}, "judgment_reason_known"),
        ({"value": 1, "updated_at": make.NOW - timedelta(seconds=1)}, "judgment_updated_after_created"),
        ({"value": 1.5}, "not on the scale"),
        ({"value": 4}, "not on the scale"),
        ({"value": 1, "confidence": 4}, "judgment_confidence_in_range"),
        ({"value": 1, "gold": "silver"}, "judgment_gold_known"),
    ],
)
def test_a_judgment_is_one_answer_on_the_scale(pair, fields, constraint):
    rater = make.make_rater(pair.query_set)

    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        make.make_judgment(pair, rater, **fields)


def test_a_rater_judges_a_pair_once(pair):
    rater = make.make_rater(pair.query_set)
    judgment = make.make_judgment(pair, rater, 1)

    with pytest.raises(IntegrityError, match="judgment_once"), transaction.atomic():
        make.make_judgment(pair, rater, 2)
    judgment.value = 2.5
    refused_by("not on the scale", judgment)


def test_any_value_within_a_continuous_scale_is_accepted():
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make.preset("Continuous 0–1"))
    pair = make.make_pair(judgment_list, make.make_query(query_set), make.make_document(query_set))

    judgment = make.make_judgment(pair, make.make_rater(query_set), 0.37)

    judgment.value = 1.01
    refused_by("not on the scale", judgment)


def test_a_pair_is_gold_once_with_a_grade_of_the_scale_and_drawn_once_for_a_rater(pair):
    make.make_gold_pair(pair, 2)
    rater = make.make_rater(pair.query_set)
    draw = {"judgment_list": pair.judgment_list, "pair": pair, "rater": rater, "query_position": 1}
    GoldDraw.objects.create(**draw, drawn_at=make.NOW)

    with pytest.raises(IntegrityError, match="pair_id"), transaction.atomic():
        make.make_gold_pair(pair, 2)
    refused_by("gold_draw_once", GoldDraw(**draw, drawn_at=make.NOW))
    with pytest.raises(IntegrityError, match="not on the scale"), transaction.atomic():
        GoldPair.objects.update(value=2.5)


def test_a_pair_is_repeated_once_for_a_rater_and_each_number_draws_one_repeat(pair):
    rater = make.make_rater(pair.query_set)
    other = make.make_pair(pair.judgment_list, pair.query, make.make_document(pair.query_set))
    draw = {
        "judgment_list": pair.judgment_list,
        "rater": rater,
        "query_position": 1,
        "drawn_at": make.NOW,
    }
    current = RepeatDraw.objects.create(**draw, pair=pair, number=1)

    refused_by("repeat_draw_once", RepeatDraw(**draw, pair=pair, number=2))
    refused_by("repeat_draw_number_once", RepeatDraw(**draw, pair=other, number=1))
    refused_by("repeatdraw_card", RepeatDraw(**draw, pair=other, number=2, card=current.card))


def test_an_answer_to_a_repeat_is_one_answer_to_one_request(pair):
    rater = make.make_rater(pair.query_set)
    draw = RepeatDraw.objects.create(
        judgment_list=pair.judgment_list,
        rater=rater,
        pair=pair,
        query_position=1,
        number=1,
        drawn_at=make.NOW,
    )
    answer = {"draw": draw, "first_value": 1, "first_at": make.NOW, "given_at": make.NOW}
    RepeatAnswer.objects.create(**answer, value=1, request_id=UUID(int=1))

    refused_by("repeatanswer_request_id", RepeatAnswer(**answer, value=1, request_id=UUID(int=1)))
    for constraint, wrong in (
        ("one_answer", {}),
        ("one_answer", {"value": 1, "reason": "language"}),
        ("confidence_in_range", {"value": 1, "confidence": 4}),
        ("undone_is_withdrawn", {"value": 1, "undo_id": UUID(int=3)}),
    ):
        row = RepeatAnswer(**answer, request_id=UUID(int=2), **wrong)
        refused_by(f"repeat_answer_{constraint}", row)


def test_a_person_is_named_once_for_a_list(pair):
    user = make.make_user()
    Assignment.objects.create(judgment_list=pair.judgment_list, user=user)

    refused_by("assignment_once", Assignment(judgment_list=pair.judgment_list, user=user))


def make_history(pair):
    return JudgmentHistory.objects.create(
        query_set=pair.query_set,
        pair=pair,
        rater=make.make_rater(pair.query_set),
        value=1,
        action="changed",
        answered_at=make.NOW,
        replaced_at=make.NOW,
    )


def delete_with_setting(*rows):
    """As the deletion of a list does, with what is looked at when a transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL touchstone.deleting = 'yes'")
        for row in rows:
            row.delete()
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_history_is_append_only(pair):
    history = make_history(pair)

    history.value = 2
    refused_by("append-only", history)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        history.delete()


def test_history_goes_with_its_pair_only(pair):
    history = make_history(pair)

    with pytest.raises(DatabaseError, match="goes with its pair"), transaction.atomic():
        delete_with_setting(history)
    with transaction.atomic():
        delete_with_setting(JudgmentHistory.objects.get(), pair)
    assert not JudgmentHistory.objects.exists()


def test_the_audit_log_is_append_only():
    record_act(Verb.CREATED, "query set Shop", query_set=make.make_query_set())
    act = Act.objects.get()

    act.subject = "query set Market"
    refused_by("append-only", act)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        act.delete()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Act.objects.filter(pk=act.pk).delete()
    assert Act.objects.get().subject == "query set Shop"


def test_an_upload_has_a_known_purpose():
    query_set = make.make_query_set()

    refused_by(
        "upload_purpose_known",
        Upload(
            query_set=query_set, user=make.make_user(), purpose="x", name="a", size=1, sha256="", file="a"
        ),
    )
