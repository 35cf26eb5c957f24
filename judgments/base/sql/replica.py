"""Whether the replica has what the primary had at this moment."""

from typing import Final

from judgments.base.sql import copy

POSITION: Final = "SELECT pg_current_wal_lsn()::text"
# A server that isn't in recovery follows nobody, so nothing says how old its rows are.
HAS_REPLAYED: Final = """
SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() >= %(position)s::pg_lsn, false)
"""


def position() -> str:
    """How far the primary has written its log. What was committed before is in there."""
    return str(copy.value(POSITION))


def has_replayed(position: str) -> bool | None:
    """Asked on the replica; None if that server isn't one."""
    is_replica, has = copy.row(HAS_REPLAYED, position=position)
    return bool(has) if is_replica else None
