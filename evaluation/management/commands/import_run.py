"""manage.py import_run: a run file into a query set, whole or not at all."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.actions import runs as actions
from evaluation.errors import EvaluationError
from evaluation.reports.incoming import Choices, read_incoming, retrieved_documents
from judgments.formats.problems import FormatError
from judgments.models import QuerySet
from judgments.words import counted


class Command(BaseCommand):
    help = "Stores a run file (TREC, CSV, TSV or JSON, plain or gzip). A file with errors changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument(
            "--name", default="", help="the run's name; default: the file's tag, else its name"
        )
        parser.add_argument("--order", choices=["score", "rank"], default="score")
        parser.add_argument("--unknown", choices=["refuse", "skip"], default="refuse", help="unknown queries")
        parser.add_argument("--duplicates", choices=["refuse", "first"], default="refuse")
        parser.add_argument("--encoding", choices=["latin-1"], default="")

    def handle(self, *args: Any, **options: Any) -> None:
        query_set = QuerySet.objects.filter(name__iexact=options["query_set"]).first()
        if query_set is None:
            raise CommandError(f"There is no query set named “{options['query_set']}”.", returncode=2)
        path: Path = options["file"]
        choices = Choices(options["order"], options["unknown"], options["duplicates"], options["encoding"])
        try:
            incoming = read_incoming(
                path.read_bytes(),
                file_name=path.name,
                query_set=query_set,
                choices=choices,
                limit=settings.UNPACKED_LIMIT,
            )
            for sentence in incoming.parsed.report.errors.sentences():
                self.stderr.write(sentence)
            for sentence in incoming.parsed.report.warnings.sentences():
                self.stderr.write(f"Warning: {sentence}")
            run = actions.store_run(
                query_set=query_set,
                parsed=incoming.parsed,
                name=options["name"] or incoming.name,
                order=options["order"],
                file_name=path.name,
                sha256=incoming.sha256,
            )
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=2) from error
        except (FormatError, EvaluationError) as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(
            f"Run “{run}”: {counted(run.query_count, 'query', 'queries')}, {counted(run.row_count, 'document')}."
        )
        found = retrieved_documents(incoming.parsed, query_set)
        if found.none_known:
            self.stderr.write(f"Warning: {found.sentence}")
        elif found.sentence:
            self.stdout.write(found.sentence)
