"""Copies of query sets with what belongs to runs: saved formulas, views and intents always, the runs on request."""

from django.db import transaction
from psycopg import sql

from evaluation.models import IntendedQuery, Intent, Ranking, Run, SavedFormula, SavedView
from judgments.lists.actions import copying
from judgments.models import QuerySet, User

NOT_LOOKED_UP = {
    "hit_ranks": sql.SQL("'{}'"),
    "hit_documents": sql.SQL("'{}'"),
    "pairs_revision": sql.SQL("0"),
}
"""What a ranking has of the judged documents is found again when the copy is first scored."""


@transaction.atomic
def copy_with_runs(
    *, query_set: QuerySet, name: str, user: User, parts: copying.Parts, runs: bool
) -> QuerySet:
    """The copy, see `copying.copy_query_set`. Values are computed anew. Raises NameTakenError."""
    copy, copier = copying.copy_query_set(query_set=query_set, name=name, user=user, parts=parts)
    copier.copy(SavedFormula)
    copier.copy(SavedView)
    copier.copy(Intent)
    copier.copy(IntendedQuery)
    if runs:
        copier.copy(Run)
        copier.copy(Ranking, values=NOT_LOOKED_UP)
    return copy
