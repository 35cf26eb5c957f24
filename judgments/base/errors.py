"""Errors whose message is a sentence for the person who reads it."""

from typing import Any


class JudgmentsError(Exception):
    """Base class of all errors; never raised itself. `sentence` is what an error says that is raised without another one."""

    sentence = ""

    def __init__(self, sentence: str = "") -> None:
        super().__init__(sentence or self.sentence)


class ArchivedError(JudgmentsError):
    """Somebody tries to change something in an archived query set."""

    sentence = "This query set is archived, so nothing in it can be changed."


class NotAllowedError(JudgmentsError):
    """By the time a worker comes to it, the person who asked for it may no longer do it; the text says what wasn't done."""


class ChangedSinceError(JudgmentsError):
    """Somebody changed a row after a form was opened for it; `current` is the row as it is now."""

    def __init__(self, kind: str, current: Any) -> None:
        super().__init__(f"Somebody changed this {kind} after you opened it. Nothing was saved yet.")
        self.current = current


class CrowdedError(Exception):
    """Too many people want what only a few can have at once. It passes, so the answer is 503."""
