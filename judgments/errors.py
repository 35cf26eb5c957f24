"""What can go wrong in judging. The message is a sentence for the person who will read it."""


class JudgmentsError(Exception):
    """The base of all; never raised itself."""
