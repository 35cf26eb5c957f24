"""Gives an account a role in a query set."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judgments.base.errors import JudgmentsError
from judgments.content.actions.query_sets import query_set_named
from judgments.models import Role
from judgments.people.actions.members import give_role

BAD_INPUT = 2


class Command(BaseCommand):
    help = "Makes an account a member of a query set, or gives a member another role."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument("--role", required=True, choices=Role.values)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            query_set = query_set_named(name=options["query_set"], create=False)
            user = give_role(query_set=query_set, username=options["username"], role=options["role"])
        except JudgmentsError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
        self.stdout.write(f"{user.username} is {options['role']} of {query_set}.")
