"""PostgreSQL behind a pooler that gives each transaction any of its connections, such as pgbouncer."""

from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections

DIRECT: Final = "direct"


def direct_alias() -> str:
    """The database without a pooler in between, if settings name it: a pooled connection can't listen for jobs."""
    return DIRECT if DIRECT in connections.settings else DEFAULT_DB_ALIAS
