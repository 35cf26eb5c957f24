"""Every test process has a PostgreSQL of its own, in a temporary folder, gone when the tests end."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config import postgres


@contextmanager
def fleeting_server() -> Iterator[postgres.Server]:
    """A server that promises nothing after a crash and therefore is fast.

    Its folder lies directly under the temporary folder: pytest's own are too deep for a socket's address.
    """
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        server = postgres.Server(Path(folder), settings=postgres.FLEETING)
        with server.running():
            yield server
