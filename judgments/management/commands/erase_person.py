"""Erases the personal data of an account; the judgments stay under a pseudonym."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from judgments.base.commands import ActionCommand
from judgments.models import User
from judgments.people.actions.erasure import erase_person
from judgments.people.actions.members import NoAccountError
from judgments.people.reports.erasure import preview
from touchstone_core.words import counted


class Command(ActionCommand):
    help = (
        "Erases the name, e-mail address, sessions, tokens and invitations of an account, and its name in the log. "
        "Judgments, grades and versions stay, under a pseudonym. Shows what it would do unless you add --yes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--keep-comments", action="store_true", help="keep the comments on judgments")
        parser.add_argument("--yes", action="store_true", help="erase; without it nothing is changed")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], erased_at=None).first()
        if user is None:
            raise NoAccountError(options["username"])
        if not options["yes"]:
            self._show(user)
            return
        erased = erase_person(user=user, blank_comments=not options["keep_comments"], at=timezone.now())
        self.stdout.write(f"Erased. The account is now {erased.username}, and nobody can sign in with it.")

    def _show(self, user: User) -> None:
        shown = preview(user)
        kept = [counted(shown.judgments, "judgment"), counted(shown.decisions, "decision")]
        gone = [
            counted(len(shown.memberships), "role"),
            counted(shown.tokens, "API token"),
            counted(shown.invitations, "invitation"),
            counted(shown.sessions, "session"),
        ]
        self.stdout.write(f"{user.username} would become {shown.pseudonym}.")
        self.stdout.write(f"Kept under that name: {', '.join(kept)}.")
        self.stdout.write(f"Removed: {', '.join(gone)}.")
        self.stdout.write(
            f"The name would change in {counted(shown.lines, 'line')} of the log. Comments: {shown.comments}."
        )
        for name in shown.left_without_admin:
            self.stdout.write(f"Query set {name} would have no admin.")
        self.stdout.write("Nothing was changed. Add --yes to erase.")
