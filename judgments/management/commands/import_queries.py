"""Imports queries from a file into a query set."""

from typing import Any

from judgments.content.actions.query_sets import query_set_named
from judgments.files.actions.imports import import_queries
from judgments.files.reports.imports import Choices, ImportResult
from judgments.management.commands._imports import ImportCommand
from judgments.models import Purpose


class Command(ImportCommand):
    help = "Imports queries into a query set: all or nothing, by their IDs."
    purpose = Purpose.QUERIES.value

    def bring_in(self, options: dict[str, Any], choices: Choices) -> ImportResult:
        query_set = query_set_named(name=options["query_set"], create=options["create"])
        reading = self.read(options["file"], query_set, choices)
        if "query_id" not in reading.columns:
            self.stdout.write(
                "The file has no query IDs. Queries whose text is already here are updated. Every other query gets an ID made from its text."
            )
        return import_queries(
            query_set=query_set,
            records=reading.records,
            columns=reading.columns,
            source=self.source(options["file"]),
        )
