"""How far a long import has come, told to other connections without a table of its own.

An import is one transaction, so nothing that it writes is seen before its end. The name of its connection is, and
PostgreSQL counts the rows of a COPY for all to see. Both are gone with the transaction.
"""

from uuid import UUID

from judgments.base.sql import copy

READING, ADDING, SETTLING = "reading", "adding", "settling"
"""The words: while the file is read and compared, while rows are written, and with how many pairs are done of how many."""

TELL = "SELECT set_config('application_name', %(name)s, true)"
FIND = """
SELECT activity.application_name, copied.tuples_processed
FROM pg_stat_activity activity LEFT JOIN pg_stat_progress_copy copied ON copied.pid = activity.pid
WHERE activity.datname = current_database() AND starts_with(activity.application_name, %(name)s)
ORDER BY activity.xact_start DESC LIMIT 1
"""


def tell(key: UUID | None, words: str) -> None:
    """`words` must be ASCII and short: PostgreSQL keeps 63 characters of both. Without a key nothing is told."""
    if key is not None:
        copy.rows(TELL, name=f"{_name(key)} {words}")


def told(key: UUID) -> tuple[str, int | None] | None:
    """The words that were told last, and the rows of a COPY that is running; None where nothing is going on."""
    found = copy.rows(FIND, name=_name(key))
    if not found:
        return None
    name, rows = found[0]
    return name.removeprefix(_name(key)).strip(), rows


def _name(key: UUID) -> str:
    return f"import {key.hex}"
