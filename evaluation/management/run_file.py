"""Runs that commands name: a file, what is chosen about it and how it is refused, and a stored run."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, OutputWrapper

from evaluation.base.errors import RunExists
from evaluation.models import Run
from evaluation.runs.reports.incoming import Choices, Incoming, read_incoming
from judgments.base.commands import BAD_INPUT, add_header_line
from judgments.base.errors import JudgmentsError
from judgments.models import QuerySet
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.declarations import FORMATS
from touchstone_core.formats.runs.runs import NO_KNOWN_QUERY
from touchstone_core.formats.text import ENCODINGS
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.offline import command_line
from touchstone_core.words import counted, names_there_are


def add_choices(parser: ArgumentParser, *, format_flag: str = "--format") -> None:
    """What is to be decided where run files differ."""
    parser.add_argument(
        format_flag, choices=sorted(FORMATS), default="", dest="run_format", help="default: by the content"
    )
    command_line.add_choices(parser)
    parser.add_argument(
        "--queries", choices=["id", "text"], default="", help="what names a query; default: by the format"
    )
    parser.add_argument(
        "--unknown", choices=["refuse", "skip"], default="refuse", help="unknown queries; default: refuse"
    )
    parser.add_argument("--encoding", choices=list(ENCODINGS), default="", help="default: by the content")
    add_header_line(parser)


def read_run_file(
    path: Path, query_set: QuerySet, options: dict[str, Any], err: OutputWrapper, *, refused: str
) -> Incoming:
    """Reads the file and writes its warnings. Writes the errors, too, and then raises CommandError: “Nothing was `refused`”.

    Also raises what `read_incoming` raises, and OSError.
    """
    choices = {name: options[name] for name in Choices.__slots__ if name != "format"}
    incoming = read_incoming(
        path.read_bytes(),
        file_name=path.name,
        query_set=query_set,
        choices=Choices(**choices, format=options["run_format"]),
        limit=settings.UNPACKED_LIMIT,
    )
    errors = incoming.report.errors
    for sentence in errors.sentences():
        err.write(f"{path.name}: {sentence}")
    for sentence in warnings_of(incoming, path):
        err.write(f"Warning: {sentence}")
    if not incoming.report.ok:
        problems = counted(errors.total, "problem")
        raise CommandError(f"Nothing was {refused}: {path.name} has {problems}.", returncode=BAD_INPUT)
    return incoming


def warnings_of(incoming: Incoming, path: Path) -> list[str]:
    """The warnings of a run file, each kind once, except that queries are named that nobody knows."""
    warnings = incoming.report.warnings
    left_out = [one.sentence for one in warnings.first if one.kind == NO_KNOWN_QUERY]
    return [f"{path.name}: {one}" for one in (*left_out, *warnings.in_short(but=[NO_KNOWN_QUERY]).values())]


@contextmanager
def bad_input_refused(path: Path) -> Iterator[None]:
    """Whatever is wrong with the file and what it is to be measured by, as a CommandError."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=BAD_INPUT) from error
    except RunExists as error:
        raise CommandError(f"{path.name}: {error}", returncode=BAD_INPUT) from error
    except (FormatError, JudgmentsError, MetricsError) as error:
        raise CommandError(str(error), returncode=BAD_INPUT) from error


def run_named(query_set: QuerySet, name: str) -> Run:
    """The run of this name in any case. Raises CommandError."""
    run = Run.objects.filter(query_set=query_set, name__iexact=name).first()
    if run is None:
        names = Run.objects.filter(query_set=query_set).order_by("-pk").values_list("name", flat=True)
        unknown = f"{query_set} has no run named “{name}”. {names_there_are(names)}"
        raise CommandError(unknown, returncode=BAD_INPUT)
    return run
