"""manage.py check_versions: whether frozen versions are still what the log says was frozen, as an exit status."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError

from evaluation.models import Comparison, Evaluation, MeasureEvaluation
from judgments.base.commands import ActionCommand
from judgments.content.actions.query_sets import query_set_named
from judgments.lists.reports.version_checks import grades_problems, problems_in_log, problems_of_gone_lists
from judgments.models import JudgmentList, Version
from touchstone_core.words import counted


def uses_in_words(version: Version) -> str:
    """“3 stored averages of runs and the saved comparisons “A” and “B””; empty where nothing uses the version."""
    averages = sum(model.objects.filter(version=version).count() for model in (Evaluation, MeasureEvaluation))
    names = Comparison.objects.filter(version=version).order_by("name").values_list("name", flat=True)
    parts = [counted(averages, "stored average") + " of runs"] if averages else []
    if titles := ", ".join(f"“{name}”" for name in names):
        parts.append(f"the saved comparison{'s' if len(names) > 1 else ''} {titles}")
    return " and ".join(parts)


PROBLEMS, NOT_CHECKED = 1, 2


class Command(ActionCommand):
    help = (
        "Hashes the grades of all frozen versions again, and compares the recorded hashes with the log. Writes a line for "
        "each problem and for what rests on that version. Exit status 0: no problem, 1: problems, 2: not checked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--query-set", metavar="NAME", help="only its versions; all of them without")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            version_count, problem_count = self._check(options["query_set"])
        except DatabaseError as error:
            reason = str(error).strip().splitlines()[0].rstrip(".")
            raise CommandError(
                f"The versions were not checked, because the database refused: {reason}.",
                returncode=NOT_CHECKED,
            ) from error
        self.stdout.write(
            f"Checked {counted(version_count, 'version')}: {counted(problem_count, 'problem')}."
        )
        if problem_count:
            sys.exit(PROBLEMS)

    def _check(self, name: str | None) -> tuple[int, int]:
        """How many versions there are, and how many problems were written."""
        lists = JudgmentList.objects.select_related("query_set").order_by("query_set__name", "name", "pk")
        if name:
            lists = lists.filter(query_set=query_set_named(name=name, create=False))
        version_count = problem_count = 0
        for judgment_list in lists:
            for line in _problems(judgment_list):
                problem_count += 1
                self.stdout.write(line)
            version_count += judgment_list.versions.count()
        for problem in [] if name else problems_of_gone_lists():
            problem_count += 1
            self.stdout.write(f"{problem.list_name}@{problem.number}: {problem.what}. {problem.advice}")
        return version_count, problem_count


def _problems(judgment_list: JudgmentList) -> Iterator[str]:
    """A line for each problem of a list; the last one of a version says what rests on it."""
    where = f"{judgment_list.query_set}, {judgment_list}"
    log_problems = problems_in_log(judgment_list)
    versions = {version.number: version for version in judgment_list.versions.order_by("number")}
    for number in sorted({problem.number for problem in log_problems} | versions.keys()):
        version = versions.get(number)
        of_version = [problem for problem in log_problems if problem.number == number]
        of_version += grades_problems(version) if version else []
        uses = uses_in_words(version) if version and of_version else ""
        for problem in of_version:
            rests = f" It is used by {uses}." if uses and problem is of_version[-1] else ""
            yield f"{where}@{number}: {problem.what}. {problem.advice}{rests}"
