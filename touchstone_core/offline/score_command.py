"""`manage.py score` without Django, which takes longer to start than most files take to be scored (ADR 12)."""

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.order import ORDER_WORDS
from touchstone_core.offline.file_scores import DEFAULT_MEASURES, FileScores, as_json, score_files
from touchstone_core.offline.files import AS_TREC_EVAL, FileRefusedError, files_of
from touchstone_core.offline.score_output import as_csv, as_table

HELP = "Scores run files of any format (docs/runs.md) against a TREC qrels file, plain or packed; no database needed."
BAD_INPUT = 2


class ScoreError(Exception):
    """Bad input. The message has one sentence per line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--qrels", type=Path, required=True, metavar="FILE")
    parser.add_argument("--run", type=Path, required=True, action="append", metavar="FILE", dest="runs")
    parser.add_argument(
        "--measures",
        default=DEFAULT_MEASURES,
        help="separated by white space; default: %(default)s",
    )
    parser.add_argument("--per-query", action="store_true", help="give the value of every query, too")
    parser.add_argument(
        "--max-grade",
        type=float,
        metavar="G",
        help="the top grade of the scale; default: the greatest grade in the qrels file",
    )
    parser.add_argument("--format", choices=["table", "json", "csv"], default="table")
    add_choices(parser)


def add_choices(parser: argparse.ArgumentParser) -> None:
    """What is to be decided where run files differ."""
    parser.add_argument(
        "--order",
        choices=list(ORDER_WORDS),
        default="score",
        help="what orders a ranking: scores in single precision as trec_eval (default), in double precision, or the rank column",
    )
    parser.add_argument(
        "--duplicates", choices=["refuse", "first"], default="refuse", help="a document twice for a query"
    )
    parser.add_argument(
        "--several", choices=["refuse", "split"], default="refuse", help="several tags in a TREC file"
    )


def chosen_options(options: argparse.Namespace) -> Options:
    return replace(AS_TREC_EVAL, order=options.order, duplicates=options.duplicates, several=options.several)


def write_json(record: Mapping[str, Any], out: TextIO) -> None:
    """An object with each of its values on a line of its own, and each item of its lists."""
    parts = []
    for key, value in record.items():
        text = _on_lines(value) if isinstance(value, list) else _on_a_line(value)
        parts.append(f"{_on_a_line(key)}: {text}")
    out.write("{\n" + ",\n".join(parts) + "\n}\n")


def _on_lines(items: Iterable[object]) -> str:
    return "[\n" + ",\n".join(map(_on_a_line, items)) + "\n]"


def _on_a_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> None:
    """Writes the scores to `out` and warnings to `err`. Raises ScoreError before anything is written to `out`."""
    scored = _score(options)
    for warning in scored.warnings:
        err.write(f"Warning: {warning}\n")
    if options.format == "json":
        write_json(as_json(scored, per_query=options.per_query), out)
    else:
        out.write((as_csv if options.format == "csv" else as_table)(scored, per_query=options.per_query))


def main(arguments: list[str]) -> int:
    """Runs the command. Returns the exit status: 0, or 2 for bad input."""
    parser = argparse.ArgumentParser(prog="manage.py score", description=HELP)
    add_arguments(parser)
    with readers_may_leave():
        try:
            run(parser.parse_args(arguments), sys.stdout, sys.stderr)
        except ScoreError as error:
            sys.stderr.write(f"{error}\n")
            return BAD_INPUT
    return 0


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """Ends quietly if the reader of the output, such as head, closes the pipe."""
    try:
        yield
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        for stream in (sys.stdout, sys.stderr):  # Python writes what is left of them on its way out
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _score(options: argparse.Namespace) -> FileScores:
    with bad_input_as_score_error():
        scored = score_files(
            options.qrels,
            files_of(options.runs),
            measures=options.measures,
            max_grade=options.max_grade,
            options=chosen_options(options),
        )
    return scored


@contextmanager
def bad_input_as_score_error() -> Iterator[None]:
    """Raises whatever is wrong with files and measures as a ScoreError."""
    try:
        yield
    except FileRefusedError as error:
        raise ScoreError("\n".join([*error.sentences, str(error)])) from error
    except (FormatError, MetricsError) as error:
        raise ScoreError(str(error)) from error
    except OSError as error:
        raise ScoreError(f"{error.filename} cannot be read: {error.strerror}.") from error
