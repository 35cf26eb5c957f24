"""What the commands without a database share: how they are run, write their output, and refuse bad input."""

import argparse
import json
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol, TextIO
from urllib.parse import urlsplit

from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.order import ORDER_WORDS
from touchstone_core.offline.files import AS_TREC_EVAL, FileRefusedError
from touchstone_core.offline.pipe import OutputError, readers_may_leave

BAD_INPUT: Final = 2
QRELS_HELP: Final = "the judgments: TREC qrels, CSV, JSON or any other format that a site imports"


class InputError(Exception):
    """Bad input. The message has one sentence per line."""


def is_address(url: str) -> bool:
    """Whether it begins with http:// or https:// and names a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, or half an address of IPv6
        return False


def warn(warnings: Iterable[str], err: TextIO) -> None:
    for warning in warnings:
        err.write(f"Warning: {warning}\n")


class Command(Protocol):
    """A module of a command. `run` writes the answer to `out` and warnings to `err`, and returns the exit status.

    It raises InputError before anything is written to `out`.
    """

    @property
    def HELP(self) -> str: ...

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace, out: TextIO, err: TextIO) -> int: ...


def run_command(command: Command, prog: str, arguments: Sequence[str]) -> int:
    """The exit status: that of the command, or 2 for bad input. Also 2 if it breaks, as 1 would mean that a run isn't good enough."""
    parser = argparse.ArgumentParser(prog=prog, description=command.HELP)
    command.add_arguments(parser)
    try:
        with readers_may_leave():
            return _status(command, parser, prog, arguments)
    except OutputError as error:
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT


def _status(command: Command, parser: argparse.ArgumentParser, prog: str, arguments: Sequence[str]) -> int:
    try:
        return command.run(parser.parse_args(arguments), sys.stdout, sys.stderr)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
    except OutputError:
        raise
    except Exception:
        traceback.print_exc()
        sys.stderr.write(f"{prog} broke off. This is a mistake of its own: please report the lines above.\n")
    return BAD_INPUT


def write_files(texts: Sequence[tuple[Path, str]]) -> None:
    """All of them, or none: each gets its name when all are whole. Raises InputError."""
    parts: list[Path] = []
    paths = [path for path, _ in texts]
    try:
        for path, text in texts:
            if paths.count(path) > 1:
                raise InputError(f"{path} is named for two files. Name another one.")
            # What is no file, a pipe or a device, is written to as it is.
            is_whole = path.exists() and not path.is_file()
            part = path if is_whole else path.with_name(f"{path.name}.part")
            parts.append(part)
            part.write_text(text, encoding="utf-8")
        for path, part in zip(paths, parts, strict=True):
            part.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        for path, part in zip(paths, parts, strict=False):
            if part != path:
                part.unlink(missing_ok=True)


@contextmanager
def bad_input_refused() -> Iterator[None]:
    """Raises whatever is wrong with files and measures as an InputError."""
    try:
        yield
    except FileRefusedError as error:
        raise InputError("\n".join([*error.sentences, str(error)])) from error
    except (FormatError, MetricsError) as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from error


def add_judgments(parser: argparse.ArgumentParser) -> None:
    """The file of judgments, and the scale of its grades."""
    parser.add_argument("--qrels", type=Path, required=True, metavar="FILE", help=QRELS_HELP)
    add_max_grade(parser)


def add_max_grade(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-grade",
        type=float,
        metavar="G",
        help="the top grade of the scale; default: the greatest grade in the file",
    )


def add_runs(parser: argparse.ArgumentParser, more: str = "", *, or_stored: bool = False) -> None:
    """Files, `or_stored` runs of a site; `more` is said of them, too."""
    parser.add_argument(
        "--run",
        required=True,
        nargs="+",
        action="extend",
        metavar="RUN" if or_stored else "FILE",
        dest="runs",
        help=f"files or a folder{', or with --site the names of stored runs' if or_stored else ''}{more}",
    )


def add_choices(parser: argparse.ArgumentParser) -> None:
    """What is to be decided where run files differ."""
    parser.add_argument(
        "--order",
        choices=list(ORDER_WORDS),
        default="score",
        help="what orders a ranking: scores in single precision as trec_eval (default), in double precision, or the rank column",
    )
    parser.add_argument(
        "--duplicates",
        choices=["refuse", "first"],
        default="refuse",
        help="a document twice for a query; default: refuse",
    )
    parser.add_argument(
        "--several",
        choices=["refuse", "split"],
        default="refuse",
        help="several tags in a TREC file, or several runs in a JSON file or a table; default: refuse",
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
