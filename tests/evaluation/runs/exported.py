"""What tests of exported runs share."""

import itertools

from django.utils import timezone

from evaluation.base.sql import unpack_documents, unpack_scores
from evaluation.models import Ranking
from evaluation.runs.actions.runs import store_run
from evaluation.runs.reports.exports import export_runs
from evaluation.runs.reports.incoming import Choices, read_incoming
from touchstone_core.formats.runs.declarations import WRITABLE

_numbers = itertools.count(1)


def store(query_set, data, order="score", format=""):
    choices = Choices(order=order, format=format)
    incoming = read_incoming(data, file_name="run", query_set=query_set, choices=choices, limit=1 << 24)
    name = f"Run number {next(_numbers)}"
    return store_run(query_set=query_set, parsed=incoming.parsed, name=name, order=order)


def file_of(run, format):
    export = export_runs(run.query_set, [run], WRITABLE[format], at=timezone.now())
    return b"".join(export.content)


def rankings(run, *, empty=True):
    """Documents by query, as they are evaluated."""
    rows = Ranking.objects.filter(run=run).order_by("query_id").select_related("query")
    return {one.query.external_id: unpack_documents(one.documents) for one in rows if one.size or empty}


def scores(run):
    """None where there are none."""
    rows = Ranking.objects.filter(run=run).select_related("query")
    return {one.query.external_id: one.scores and unpack_scores(one.scores).tolist() for one in rows}
