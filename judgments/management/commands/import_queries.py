"""Imports queries from a file into a query set."""

from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from judgments.actions.imports import import_queries
from judgments.actions.query_sets import query_set_named
from judgments.errors import JudgmentsError
from judgments.management.commands._imports import ImportCommand
from judgments.models import Purpose


class Command(ImportCommand):
    help = "Imports queries into a query set: all or nothing, by external id."
    purpose = Purpose.QUERIES.value

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            try:
                query_set = query_set_named(name=options["query_set"], create=options["create"])
            except JudgmentsError as error:
                raise CommandError(str(error)) from None
            reading = self.read(options["file"], query_set, self.choices(options))
            result = import_queries(query_set=query_set, records=reading.records, columns=reading.columns)
            transaction.set_rollback(options["dry_run"])
        self.say(options["file"], result, dry_run=options["dry_run"])
