"""manage.py import_run: the runs of a file into a query set, all or none."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.actions import runs as actions
from evaluation.errors import EvaluationError
from evaluation.ingest.formats.options import FORMATS
from evaluation.models import Run
from evaluation.reports.incoming import Choices, Incoming, read_incoming, retrieved_documents
from judgments.formats.problems import FormatError
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
        parser.add_argument("--format", choices=list(FORMATS), default="", help="default: by the content")
        parser.add_argument("--order", choices=["score", "rank"], default="score")
        parser.add_argument("--queries", choices=["id", "text"], default="", help="what names a query")
        parser.add_argument("--unknown", choices=["refuse", "skip"], default="refuse", help="unknown queries")
        parser.add_argument("--duplicates", choices=["refuse", "first"], default="refuse")
        parser.add_argument(
            "--several", choices=["refuse", "split"], default="refuse", help="several tags in a TREC file"
        )
        parser.add_argument("--encoding", choices=["latin-1"], default="")

    def handle(self, *args: Any, **options: Any) -> None:
        query_set = QuerySet.objects.filter(name__iexact=options["query_set"]).first()
        if query_set is None:
            raise CommandError(f"There is no query set named “{options['query_set']}”.", returncode=2)
        path: Path = options["file"]
        try:
            incoming = read_incoming(
                path.read_bytes(),
                file_name=path.name,
                query_set=query_set,
                choices=Choices(**{name: options[name] for name in Choices.__slots__}),
                limit=settings.UNPACKED_LIMIT,
            )
            runs = self._store(incoming, query_set, options)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=2) from error
        except (FormatError, EvaluationError) as error:
            raise CommandError(str(error), returncode=2) from error
        for run in runs:
            queries = counted(run.query_count, "query", "queries")
            self.stdout.write(f"Run “{run}”: {queries}, {counted(run.row_count, 'document')}.")
        found = retrieved_documents(incoming.file.runs, query_set)
        if found.none_known:
            self.stderr.write(f"Warning: {found.sentence}")
        elif found.sentence:
            self.stdout.write(found.sentence)

    def _store(self, incoming: Incoming, query_set: QuerySet, options: dict[str, Any]) -> list[Run]:
        for sentence in incoming.report.errors.sentences():
            self.stderr.write(sentence)
        for sentence in incoming.report.warnings.sentences():
            self.stderr.write(f"Warning: {sentence}")
        return actions.store_runs(
            query_set=query_set,
            runs=incoming.named(options["name"]),
            order=options["order"],
            file_name=incoming.file_name,
            sha256=incoming.sha256,
        )
