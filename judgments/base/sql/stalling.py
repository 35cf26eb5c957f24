"""Limits how long a transaction waits for a slow client."""

from typing import Final

from judgments.base.sql import copy

LONGEST_WAIT: Final = "5min"


def end_if_stalled() -> None:
    """Ends the transaction and its connection if the next statement takes longer than LONGEST_WAIT to come.

    An open transaction keeps vacuum from removing dead rows in all tables.
    """
    copy.run("SELECT set_config('idle_in_transaction_session_timeout', %(wait)s, true)", wait=LONGEST_WAIT)
