"""Formulas that a query set keeps by name."""

import pytest
from django.db import IntegrityError, transaction

from evaluation.formulas import actions
from evaluation.models import SavedFormula
from judgments.base.names import NameTakenError
from tests import factories as make
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import Selection, read_measures

pytestmark = pytest.mark.django_db

EXP = Selection(Formula(gain="exp", cutoff=5, depth=50, zero="skip"), read_measures("AP nDCG@10~2"))


def save(query_set, name="Ours", chosen=EXP, **fields):
    return actions.save_formula(query_set=query_set, name=name, chosen=chosen, user=None, **fields)


def defaults(query_set):
    return list(SavedFormula.objects.filter(query_set=query_set, is_default=True))


def test_a_formula_is_kept_by_its_canonical_texts(query_set):
    user = make.make_user()

    saved = actions.save_formula(query_set=query_set, name="Ours", chosen=EXP, user=user)

    saved.refresh_from_db()
    assert (saved.formula, saved.measures) == ("DCG(depth=50, gain='exp', zero='skip')@5", "AP nDCG@10~2")
    assert (saved.created_by, saved.is_default) == (user, False)


def test_the_same_once_more_is_the_one_that_is_there(query_set):
    assert save(query_set) == save(query_set, name="OURS")
    assert SavedFormula.objects.count() == 1


def test_a_name_stands_for_one_formula_in_a_query_set(query_set):
    save(query_set)

    with pytest.raises(NameTakenError, match="taken"):
        save(query_set, name="ours", chosen=Selection(Formula()))
    save(make.make_query_set(), chosen=Selection(Formula()))

    assert SavedFormula.objects.count() == 2


def test_there_is_one_default_at_most(query_set):
    first = save(query_set, is_default=True)
    second = save(query_set, name="Other", is_default=True)
    other = save(make.make_query_set(), is_default=True)

    assert defaults(query_set) == [second]
    actions.make_default(saved=first)
    assert defaults(query_set) == [first]
    actions.end_default(saved=first)
    assert defaults(query_set) == []
    assert defaults(other.query_set) == [other]


def test_the_database_refuses_a_second_default(query_set):
    save(query_set, is_default=True)
    second = save(query_set, name="Other")

    with pytest.raises(IntegrityError, match="saved_formula_one_default"), transaction.atomic():
        SavedFormula.objects.filter(pk=second.pk).update(is_default=True)


def test_a_formula_gets_a_new_name_that_is_free(query_set):
    saved = save(query_set)
    save(query_set, name="Other", chosen=Selection(Formula()))

    actions.rename_formula(saved=saved, name="ours")
    with pytest.raises(NameTakenError):
        actions.rename_formula(saved=saved, name="other")

    saved.refresh_from_db()
    assert saved.name == "ours"


def test_a_formula_is_deleted(query_set):
    actions.delete_formula(saved=save(query_set))

    assert not SavedFormula.objects.exists()
