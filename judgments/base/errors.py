"""What can go wrong in judging. The message is a sentence for the person who will read it."""

from typing import Any


class JudgmentsError(Exception):
    """The base of all; never raised itself."""


class ArchivedError(JudgmentsError):
    """Somebody would change something in a query set that is archived."""

    def __init__(self) -> None:
        super().__init__("This query set is archived: it is kept as it is, and nothing in it changes.")


class ChangedSinceError(JudgmentsError):
    """Somebody has changed what a form was opened for; `stored` is the row as it is now."""

    def __init__(self, kind: str, stored: Any) -> None:
        super().__init__(f"Somebody has changed this {kind} since you opened it. Nothing was saved yet.")
        self.stored = stored
