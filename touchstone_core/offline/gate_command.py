"""`touchstone gate`: passes or fails a run in a file, without a database. Its conditions and its files are those of `manage.py gate`, too."""

import argparse
import shlex
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.offline.command_line import (
    InputError,
    add_choices,
    add_judgments,
    bad_input_refused,
    chosen_options,
    warn,
    write_files,
    write_json,
)
from touchstone_core.offline.file_gate import gate_files
from touchstone_core.offline.gate import Demand
from touchstone_core.offline.gate_report import TITLE, WrittenGate, written_gate

HELP: Final = (
    "Measures a run file, compares it with a baseline if you name one, and tells a build server whether it meets the conditions: "
    "exit status 0 if it does, 1 if it doesn’t, 2 for bad input. Conditions belong to the --measure before them."
)
NOT_PASSED: Final = 1
NOT_FOR_MIN: Final = "; not needed if --min is the only condition"
_OPTIONS: Final = {
    "measure": "--measure",
    "least": "--min",
    "most_drop": "--max-drop",
    "significant": "--significant",
    "within": "--same-within",
}


class _NextMeasure(argparse.Action):
    """Begins the conditions of a measure."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        namespace.measures = [*namespace.measures, {"measure": values}]


class _OfLastMeasure(argparse.Action):
    """A condition, of the measure that was named before it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if not namespace.measures:
            parser.error(f"{option_string} must come after the --measure that it belongs to.")
        namespace.measures[-1][self.dest] = True if self.nargs == 0 else values


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments(parser)
    parser.add_argument("--run", type=Path, required=True, metavar="FILE")
    parser.add_argument("--baseline", type=Path, metavar="FILE", help=f"another run{NOT_FOR_MIN}")
    add_conditions(parser)
    add_outputs(parser)
    add_choices(parser)


def add_conditions(parser: argparse.ArgumentParser) -> None:
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
        help="how far the mean may lie below the baseline’s",
    )
    parser.add_argument(
        "--significant",
        action=_OfLastMeasure,
        dest="significant",
        nargs=0,
        help="with --max-drop: the drop has to be shown to be no larger than D (non-inferiority at 5 %%); "
        "alone: a drop fails only where it is more than noise (p ≤ .05)",
    )
    parser.add_argument(
        "--same-within",
        action=_OfLastMeasure,
        dest="within",
        type=float,
        metavar="D",
        help="the means have to be shown to differ by no more than D either way (two one-sided tests at 5 %%)",
    )


class _ConditionsParser(argparse.ArgumentParser):
    """Reads conditions that don't come from a command line."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message[:1].upper()}{message[1:].rstrip('.')}.")


def read_conditions(text: str) -> list[Demand]:
    """Conditions as the command line has them: `--measure nDCG@10 --min .6`. Raises InputError and MetricsError."""
    parser = _ConditionsParser(prog="", add_help=False, allow_abbrev=False)
    add_conditions(parser)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError("The conditions have a quotation mark without its partner.") from error
    return demands_of(parser.parse_args(words).measures)


def conditions_text(measures: Sequence[dict[str, Any]]) -> str:
    """What `add_conditions` has collected, for `read_conditions`."""
    words: list[str] = []
    for one in measures:
        for name, option in _OPTIONS.items():
            value = one.get(name)
            if value is True:
                words.append(option)
            elif value is not None:
                words += [option, str(value)]
    return shlex.join(words)


def demands_of(measures: Sequence[dict[str, Any]]) -> list[Demand]:
    """What `add_conditions` has collected. Raises MetricsError."""
    return [_demand(**conditions) for conditions in measures]


def _demand(*, measure: str, **conditions: Any) -> Demand:
    measures = [one for _, one in read_rounded(measure)]
    if len(measures) != 1:
        raise MetricsError(f"“{measure}” must be one measure; give --measure again for another one.")
    return Demand(measures[0], **conditions)


def add_outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=["table", "json"],
        default="table",
        help="of what is printed; default: %(default)s",
    )
    parser.add_argument(
        "--junit", type=Path, metavar="FILE", help="also write JUnit XML for the build server"
    )
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="also write Markdown for a comment on a pull request"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure as JSON")
    parser.add_argument(
        "--title", default=TITLE, help="in JUnit XML and Markdown, to tell gates apart; default: %(default)s"
    )


def write_report(
    gate: WrittenGate,
    out: TextIO,
    *,
    format: str,
    junit: Path | None,
    markdown: Path | None,
    json: Path | None,
) -> None:
    """Writes the files, then prints. Raises InputError if a file can't be written; then there is none."""
    report = StringIO()
    write_json(gate.report, report)
    texts = ((junit, gate.junit), (markdown, gate.markdown), (json, report.getvalue()))
    write_files([(path, text) for path, text in texts if path])
    if format == "json":
        write_json(gate.report, out)
    else:
        out.write(gate.table)


def outputs_of(options: dict[str, Any]) -> dict[str, Any]:
    """What `add_outputs` has collected, for `write_report`."""
    return {name: options[name] for name in ("format", "junit", "markdown", "json")}


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Writes the answer to `out` and warnings to `err`. Raises InputError before anything is written to `out`."""
    with bad_input_refused():
        gate, warnings = gate_files(
            options.qrels,
            options.run,
            options.baseline,
            demands_of(options.measures),
            max_grade=options.max_grade,
            options=chosen_options(options),
        )
    warn(warnings, err)
    write_report(written_gate(gate, title=options.title, warnings=warnings), out, **outputs_of(vars(options)))
    return 0 if gate.passed else NOT_PASSED
