"""Writes about the formulas that a query set keeps by name."""

from django.db import transaction

from evaluation.metrics.chosen import Chosen, write_measures
from evaluation.models import SavedFormula
from judgments.actions.names import NameTakenError, given_once
from judgments.models import QuerySet, User

UNIQUE_NAME = "saved_formula_name_unique"


@transaction.atomic
def save_formula(
    *, query_set: QuerySet, name: str, chosen: Chosen, is_default: bool = False, user: User | None
) -> SavedFormula:
    """Keeps a formula by name. The same formula under the same name once more is the one that is there.

    Raises NameTakenError where the name stands for another formula.
    """
    texts = {"formula": chosen.formula.key, "measures": write_measures(chosen.measures)}
    try:
        with given_once(name, constraint=UNIQUE_NAME):
            saved = SavedFormula.objects.create(query_set=query_set, name=name, created_by=user, **texts)
    except NameTakenError:
        same = SavedFormula.objects.filter(query_set=query_set, name__iexact=name, **texts).first()
        if same is None:
            raise
        saved = same
    if is_default:
        make_default(saved=saved)
    return saved


@transaction.atomic
def rename_formula(*, saved: SavedFormula, name: str) -> None:
    """Raises NameTakenError."""
    saved.name = name
    with given_once(name, constraint=UNIQUE_NAME):
        saved.save(update_fields=["name"])


@transaction.atomic
def make_default(*, saved: SavedFormula) -> None:
    """The query set's pages begin with this formula from now on. Locks the query set: it has one default at most."""
    QuerySet.objects.select_for_update(no_key=True).get(pk=saved.query_set_id)
    _without_default(saved)
    SavedFormula.objects.filter(pk=saved.pk).update(is_default=True)
    saved.is_default = True


@transaction.atomic
def end_default(*, saved: SavedFormula) -> None:
    """The query set's pages begin with the plain formula again."""
    SavedFormula.objects.filter(pk=saved.pk).update(is_default=False)
    saved.is_default = False


def _without_default(saved: SavedFormula) -> None:
    SavedFormula.objects.filter(query_set=saved.query_set_id, is_default=True).update(is_default=False)


@transaction.atomic
def delete_formula(*, saved: SavedFormula) -> None:
    """Takes the name away; addresses that were made from it say the formula themselves."""
    saved.delete()
