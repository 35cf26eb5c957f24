"""Choices of when raters get added pairs."""

NORMAL, FIRST, LAST = 0, 10, -10
PRIORITIES = [(NORMAL, "with the others"), (FIRST, "before all others"), (LAST, "when the others are done")]
BY_NAME = {"with-others": NORMAL, "first": FIRST, "last": LAST}
