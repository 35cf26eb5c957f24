"""manage.py gate: whether a run is good enough to be released, as an exit status."""

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.gate.actions import Gate, measure_gate
from evaluation.gate.output import as_table
from evaluation.management.run_file import (
    add_choices,
    bad_input_refused,
    read_run_file,
)
from evaluation.models import Run
from judgments.base.commands import BAD_INPUT
from judgments.content.actions.query_sets import query_set_named
from judgments.lists.actions.versions import list_and_version
from judgments.models import QuerySet
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.offline.gate import Demand
from touchstone_core.offline.score_command import readers_may_leave, write_json

NOT_PASSED = 1


class _NextMeasure(Action):
    """Begins the conditions of a measure."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        namespace.measures = [*namespace.measures, {"measure": values}]


class _OfLastMeasure(Action):
    """A condition, of the measure that was named before it."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if not namespace.measures:
            parser.error(f"{option_string} must come after the --measure that it belongs to.")
        namespace.measures[-1][self.dest] = True if self.nargs == 0 else values


class Command(BaseCommand):
    help = (
        "Scores a run file beside a stored run, without storing it, and tells a build server whether it meets the "
        "conditions: exit status 0 if it does, 1 if it does not, 2 for bad input. Conditions belong to the --measure "
        "before them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument(
            "--list",
            required=True,
            metavar="NAME[@VERSION]",
            help="its grades as they are now, or as frozen: “First pass@3”",
        )
        parser.add_argument("--run", type=Path, required=True, metavar="FILE")
        parser.add_argument("--baseline", required=True, metavar="RUN", help="the name of a stored run")
        parser.add_argument(
            "--measure",
            action=_NextMeasure,
            required=True,
            metavar="MEASURE",
            dest="measures",
            default=[],
            help="such as nDCG@10; give it again, with conditions of its own, for several",
        )
        parser.add_argument(
            "--min", action=_OfLastMeasure, dest="least", type=float, metavar="X", help="the least mean"
        )
        parser.add_argument(
            "--max-drop",
            action=_OfLastMeasure,
            dest="most_drop",
            type=float,
            metavar="D",
            help="how far the mean may lie below the baseline's",
        )
        parser.add_argument(
            "--significant",
            action=_OfLastMeasure,
            dest="significant",
            nargs=0,
            help="with --max-drop: the drop has to be shown to be no larger than D (non-inferiority at 5 %%); "
            "without it: a drop fails only where it is more than noise (p ≤ .05)",
        )
        parser.add_argument(
            "--same-within",
            action=_OfLastMeasure,
            dest="within",
            type=float,
            metavar="D",
            help="the means have to be shown to differ by no more than D either way (two one-sided tests at 5 %%)",
        )
        parser.add_argument("--format", choices=["table", "json"], default="table")
        add_choices(parser, format_flag="--run-format")

    def handle(self, *args: Any, **options: Any) -> None:
        with bad_input_refused(options["run"]):
            gate = self._gate(query_set_named(name=options["query_set"], create=False), options)
        with readers_may_leave():
            if options["format"] == "json":
                write_json(gate.as_json, self.stdout)  # type: ignore[arg-type]
            else:
                self.stdout.write(as_table(gate), ending="")
        if not gate.passed:
            raise CommandError("The run does not meet every condition.", returncode=NOT_PASSED)

    def _gate(self, query_set: QuerySet, options: dict[str, Any]) -> Gate:
        demands = [_demand(**demand) for demand in options["measures"]]
        judgment_list, version = list_and_version(query_set=query_set, text=options["list"])
        baseline = Run.objects.filter(query_set=query_set, name__iexact=options["baseline"]).first()
        if baseline is None:
            raise CommandError(f"{query_set} has no run named “{options['baseline']}”.", returncode=BAD_INPUT)
        return measure_gate(
            judgment_list=judgment_list,
            version=version,
            baseline=baseline,
            incoming=read_run_file(options["run"], query_set, options, self.stderr),
            demands=demands,
        )


def _demand(*, measure: str, **conditions: Any) -> Demand:
    measures = [one for _, one in read_rounded(measure)]
    if len(measures) != 1:
        raise MetricsError(f"“{measure}” must be one measure; give --measure again for another one.")
    return Demand(measures[0], **conditions)
