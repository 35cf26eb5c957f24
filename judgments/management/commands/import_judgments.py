"""Imports judgments, and pairs to be judged, from a table or from TREC qrels into a judgment list."""

from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from judgments.base.commands import BAD_INPUT
from judgments.base.priorities import BY_NAME
from judgments.content.actions.query_sets import query_set_named
from judgments.files.actions.imports import import_judgments
from judgments.files.reports.import_grades import BETWEEN, NEGATIVE
from judgments.files.reports.import_raters import ACCOUNT, WHO, accounts, decision_of
from judgments.files.reports.imports import Choices, ImportResult
from judgments.files.reports.uploads import terms_of
from judgments.lists.actions.lists import list_named
from judgments.management.commands._imports import ImportCommand
from judgments.models import Purpose, QuerySet
from touchstone_core.formats.file_format import list_labels
from touchstone_core.formats.judgments.judgment_files import READABLE


def _who(text: str) -> tuple[str, str]:
    if decision := decision_of(text):
        return decision
    raise CommandError(f"--rater-is {text} is not {WHO}.", returncode=BAD_INPUT)


class Command(ImportCommand):
    help = (
        f"Imports judgments into a judgment list: all or nothing, by pair and rater. Reads {list_labels(READABLE)}. "
        "--column raters=A,B names the columns of raters. "
        "A row with a query and a document only is a pair to be judged."
    )
    purpose = Purpose.JUDGMENTS.value
    how_to_create = (
        "Create it with its queries by import_queries --create, or here with --create and --create-missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--list", required=True, metavar="NAME")
        parser.add_argument("--scale", metavar="NAME", help="the scale of a list that --create creates")
        parser.add_argument(
            "--overlap",
            type=int,
            default=1,
            help="raters per pair of a list that --create creates; default: 1",
        )
        parser.add_argument("--rater", metavar="NAME", help="who judged, if the file doesn’t say")
        parser.add_argument(
            "--negative",
            choices=["refuse", *filter(None, NEGATIVE)],
            default="refuse",
            help="what a negative grade becomes if the scale doesn’t have it; default: refuse",
        )
        parser.add_argument(
            "--between",
            choices=["refuse", *filter(None, BETWEEN)],
            default="refuse",
            help="what a grade between two of the scale becomes, such as a fraction; default: refuse",
        )
        parser.add_argument(
            "--rater-is",
            action="append",
            default=[],
            metavar="NAME=WHO",
            help="who a name of the file is: external, machine, account:USERNAME of a member, or same:NAME, where another name differs in case only",
        )
        parser.add_argument(
            "--origin",
            default="",
            metavar="TEXT",
            help="what made the grades of machines, such as model, prompt and date",
        )
        parser.add_argument(
            "--priority",
            choices=list(BY_NAME),
            default="with-others",
            help="when raters get the new pairs: with the others, before them, or when they are done",
        )
        parser.add_argument(
            "--documents", action="store_true", help="import the documents of a Quepid book too"
        )
        parser.add_argument(
            "--create-missing", action="store_true", help="create unknown queries and documents, too"
        )

    def choices(self, options: dict[str, Any]) -> Choices:
        raters = dict(_who(text) for text in options["rater_is"])
        return replace(
            super().choices(options),
            raters=raters,
            origin=options["origin"],
            documents=options["documents"],
            priority=BY_NAME[options["priority"]],
        )

    def bring_in(self, options: dict[str, Any], choices: Choices) -> ImportResult:
        judgment_list = list_named(
            query_set=query_set_named(name=options["query_set"], create=options["create"]),
            name=options["list"],
            create=options["create"],
            scale=options["scale"],
            overlap=options["overlap"],
        )
        self.check_accounts(judgment_list.query_set, choices)
        with self.open(options["file"], choices) as judgments:
            result = import_judgments(
                judgment_list=judgment_list,
                file=judgments,
                at=timezone.now(),
                terms=terms_of(options["file"], choices),
                source=self.source(options["file"]),
            )
        self.report(judgments.report)
        return result

    def check_accounts(self, query_set: QuerySet, choices: Choices) -> None:
        people = accounts(query_set)
        for who in choices.raters.values():
            if who.startswith(ACCOUNT) and who.removeprefix(ACCOUNT) not in people:
                fault = f"{who.removeprefix(ACCOUNT)} is not a member of {query_set.name}."
                raise CommandError(fault, returncode=BAD_INPUT)
