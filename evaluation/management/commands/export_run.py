"""manage.py export_run: the rankings of a stored run as a file of any format that holds them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.management.run_file import run_named
from evaluation.runs.actions.exports import record_run_export
from evaluation.runs.reports.exports import export_runs
from judgments.base.commands import ActionCommand
from judgments.content.actions.query_sets import query_set_named
from judgments.management.commands.export_judgments import write_out
from touchstone_core.formats.runs.declarations import WRITABLE


class Command(ActionCommand):
    help = (
        "Writes the rankings of a run in the order in which they are evaluated, which import_run reads again. Beside the file, "
        "FILE.about.json says what else is known of the run. What formats hold: "
        + "; ".join(f"{one.name}: {one.comes_back}" for one in WRITABLE.values())
        + ". What they leave out: "
        + "; ".join(f"{one.name}: {one.leaves_out}" for one in WRITABLE.values())
        + "."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument("--run", required=True, metavar="NAME")
        parser.add_argument("--format", choices=sorted(WRITABLE), default="trec", help="default: trec")
        parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        format = WRITABLE[options["format"]]
        query_set = query_set_named(name=options["query_set"], create=False)
        run = run_named(query_set, options["run"])
        with transaction.atomic():
            file = export_runs(query_set, [run], format, at=timezone.now())
            record_run_export(query_set=query_set, runs=[run], format=format.label)
            write_out(self, file.content, options["output"], file.about)
        for note in file.notes:
            self.stderr.write(note, self.style.WARNING)
