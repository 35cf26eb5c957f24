"""Writes the queries or documents of a query set, or both with grades as a BEIR folder."""

from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from judgments.base.commands import BAD_INPUT, ActionCommand
from judgments.content.actions.query_sets import query_set_named
from judgments.files.actions.exports import record_content_export
from judgments.files.reports.content_exports import FORMATS, beir_files, export_content
from judgments.lists.actions.versions import list_and_version
from judgments.management.commands.export_judgments import write_out
from touchstone_core.formats.content.document_files import BEIR


class Command(ActionCommand):
    help = (
        "Writes the queries or documents of a query set as CSV or JSON lines, which import_queries and import_documents "
        "read; or a BEIR folder with corpus.jsonl, queries.jsonl and, with --list, qrels/test.tsv."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument("--format", choices=list(FORMATS), required=True)
        parser.add_argument("--list", metavar="NAME[@VERSION]", help="whose grades a BEIR folder has")
        parser.add_argument(
            "--output", type=Path, metavar="PATH", help="file, or folder for BEIR; default: standard output"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        format, output, list_name = options["format"], options["output"], options["list"]
        if format == BEIR.name and output is None:
            raise CommandError("A BEIR folder needs --output FOLDER.", returncode=BAD_INPUT)
        if list_name and format != BEIR.name:
            raise CommandError(
                "--list is for BEIR folders; export_judgments writes grades.", returncode=BAD_INPUT
            )
        query_set = query_set_named(name=options["query_set"], create=False)
        files: dict[Path | None, Iterable[bytes]]
        if format == BEIR.name:
            source = list_and_version(query_set=query_set, text=list_name) if list_name else (None, None)
            files = {output / path: content for path, content in beir_files(query_set, *source).items()}
        else:
            files = {output: export_content(query_set, format, at=timezone.now()).content}
        record_content_export(query_set=query_set, format=FORMATS[format])
        for path, content in files.items():
            write_out(self, content, path, with_folders=True)
