"""manage.py import_run: the runs of a file into a query set, all or none."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from evaluation.actions import runs as actions
from evaluation.management.run_file import add_choices, bad_input_refused, query_set_named, read_run_file
from evaluation.models import Run
from evaluation.reports.incoming import Incoming, retrieved_documents
from judgments.models import QuerySet
from judgments.words import counted


class Command(BaseCommand):
    help = (
        "Stores the runs of a file: TREC, CSV, TSV, JSON, JSON lines, Parquet, or what Elasticsearch, OpenSearch, RRE "
        "and Quepid give; plain or packed with gzip, zstd, bzip2 or zip. A file with errors changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument(
            "--name",
            default="",
            help="the run's name; default: the file's tag, else its name. Stands before the names of several runs",
        )
        add_choices(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        query_set = query_set_named(options["query_set"])
        path: Path = options["file"]
        with bad_input_refused(path):
            incoming = read_run_file(path, query_set, options, self.stderr)
            runs = self._store(incoming, query_set, options)
        for run in runs:
            queries = counted(run.query_count, "query", "queries")
            self.stdout.write(f"Run “{run}”: {queries}, {counted(run.row_count, 'document')}.")
        found = retrieved_documents(incoming.file.runs, query_set)
        if found.none_known:
            self.stderr.write(f"Warning: {found.sentence}")
        elif found.sentence:
            self.stdout.write(found.sentence)

    def _store(self, incoming: Incoming, query_set: QuerySet, options: dict[str, Any]) -> list[Run]:
        return actions.store_runs(
            query_set=query_set,
            runs=incoming.named(options["name"]),
            order=options["order"],
            file_name=incoming.file_name,
            sha256=incoming.sha256,
        )
