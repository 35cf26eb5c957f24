"""Gives an account a role in a query set."""

from argparse import ArgumentParser
from typing import Any

from judgments.base.commands import ActionCommand
from judgments.content.actions.query_sets import query_set_named
from judgments.models import Role
from judgments.people.actions.members import give_role


class Command(ActionCommand):
    help = "Makes an account a member of a query set, or gives a member another role."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument("--role", required=True, choices=Role.values)

    def handle(self, *args: Any, **options: Any) -> None:
        query_set = query_set_named(name=options["query_set"], create=False)
        user = give_role(query_set=query_set, username=options["username"], role=options["role"])
        self.stdout.write(f"{user.username} is {options['role']} of {query_set}.")
