"""What can go wrong in judging. The message is a sentence for the person who will read it."""


class JudgmentsError(Exception):
    """The base of all; never raised itself."""


class ArchivedError(JudgmentsError):
    """Somebody would change something in a query set that is archived."""

    def __init__(self) -> None:
        super().__init__("This query set is archived: it is kept as it is, and nothing in it changes.")
