"""manage.py import_run: the runs of a file into a query set, all or none."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from evaluation.management.run_file import add_choices, bad_input_refused, read_run_file
from evaluation.models import Run
from evaluation.runs.actions import runs as actions
from evaluation.runs.actions.details import Details
from evaluation.runs.forms import DetailsForm
from evaluation.runs.reports.incoming import Incoming, RetrievedDocuments, counting_documents
from judgments.base.commands import BAD_INPUT, ActionCommand
from judgments.content.actions.query_sets import query_set_named
from judgments.models import QuerySet
from touchstone_core.formats.file_format import list_labels
from touchstone_core.formats.runs.declarations import FORMATS
from touchstone_core.offline.files import files_of
from touchstone_core.words import counted


class Command(ActionCommand):
    help = (
        f"Stores the runs of files, of a folder or of an archive (zip, tar), all or none: {list_labels(FORMATS)}; "
        "plain or packed with gzip, zstd, bzip2 or zip. A file with errors changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", type=Path, nargs="+", metavar="FILE", help="or a folder, for all of its files"
        )
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument(
            "--name",
            default="",
            help="the run’s name; default: the file’s tag, else its name. Stands before the names of several runs",
        )
        parser.add_argument(
            "--tag", action="append", default=[], metavar="TAG", help="a tag of the runs; repeat it for more"
        )
        parser.add_argument("--commit", default="", help="the commit or version that made them")
        parser.add_argument("--link", default="", metavar="URL", help="a page about them, http or https")
        parser.add_argument("--notes", default="", metavar="TEXT")
        add_choices(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        query_set = query_set_named(name=options["query_set"], create=False)
        with bad_input_refused(options["files"][0]):
            paths = files_of(options["files"])
        options["details"] = _details(options)
        several = len(paths) > 1
        with transaction.atomic():
            stored = [self._import(path, query_set, options, several=several) for path in paths]
        for runs, documents in stored:
            self._say(runs, documents)

    def _import(
        self, path: Path, query_set: QuerySet, options: dict[str, Any], *, several: bool
    ) -> tuple[list[Run], RetrievedDocuments]:
        with bad_input_refused(path):
            incoming = read_run_file(path, query_set, options, self.stderr, refused="stored")
            name = f"{options['name']} {incoming.name}" if several and options["name"] else options["name"]
            with counting_documents(incoming.file.runs, query_set) as documents:
                runs = self._store(incoming, query_set, options | {"name": name})
                return runs, documents()

    def _say(self, runs: list[Run], documents: RetrievedDocuments) -> None:
        for run in runs:
            queries = counted(run.query_count, "query", "queries")
            self.stdout.write(f"Run “{run}”: {queries}, {counted(run.row_count, 'document')}.")
        if documents.none_known:
            self.stderr.write(f"Warning: {documents.sentence}")
        elif documents.sentence:
            self.stdout.write(documents.sentence)

    def _store(self, incoming: Incoming, query_set: QuerySet, options: dict[str, Any]) -> list[Run]:
        return actions.store_runs(
            query_set=query_set,
            runs=incoming.named_runs(options["name"]),
            order=options["order"],
            file_name=incoming.file_name,
            sha256=incoming.sha256,
            details=options["details"],
        )


def _details(options: dict[str, Any]) -> Details:
    """What the options say about the runs. Raises CommandError."""
    texts = {name: options[name] for name in ("commit", "link", "notes")}
    form = DetailsForm({"tags": ", ".join(options["tag"]), **texts})
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise CommandError(f"--{'tag' if field == 'tags' else field}: {errors[0]}", returncode=BAD_INPUT)
    return Details(**form.cleaned_data)
