"""What the three import commands share: reading a file, reporting, and the exit status."""

import hashlib
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from judgments.base.commands import BAD_INPUT, ActionCommand, add_header_line
from judgments.content.actions.query_sets import NoQuerySetError, query_set_named
from judgments.files.actions.imports import ImportRefusedError, Source
from judgments.files.reports.import_raters import ALIKE
from judgments.files.reports.imports import READABLE, Choices, ImportResult, OpenedFile, open_judgment_file
from judgments.files.reports.uploads import Reading, read_data
from judgments.lists.actions.lists import NoListError
from judgments.models import Membership, Role
from judgments.people.actions.members import give_role
from touchstone_core.formats.content import documents, queries
from touchstone_core.formats.judgments import judgments
from touchstone_core.formats.problems import FormatError, MissingColumnError, Report
from touchstone_core.formats.text import ENCODINGS
from touchstone_core.words import counted

COLUMNS: Final = {
    "queries": [column.target for column in queries.COLUMNS],
    "documents": [column.target for column in documents.COLUMNS],
    "judgments": [*(column.target for column in judgments.COLUMNS), "raters"],
}
_CREATE: Final = "--create-missing makes unknown queries and documents."
OPTIONS: Final = {
    "unknown query": _CREATE,
    "unknown document": _CREATE,
    ALIKE: "--rater-is NAME=same:OTHER says that two names are one rater, --rater-is NAME=external that they are two.",
    "negative grade": "--negative says what a negative grade becomes.",
    "between two grades": "--between nearest takes the nearest grade.",
}
"""By kind of problem: the option that decides."""
ONE = {"queries": "query", "documents": "document", "judgments": "judgment"}


class ImportCommand(ActionCommand):
    """Exit status 2 for whatever is wrong with the file or the arguments; the report goes to stderr."""

    purpose: str
    how_to_create = "Create it with --create."
    """The query set."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="plain or packed (gzip, zstd, bzip2, zip)")
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument(
            "--create",
            action="store_true",
            help="create the query set, and a list of judgments, if there is none",
        )
        parser.add_argument("--admin", metavar="USERNAME", help="make this account an admin of the query set")
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="NAME=HEADER",
            help="which header of the file is meant, such as query_id=QID; repeat it for more",
        )
        parser.add_argument("--encoding", choices=list(ENCODINGS), default="", help="default: by the content")
        add_header_line(parser)
        parser.add_argument(
            "--format", choices=sorted(READABLE[self.purpose]), default="", help="default: by the content"
        )
        parser.add_argument("--good-lines", action="store_true", help="leave out lines with problems")
        parser.add_argument("--dry-run", action="store_true", help="say what would change, change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with transaction.atomic():
                result = self.bring_in(options, self.choices(options))
                result.check_something(Path(options["file"]).name, self.purpose)
                if options["admin"]:
                    query_set = query_set_named(name=options["query_set"], create=False)
                    give_role(query_set=query_set, username=options["admin"], role=Role.ADMIN)
                transaction.set_rollback(options["dry_run"])
        except ImportRefusedError as error:
            self.report(error.report)
            refusal = self.refusal(options["file"], error.report)
            hints = dict.fromkeys(
                hint for kind, hint in OPTIONS.items() if kind in error.report.errors.counts
            )
            raise CommandError(" ".join([refusal, *hints]), returncode=BAD_INPUT) from None
        except MissingColumnError as error:
            hint = f"If the column has another name, add --column {error.target}=HEADER."
            raise CommandError(f"{error.message} {hint}", returncode=BAD_INPUT) from None
        except FormatError as error:
            raise CommandError(error.message, returncode=BAD_INPUT) from None
        except NoListError as error:
            raise CommandError(
                f"{error} Create it with --create and --scale.", returncode=BAD_INPUT
            ) from None
        except NoQuerySetError as error:
            raise CommandError(f"{error} {self.how_to_create}", returncode=BAD_INPUT) from None
        self.say(options["file"], result, dry_run=options["dry_run"])
        if (
            options["create"]
            and not options["dry_run"]
            and not Membership.objects.filter(query_set__name__iexact=options["query_set"]).exists()
        ):
            self.stderr.write(
                f"Nobody is a member of {options['query_set']} yet, so that only site administrators can open it: "
                "add people with manage.py add_member, or import with --admin USERNAME."
            )

    def bring_in(self, options: dict[str, Any], choices: Choices) -> ImportResult:
        """Finds or makes where the records belong, and imports them there."""
        raise NotImplementedError

    def choices(self, options: dict[str, Any]) -> Choices:
        return Choices(
            encoding=options["encoding"],
            format=options["format"],
            header_line=options["header_line"],
            columns=dict(self.column(text) for text in options["column"]),
            good_lines=options["good_lines"],
            rater=options.get("rater") or "",
            create_missing=options.get("create_missing", False),
            negative=options.get("negative", "").replace("refuse", ""),
            between=options.get("between", "").replace("refuse", ""),
        )

    def column(self, text: str) -> tuple[str, str]:
        """What we call a column, and its header in the file."""
        target, equals, header = (part.strip() for part in text.partition("="))
        if not equals:
            raise CommandError(f"--column {text} is not NAME=HEADER.", returncode=BAD_INPUT)
        if target not in COLUMNS[self.purpose]:
            names = ", ".join(COLUMNS[self.purpose])
            fault = f"--column {text}: {self.purpose} have no “{target}”. Choose one of {names}."
            raise CommandError(fault, returncode=BAD_INPUT)
        return target, header

    @contextmanager
    def open(self, file: str, choices: Choices) -> Iterator[OpenedFile]:
        """Judgments, read one by one."""
        name, limit = Path(file).name, settings.UNPACKED_LIMIT
        with (
            self.file(file) as content,
            open_judgment_file(content, name=name, choices=choices, limit=limit) as judgments,
        ):
            yield judgments

    def read(self, file: str, target: Any, choices: Choices) -> Reading:
        """Good queries or documents. Raises ImportRefusedError for a file that must not be imported."""
        with self.file(file) as content:
            reading = read_data(
                content,
                name=Path(file).name,
                purpose=self.purpose,
                target=target,
                choices=choices,
                limit=settings.UNPACKED_LIMIT,
            )
        if not reading.report.ok and not choices.good_lines:
            raise ImportRefusedError(reading.report)
        self.report(reading.report)
        return reading

    def file(self, file: str) -> BinaryIO:
        try:
            return Path(file).open("rb")
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.", returncode=BAD_INPUT) from None

    def source(self, file: str) -> Source:
        """For the audit log; what is no file but a pipe can be read once only, and has no hash."""
        path = Path(file)
        if not path.is_file():
            return Source(path.name)
        with path.open("rb") as content:
            return Source(path.name, hashlib.file_digest(content, "sha256").hexdigest())

    def refusal(self, file: str, report: Report) -> str:
        return f"Nothing was imported: {counted(report.errors.total, 'problem')} in {Path(file).name}."

    def report(self, report: Report) -> None:
        for sentence in report.errors.sentences():
            self.stderr.write(sentence, self.style.ERROR)
        for sentence in report.warnings.in_short().values():
            self.stderr.write(f"Warning: {sentence}", self.style.WARNING)

    def say(self, file: str, result: ImportResult, *, dry_run: bool) -> None:
        would = " would be" if dry_run else ""
        new = counted(result.new, ONE[self.purpose], self.purpose)
        sentences = [f"{new}{would} new, {result.changed:,} changed, {result.unchanged:,} unchanged."]
        if result.documents:
            sentences[0] += f" {counted(result.documents, 'document')}{would} new or changed."
        if result.all_pairs:
            pairs = counted(result.pairs, "pair")
            sentences.append(f"{pairs} to judge{would} new, {result.known_pairs:,} known.")
        if result.all_decisions:
            decisions = counted(result.decisions, "decision")
            sentences.append(f"{decisions}{would} new or replaced, {result.known_decisions:,} unchanged.")
        if result.machines_left_out:
            machines = counted(result.machines_left_out, "machine")
            sentences.append(
                f"Grades of {machines} don’t count until an admin lets them, at Quality, Raters."
            )
        self.stdout.write(f"{Path(file).name}: {' '.join(sentences[result.judges_nothing :])}")
