"""How long a transaction may wait for somebody who takes what it reads."""

from typing import Final

from judgments.base.sql import copy

LONGEST_WAIT: Final = "5min"


def end_if_stalled() -> None:
    """The transaction ends, with its connection, where its next statement takes longer than LONGEST_WAIT to come.

    One that stays open keeps vacuum from every row that has died since it began, in all tables.
    """
    copy.run("SELECT set_config('idle_in_transaction_session_timeout', %(wait)s, true)", wait=LONGEST_WAIT)
