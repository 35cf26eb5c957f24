"""Passes or fails a run file beside a stored run, for build servers."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.comparisons.reports.deciding import was_judged_for_what_decides
from evaluation.gate.actions import gate_run_file
from evaluation.models import Run
from evaluation.runs.api import RunFileQuery
from evaluation.runs.reports.incoming import Choices
from judgments.files.views.reading import with_file
from judgments.pages.calls import ApiRequest, of_bodies, sent_file
from judgments.pages.fetching import version_of, visible_list
from judgments.pages.problems import Problem, file_problem
from touchstone_core.comparison.coverage import TARGETED_WORDS
from touchstone_core.offline.command_line import InputError
from touchstone_core.offline.gate import Demand
from touchstone_core.offline.gate_command import read_conditions
from touchstone_core.offline.gate_report import TITLE, written_gate

router = Router()


class GateQuery(RunFileQuery):
    baseline: int | None = Field(
        None,
        ge=1,
        le=2**63 - 1,
        description="The ID of the run to compare with. Not needed if `--min` is the only condition.",
    )
    conditions: str = Field(
        max_length=4000,
        description="Measures with their conditions, as the command `touchstone gate` takes them.",
        examples=["--measure nDCG@10 --min .6 --max-drop .02"],
    )
    version: int | None = Field(
        None, ge=1, le=2**31 - 1, description="A version of the list; without it the list as it is now."
    )
    title: str = Field(TITLE, min_length=1, max_length=200, description="Tells several gates apart.")


class GateOut(Schema):
    """`report` has every figure, with formula, seed, verdict and bounds. The texts are what the command prints and writes."""

    passed: bool
    report: dict[str, Any]
    table: str
    markdown: str
    junit: str
    warnings: list[str]


@router.post(
    "lists/{int:pk}/gate",
    response=GateOut,
    summary="Pass or fail a run file",
    openapi_extra=of_bodies("A file with one run in any format that the page takes, packed or plain."),
)
def gate(request: ApiRequest, pk: int, query: InQuery[GateQuery]) -> dict[str, Any]:
    """Checks the conditions on the run of the file, compared with a stored one if you name it. Nothing of the file is kept."""
    judgment_list = visible_list(request, pk)
    version = None if query.version is None else version_of(judgment_list, query.version)
    runs = Run.objects.filter(query_set=judgment_list.query_set_id)
    baseline = None if query.baseline is None else get_object_or_404(runs, pk=query.baseline)
    file = sent_file(request, query.file_name)
    outcome = with_file(
        gate_run_file,
        file,
        file_name=query.file_name,
        judgment_list=judgment_list,
        version=version,
        baseline=baseline,
        demands=_demands(query.conditions),
        choices=Choices(**{name: getattr(query, name) for name in Choices.__slots__ if name != "several"}),
        limit=settings.UNPACKED_LIMIT,
    )
    if outcome.gate is None:
        raise file_problem(outcome.report)
    warnings = [f"{query.file_name}: {sentence}" for sentence in outcome.report.warnings.in_short().values()]
    if was_judged_for_what_decides(judgment_list, version):
        warnings.append(f"{judgment_list}: {TARGETED_WORDS}")
    return asdict(written_gate(outcome.gate, title=query.title, warnings=warnings))


def _demands(text: str) -> list[Demand]:
    try:
        return read_conditions(text)
    except InputError as error:
        raise Problem(422, str(error), [{"field": "conditions", "message": str(error)}]) from None
