"""Imports documents from a file into a query set."""

from typing import Any

from judgments.content.actions.query_sets import query_set_named
from judgments.files.actions.imports import import_documents
from judgments.files.reports.imports import Choices, ImportResult
from judgments.management.commands._imports import ImportCommand
from judgments.models import Purpose


class Command(ImportCommand):
    help = "Imports documents into a query set: all or nothing, by their IDs."
    purpose = Purpose.DOCUMENTS.value

    def bring_in(self, options: dict[str, Any], choices: Choices) -> ImportResult:
        query_set = query_set_named(name=options["query_set"], create=options["create"])
        reading = self.read(options["file"], query_set, choices)
        return import_documents(
            query_set=query_set,
            records=reading.records,
            columns=reading.columns,
            source=self.source(options["file"]),
        )
