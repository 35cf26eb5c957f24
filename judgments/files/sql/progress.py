"""How far a long import has come, told to other connections without a table of its own; and its end by force.

An import is one transaction, so nothing that it writes is seen before its end. The name of its connection is, and
PostgreSQL counts the rows of a COPY for all to see. Both are gone with the transaction.
"""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from judgments.base.sql import copy

FILES = "files"
"""Files of a new evaluation are read for its preview: so many of so many."""
READING, WRITING, SETTLING, CHECKING = "reading", "writing", "settling", "checking"
"""The steps: the file is read and compared (with how many rows are expected), rows are written, grades are settled (with
how many pairs are done, of how many, in how many seconds), and keys are checked, after which little is left."""
STORING = "storing"
"""Runs are stored: so many of so many, in so many seconds."""
RANKING = "ranking"
"""Rankings of runs are stored, in one COPY for each run: so many before it, of so many, in so many seconds."""

PREFIX = "import"
TELL = "SELECT set_config('application_name', %(name)s, true)"
FIND = """
SELECT activity.application_name, copied.tuples_processed,
       extract(epoch FROM clock_timestamp() - activity.query_start)::float8
FROM pg_stat_activity activity LEFT JOIN pg_stat_progress_copy copied ON copied.pid = activity.pid
WHERE activity.datname = current_database() AND left(activity.application_name, 27) = ANY(%(names)s)
ORDER BY activity.xact_start
"""
END = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND starts_with(application_name, %(name)s)
"""


class Step(NamedTuple):
    """`row_count` are the rows of a COPY that has run for so many `seconds`; None outside of one."""

    name: str
    numbers: list[int]
    row_count: int | None
    seconds: float


def tell(key: UUID | None, step: str, *numbers: int) -> None:
    """PostgreSQL keeps 63 characters of it all. Without a key nothing is told."""
    if key is not None:
        copy.rows(TELL, name=" ".join([_name(key), step, *map(str, numbers)]))


def current_steps(keys: Iterable[UUID]) -> dict[UUID, Step]:
    """Of the imports of these keys that run now. Of two of one key, one waits for the other, which began earlier."""
    by_name = {_name(key): key for key in keys}
    steps: dict[UUID, Step] = {}
    for name, row_count, seconds in copy.rows(FIND, names=list(by_name)):
        own, step, *numbers = name.removeprefix(f"{PREFIX} ").split()
        key = by_name[f"{PREFIX} {own}"]
        steps.setdefault(key, Step(step, [int(number) for number in numbers], row_count, seconds))
    return steps


def end(key: UUID) -> None:
    """Ends the connection of whatever imports this, and with it the transaction."""
    copy.rows(END, name=_name(key))


def _name(key: UUID) -> str:
    return f"{PREFIX} {key.hex[:20]}"
