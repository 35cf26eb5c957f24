"""What must not stand in a log."""

import logging
import re

_INVITATION = re.compile(r"/join/[^/\s]+")


class WithoutTokens(logging.Filter):
    """Leaves the tokens of invitations out of messages: Django names the address of a request that was refused."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _INVITATION.sub("/join/…", record.getMessage()), None
        return True
