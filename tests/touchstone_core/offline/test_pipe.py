"""What happens to a command when the reader of its output leaves."""

import socket

import pytest

from touchstone_core.offline.pipe import readers_may_leave


def test_what_breaks_another_connection_is_raised():
    ours, theirs = socket.socketpair()
    theirs.close()

    with ours, pytest.raises(BrokenPipeError), readers_may_leave():
        ours.sendall(b"lost")
