"""Copies of query sets: what comes along, what stays behind, and that nothing points back."""

import pytest
from django.db import connection
from django.db.models import ForeignKey
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.models import IntendedQuery, Intent, Ranking, Run, SavedFormula
from evaluation.runs.actions.copying import copy_with_runs
from judgments.base.names import NameTakenError
from judgments.content.actions.query_sets import SETTINGS
from judgments.content.forms import QuerySetForm
from judgments.grades.actions.consensus import change_rule
from judgments.grades.actions.model_fits import fit_now
from judgments.lists.actions.copying import Parts, copy_query_set
from judgments.models import (
    Act,
    Adjudication,
    Assignment,
    ConsensusGrade,
    Document,
    Exclusion,
    GoldPair,
    Grade,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    ListQuery,
    Membership,
    ModelFit,
    Pair,
    Query,
    QuerySet,
    Rater,
    RaterQueue,
    Scale,
    Slot,
    Verb,
    Version,
)
from tests import factories as make
from tests.evaluation.whole_set import WholeSet
from tests.judgments.modelled import make_modelled

pytestmark = pytest.mark.django_db
EVERYTHING = Parts(members=True, lists=True, judgments=True)


def copy(whole, parts=EVERYTHING, *, runs=True, name="Copy"):
    user = make.make_user()
    made = copy_with_runs(query_set=whole.query_set, name=name, user=user, parts=parts, runs=runs)
    return made, user


def contents(model, query_set, *names, path="query_set"):
    return sorted(model.objects.filter(**{path: query_set}).values_list(*names))


SAME = [
    (Query, "query_set", ("external_id", "text", "weight", "tags")),
    (Document, "query_set", ("external_id", "title", "body", "fields")),
    (Scale, "query_set", ("name", "maximum")),
    (Grade, "scale__query_set", ("scale__name", "value", "label", "gain")),
    (SavedFormula, "query_set", ("name", "formula")),
    (Intent, "query_set", ("name", "chosen_at")),
    (IntendedQuery, "intent__query_set", ("intent__name", "query__external_id")),
    (JudgmentList, "query_set", ("name", "scale__name", "overlap", "rule", "created_at")),
    (Pair, "query_set", ("judgment_list__name", "query__external_id", "document__external_id")),
    (GoldPair, "query_set", ("judgment_list__name", "pair__query__external_id", "value", "made_at")),
    (Rater, "query_set", ("name", "kind")),
    (Judgment, "query_set", ("pair__document__external_id", "judgment_list__name", "rater__name", "value")),
    (
        ConsensusGrade,
        "query_set",
        ("document__external_id", "query__external_id", "value", "spread", "answers"),
    ),
    (Adjudication, "query_set", ("pair__document__external_id", "judgment_list__name", "value", "cause")),
    (Exclusion, "query_set", ("rater__name", "judgment_list__name", "at", "lifted_at")),
    (RaterQueue, "judgment_list__query_set", ("rater__name", "judgment_list__name", "judgment_count")),
    (Assignment, "judgment_list__query_set", ("judgment_list__name", "user")),
    (Run, "query_set", ("name", "query_count", "created_at")),
    (Ranking, "query_set", ("run__name", "query__external_id", "size")),
]


@pytest.mark.parametrize(("model", "path", "names"), SAME, ids=[one[0].__name__ for one in SAME])
def test_the_copy_holds_the_same(model, path, names):
    whole = WholeSet()
    made, _ = copy(whole)

    original = contents(model, whole.query_set, *names, path=path)

    assert original
    assert contents(model, made, *names, path=path) == original


def test_no_row_of_the_copy_points_to_a_row_of_the_original():
    whole = WholeSet()
    made, _ = copy(whole)

    for model, path, _names in SAME:
        for field in model._meta.concrete_fields:
            if not isinstance(field, ForeignKey) or not hasattr(field.related_model, "query_set"):
                continue
            owners = model.objects.filter(**{path: made}).values_list(f"{field.name}__query_set", flat=True)
            assert set(owners) <= {made.pk, None}, (model, field.name)


def test_versions_and_earlier_answers_stay_behind():
    whole = WholeSet()
    made, _ = copy(whole)

    assert not Version.objects.filter(query_set=made).exists()
    assert not JudgmentHistory.objects.filter(query_set=made).exists()
    assert not made.invitations.exists()


def test_what_a_list_still_wants_is_open_in_the_copy():
    whole = WholeSet()
    made, _ = copy(whole)

    slots = Slot.objects.filter(query_set=made)

    # Three raters each are wanted and two have judged; one query of each list has a gold pair, which wants nobody.
    # The grade that an admin decided leaves the rest of the decided pairs to the list's own rule.
    wanted = {
        (row.judgment_list_id, row.query_id): row.open_count
        for row in ListQuery.objects.filter(query_set=made)
    }
    open_slots = dict.fromkeys(wanted, 0)
    for slot in slots.select_related("pair"):
        open_slots[slot.judgment_list_id, slot.pair.query_id] += 1
    assert wanted == open_slots
    assert not slots.exclude(rater=None).exists()


def test_without_judgments_every_pair_waits_anew():
    whole = WholeSet()
    made, _ = copy(whole, Parts(lists=True), runs=False)

    assert not Judgment.objects.filter(query_set=made).exists()
    assert not Rater.objects.filter(query_set=made).exists()
    rows = ListQuery.objects.filter(query_set=made)
    assert {(row.pair_count, row.graded_count, row.judgment_count) for row in rows} == {(1, 0, 0)}
    ordinary = rows.exclude(query__pairs__gold__isnull=False)
    assert {row.open_count for row in ordinary} == {3}
    assert Slot.objects.filter(query_set=made).count() == 6


def test_without_lists_there_are_queries_documents_scales_and_formulas():
    whole = WholeSet()
    made, _ = copy(whole, Parts(judgments=True), runs=False)

    assert (made.queries.count(), made.documents.count(), made.scales.count()) == (2, 2, 1)
    assert SavedFormula.objects.filter(query_set=made).count() == 1
    assert not made.judgment_lists.exists()
    assert not Run.objects.filter(query_set=made).exists()


def test_who_copies_becomes_admin_and_others_come_on_request():
    whole = WholeSet()
    alone, user = copy(whole, Parts(), name="Alone")
    made, other = copy(whole, Parts(members=True), name="Copy")

    assert [(one.user, one.role) for one in alone.memberships.all()] == [(user, "admin")]
    assert {one.user for one in made.memberships.all()} == {whole.admin, other}


def test_a_rater_who_copies_as_site_administrator_is_admin_of_the_copy():
    whole = WholeSet()
    Membership.objects.filter(user=whole.admin).update(role="rater")

    made = copy_with_runs(
        query_set=whole.query_set, name="Copy", user=whole.admin, parts=Parts(members=True), runs=False
    )

    assert made.memberships.get().role == "admin"


def test_rankings_are_looked_up_anew():
    whole = WholeSet()
    made, _ = copy(whole)

    rankings = Ranking.objects.filter(query_set=made)
    assert {(tuple(one.hit_ranks), tuple(one.hit_documents), one.pairs_revision) for one in rankings} == {
        ((), (), 0)
    }
    assert {bytes(one.documents) for one in rankings} == {b"packed"}


def test_a_name_that_is_taken_copies_nothing():
    whole = WholeSet()

    with pytest.raises(NameTakenError):
        copy(whole, name="SHOP")

    assert QuerySet.objects.count() == 1


def test_the_log_of_the_copy_says_where_it_comes_from():
    whole = WholeSet()
    made, _ = copy(whole, Parts(lists=True))

    act = Act.objects.get(verb=Verb.COPIED)
    assert (act.query_set_id, act.subject) == (made.pk, "query set Shop as Copy")
    assert act.after == {"from": "Shop", "members": False, "lists": True, "judgments": False}


def test_a_copy_has_every_setting_of_its_form():
    whole = WholeSet()
    QuerySet.objects.filter(pk=whole.query_set.pk).update(description="Of the shop", show_images=True)
    whole.query_set.refresh_from_db()

    made, _ = copy(whole)

    names = QuerySetForm.base_fields.keys() - {"name"}
    assert (made.description, made.show_images) == ("Of the shop", True)
    assert names == set(SETTINGS) - {"name"}, "what the form has is a setting: add it to SETTINGS"
    assert {name: getattr(made, name) for name in names} == {
        name: getattr(whole.query_set, name) for name in names
    }


def test_a_second_copy_in_one_transaction_is_whole_too():
    whole = WholeSet()
    copy(whole, name="One")
    made, _ = copy(whole, name="Two")

    assert Judgment.objects.filter(query_set=made).count() == 8


def test_the_copy_of_a_list_under_a_model_keeps_its_grades_and_gets_a_fit_of_its_own():
    original = make_modelled()
    fit_now(judgment_list=original, rule="ds-ordinal")
    change_rule(judgment_list=original, rule="ds-ordinal", tie="lower")
    told = ("document__external_id", "value", "spread", "answers")
    before = contents(ConsensusGrade, original.query_set, *told)

    made, _ = copy_query_set(
        query_set=original.query_set, name="Copy", user=make.make_user(), parts=EVERYTHING
    )

    copied = made.judgment_lists.get()
    job = ProcrastinateJob.objects.get(args={"list_id": copied.pk, "rule": "ds-ordinal"})
    assert (job.status, job.priority) == ("todo", 1)
    assert contents(ConsensusGrade, made, *told) == before
    assert fit_now(judgment_list=copied, rule="ds-ordinal")
    assert contents(ConsensusGrade, made, *told) == before
    assert ModelFit.objects.get(judgment_list=copied).labels == 160


def test_a_copy_takes_the_same_number_of_statements_whatever_its_size(django_assert_max_num_queries):
    whole = WholeSet()
    for number in range(40):
        make.make_pair(whole.second, whole.queries[0], make.make_document(whole.query_set, f"more{number}"))

    with django_assert_max_num_queries(170):
        copy(whole)

    assert connection.in_atomic_block
