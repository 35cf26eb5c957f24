"""Consensus grades brought up to date behind the back of every action."""

from django.db import transaction

from judgments.base.sql import locks
from judgments.grades.actions.consensus import refresh_within


@transaction.atomic
def refresh_consensus(*, judgment_list, pair_ids=None):
    """Returns how many grades changed in value."""
    locks.lock_list(judgment_list.pk)
    judgment_list.refresh_from_db(fields=["rule", "tie"])
    return refresh_within(judgment_list=judgment_list, pair_ids=pair_ids)
