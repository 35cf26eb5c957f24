"""Imports judgments, and pairs to be judged, from a table or from TREC qrels into a judgment list."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from judgments.actions.imports import import_judgments
from judgments.actions.lists import list_named
from judgments.actions.query_sets import query_set_named
from judgments.management.commands._imports import ImportCommand
from judgments.models import Purpose
from judgments.reports.imports import Choices, ImportResult


class Command(ImportCommand):
    help = (
        "Imports judgments into a judgment list: all or nothing, by pair and rater. "
        "A row with a query and a document only is a pair to be judged."
    )
    purpose = Purpose.JUDGMENTS.value
    formats = ("csv", "tsv", "jsonl", "qrels")

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--list", required=True, metavar="NAME")
        parser.add_argument("--scale", metavar="NAME", help="the scale of a list that is made")
        parser.add_argument("--overlap", type=int, default=1, help="raters per pair of a list that is made")
        parser.add_argument("--rater", metavar="NAME", help="who judged, where the file does not say")
        parser.add_argument(
            "--create-missing", action="store_true", help="make unknown queries and documents too"
        )

    def bring_in(self, options: dict[str, Any], choices: Choices) -> ImportResult:
        judgment_list = list_named(
            query_set=query_set_named(name=options["query_set"], create=options["create"]),
            name=options["list"],
            create=options["create"],
            scale=options["scale"],
            overlap=options["overlap"],
        )
        reading = self.read(options["file"], judgment_list, choices)
        return import_judgments(
            judgment_list=judgment_list,
            records=reading.records,
            rater_name=reading.rater_name,
            create_missing=choices.create_missing,
            at=timezone.now(),
        )
