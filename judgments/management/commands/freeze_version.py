"""Freezes the grades of a list as its next version."""

from argparse import ArgumentParser
from typing import Any

from judgments.base.commands import ActionCommand
from judgments.content.actions.query_sets import query_set_named
from judgments.lists.actions.lists import list_named
from judgments.lists.actions.versions import freeze_version
from touchstone_core.words import counted


class Command(ActionCommand):
    help = "Freezes the grades of a list as its next version, which nothing changes, and writes its number and hash."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument("--list", required=True, metavar="NAME")
        parser.add_argument("--note", default="", help="what it is for")

    def handle(self, *args: Any, **options: Any) -> None:
        query_set = query_set_named(name=options["query_set"], create=False)
        judgment_list = list_named(
            query_set=query_set, name=options["list"], create=False, scale=None, overlap=1
        )
        version = freeze_version(judgment_list=judgment_list, note=options["note"])
        self.stdout.write(
            f"{judgment_list}@{version.number}: {counted(version.grade_count, 'grade')}, SHA-256 {version.sha256}"
        )
        last = judgment_list.versions.filter(number__lt=version.number).order_by("number").last()
        if last is not None and last.sha256 == version.sha256:
            self.stderr.write(
                f"Nothing has changed since version {last.number}: version {version.number} has the same grades."
            )
