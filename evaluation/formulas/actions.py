"""Saves, renames and deletes the formulas of a query set."""

from django.db import transaction

from evaluation.base.errors import TooManyError
from evaluation.models import SavedFormula
from judgments.base.names import NameTakenError, given_once
from judgments.log.actions import one_act, record_act
from judgments.models import QuerySet, User, Verb
from touchstone_core.metrics.selection import Selection, write_measures

UNIQUE_NAME = "saved_formula_name_unique"
PLAIN = "the plain formula"
MOST_FORMULAS = 200


@transaction.atomic
def save_formula(
    *, query_set: QuerySet, name: str, chosen: Selection, is_default: bool = False, user: User | None
) -> SavedFormula:
    """Saves a formula under a name. Returns the existing one if name and formula are the same.

    Raises NameTakenError if the name is another formula's, and TooManyError. Locks the query set, so that
    simultaneous saves keep the limit, too.
    """
    QuerySet.objects.select_for_update(no_key=True).get(pk=query_set.pk)
    texts = {"formula": chosen.formula.key, "measures": write_measures(chosen.measures)}
    try:
        with given_once(name, constraint=UNIQUE_NAME):
            saved = SavedFormula.objects.create(query_set=query_set, name=name, created_by=user, **texts)
        if SavedFormula.objects.filter(query_set=query_set).count() > MOST_FORMULAS:
            raise TooManyError("query set", MOST_FORMULAS, "formulas")
    except NameTakenError:
        same = SavedFormula.objects.filter(query_set=query_set, name__iexact=name, **texts).first()
        if same is None:
            raise
        if is_default:
            make_default(saved=same)
        return same
    if is_default:
        with one_act():
            make_default(saved=saved)
    facts = texts | ({"default": True} if is_default else {})
    record_act(Verb.CREATED, f"formula {saved}", query_set=query_set, after=facts)
    return saved


@transaction.atomic
def rename_formula(*, saved: SavedFormula, name: str) -> None:
    """Raises NameTakenError."""
    before = SavedFormula.objects.values_list("name", flat=True).get(pk=saved.pk)
    saved.name = name
    with given_once(name, constraint=UNIQUE_NAME):
        saved.save(update_fields=["name"])
    record_act(
        Verb.CHANGED,
        f"formula {saved}",
        query_set=saved.query_set_id,
        before={"name": before},
        after={"name": name},
    )


@transaction.atomic
def make_default(*, saved: SavedFormula) -> None:
    """Makes this the formula that the query set's pages start with. Locks the query set, which has one default at most."""
    QuerySet.objects.select_for_update(no_key=True).get(pk=saved.query_set_id)
    defaults = SavedFormula.objects.filter(query_set=saved.query_set_id, is_default=True)
    before = defaults.values_list("name", flat=True).first()
    defaults.update(is_default=False)
    SavedFormula.objects.filter(pk=saved.pk).update(is_default=True)
    saved.is_default = True
    _record_default(saved, before, saved.name)


@transaction.atomic
def end_default(*, saved: SavedFormula) -> None:
    """Makes the plain formula the one that the query set's pages start with."""
    count = SavedFormula.objects.filter(pk=saved.pk, is_default=True).update(is_default=False)
    saved.is_default = False
    _record_default(saved, saved.name if count else None, None)


def _record_default(saved: SavedFormula, before: str | None, after: str | None) -> None:
    """None stands for the plain formula."""
    record_act(
        Verb.CHANGED,
        "the default formula",
        query_set=saved.query_set_id,
        before={"default": before or PLAIN},
        after={"default": after or PLAIN},
    )


@transaction.atomic
def delete_formula(*, saved: SavedFormula) -> None:
    """Deletes the name. Links made with it keep working, because they contain the formula itself."""
    saved.delete()
    facts = {"formula": saved.formula, "measures": saved.measures}
    record_act(Verb.DELETED, f"formula {saved}", query_set=saved.query_set_id, before=facts)
