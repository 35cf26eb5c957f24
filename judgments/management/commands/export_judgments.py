"""Writes the grades or judgments of a list in the format of any tool."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from judgments.base.commands import BAD_INPUT, ActionCommand
from judgments.content.actions.query_sets import query_set_named
from judgments.files.actions.exports import record_export
from judgments.files.reports.exports import export
from judgments.lists.actions.versions import list_and_version
from touchstone_core.formats.judgments.judgment_files import GRADES, WRITABLE


class Command(ActionCommand):
    help = (
        "Writes the grades of a list, or all judgments. The first line of the file says what it is. In a format without such "
        "lines, FILE.about.json beside it does. "
        "What formats hold: " + "; ".join(f"{one.name}: {one.comes_back}" for one in WRITABLE.values()) + ". "
        "What they leave out: "
        + "; ".join(f"{one.name}: {one.leaves_out}" for one in WRITABLE.values())
        + "."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument(
            "--list",
            required=True,
            metavar="NAME[@VERSION]",
            help="the list as it is now, or a version of its grades",
        )
        parser.add_argument("--format", choices=sorted(WRITABLE), default="qrels", help="default: qrels")
        parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
        parser.add_argument(
            "--round", action="store_true", help="round grades where a format takes whole numbers"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        format = WRITABLE[options["format"]]
        with transaction.atomic():
            query_set = query_set_named(name=options["query_set"], create=False)
            judgment_list, version = list_and_version(query_set=query_set, text=options["list"])
            if version is not None and format.name not in GRADES:
                raise CommandError(
                    f"A version holds grades, not judgments: choose one of {', '.join(GRADES)}.",
                    returncode=BAD_INPUT,
                )
            file = export(
                judgment_list, format, at=timezone.now(), whole_numbers=options["round"], version=version
            )
            record_export(judgment_list=judgment_list, format=format.label, version=version)
            about = None if format.has_comment else file.about.as_json()
            write_out(self, file.content, options["output"], about)
        for warning in file.warnings:
            self.stderr.write(warning, self.style.WARNING)


def write_out(
    command: BaseCommand,
    content: Iterable[bytes],
    output: Path | None,
    about: Mapping[str, Any] | None = None,
    *,
    with_folders: bool = False,
) -> None:
    """The file, and beside it what is to be known about it; without an `output`, to standard output. Raises CommandError."""
    if output is None:
        for block in content:
            command.stdout.write(block.decode(), ending="")
        return
    try:
        if with_folders:
            output.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(content, output)
        if about is not None:
            text = json.dumps(about, ensure_ascii=False, indent=2)
            output.with_name(f"{output.name}.about.json").write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{output} cannot be written: {error.strerror}.", returncode=BAD_INPUT) from None


def _write_whole(content: Iterable[bytes], output: Path) -> None:
    """The file gets its name when it is complete. What is no file, a pipe or a device, is written to as it is."""
    if output.exists() and not output.is_file():
        with output.open("wb") as file:
            file.writelines(content)
        return
    part = output.with_name(f"{output.name}.part")
    try:
        with part.open("wb") as file:
            file.writelines(content)
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
