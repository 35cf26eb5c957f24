"""manage.py gate: whether a run is good enough to be released, as an exit status."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.gate.actions import measure_gate
from evaluation.management.run_file import (
    add_choices,
    bad_input_refused,
    read_run_file,
    run_named,
    warnings_of,
)
from evaluation.runs.reports.incoming import Incoming
from judgments.base.commands import BAD_INPUT
from judgments.content.actions.query_sets import query_set_named
from judgments.lists.actions.versions import list_and_version
from judgments.models import QuerySet
from touchstone_core.offline.command_line import InputError
from touchstone_core.offline.gate_command import (
    NOT_FOR_MIN,
    NOT_PASSED,
    add_conditions,
    add_outputs,
    demands_of,
    outputs_of,
    write_report,
)
from touchstone_core.offline.gate_report import GateReport, written_gate


class Command(BaseCommand):
    help = (
        "Scores a run file, beside a stored run if you name one, without storing it, and tells a build server whether it meets the "
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
        parser.add_argument("--baseline", metavar="RUN", help=f"the name of a stored run{NOT_FOR_MIN}")
        add_conditions(parser)
        add_outputs(parser)
        add_choices(parser, format_flag="--run-format")

    def handle(self, *args: Any, **options: Any) -> None:
        with bad_input_refused(options["run"]):
            query_set = query_set_named(name=options["query_set"], create=False)
            incoming = read_run_file(options["run"], query_set, options, self.stderr, refused="scored")
            gate = self._gate(query_set, incoming, options)
        try:
            written = written_gate(
                gate, title=options["title"], warnings=warnings_of(incoming, options["run"])
            )
            write_report(written, self.stdout, **outputs_of(options))  # type: ignore[arg-type]
        except InputError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        if not gate.passed:
            raise CommandError("The run does not meet every condition.", returncode=NOT_PASSED)

    def _gate(self, query_set: QuerySet, incoming: Incoming, options: dict[str, Any]) -> GateReport:
        demands = demands_of(options["measures"])
        judgment_list, version = list_and_version(query_set=query_set, text=options["list"])
        baseline = run_named(query_set, options["baseline"]) if options["baseline"] else None
        return measure_gate(
            judgment_list=judgment_list,
            version=version,
            baseline=baseline,
            incoming=incoming,
            demands=demands,
        )
