"""Exporting a run changes nothing, but who did is in the log."""

from collections.abc import Sequence

from django.db import transaction

from evaluation.models import Run
from judgments.log.actions import record_act
from judgments.models import QuerySet, Verb
from touchstone_core.words import counted


@transaction.atomic
def record_run_export(*, query_set: QuerySet, runs: Sequence[Run], format: str) -> None:
    """One line. To be called as `record_export` of judgments is."""
    what = f"run {runs[0]}" if len(runs) == 1 else counted(len(runs), "run")
    names = {"runs": [run.name for run in runs]} if len(runs) > 1 else {}
    record_act(Verb.EXPORTED, what, query_set=query_set, after={"format": format} | names)
