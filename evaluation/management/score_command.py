"""`manage.py score` without Django, which takes longer to start than most files take to be scored (ADR 12)."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from evaluation.ingest.files import FileRefused
from evaluation.management.score_output import as_csv, as_table
from evaluation.metrics.errors import MetricsError
from evaluation.reports.file_scores import DEFAULT_MEASURES, FileScores, as_json, score_files
from judgments.formats.problems import FormatError

HELP = "Scores run files of any format (docs/runs.md) against a TREC qrels file, plain or packed; no database needed."
BAD_INPUT = 2


class ScoreError(Exception):
    """Bad input; the message has one sentence a line."""


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


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> None:
    """Writes the scores to `out` and warnings to `err`. Raises ScoreError before anything is written to `out`."""
    scored = _score(options)
    for warning in scored.warnings:
        err.write(f"Warning: {warning}\n")
    if options.format == "json":
        json.dump(as_json(scored, per_query=options.per_query), out, ensure_ascii=False, indent=2)
        out.write("\n")
    else:
        out.write((as_csv if options.format == "csv" else as_table)(scored, per_query=options.per_query))


def main(arguments: list[str]) -> int:
    """The exit status: 0, or 2 for bad input."""
    parser = argparse.ArgumentParser(prog="manage.py score", description=HELP)
    add_arguments(parser)
    try:
        run(parser.parse_args(arguments), sys.stdout, sys.stderr)
        sys.stdout.flush()
    except ScoreError as error:
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    except BrokenPipeError:  # the reader (head, say) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _score(options: argparse.Namespace) -> FileScores:
    with bad_input_told():
        scored = score_files(
            options.qrels, options.runs, measures=options.measures, max_grade=options.max_grade
        )
    return scored


@contextmanager
def bad_input_told() -> Iterator[None]:
    """Whatever is wrong with files and measures, as a ScoreError."""
    try:
        yield
    except FileRefused as error:
        raise ScoreError("\n".join([*error.sentences, str(error)])) from error
    except (FormatError, MetricsError) as error:
        raise ScoreError(str(error)) from error
    except OSError as error:
        raise ScoreError(f"{error.filename} cannot be read: {error.strerror}.") from error
