"""Requests that aren't HTTP, or almost aren't: the real site refuses them, says no more than that, and serves others."""

import threading
from contextlib import suppress
from http import HTTPStatus

import pytest

from config.monitored_paths import LIVE
from tests.config.conftest import starter
from tests.config.test_hard_times import SECONDS, connect, get, is_served

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def site():
    with starter() as start:
        process = start(TOUCHSTONE_DEMO="1", WEB_CONCURRENCY="1")
        process.var, process.said = process.data.parent, []
        threading.Thread(target=lambda: process.said.extend(process.stdout), daemon=True).start()
        yield process


def malformed_heads():
    """By the status of their answer. A page of ours, or a line of the server's."""
    get, post = b"GET /accounts/sign-in/ HTTP/1.1\r\n", b"POST /accounts/sign-in/ HTTP/1.1\r\n"
    host, end, chunked = b"Host: 127.0.0.1\r\n", b"\r\n\r\n", b"Transfer-Encoding: chunked"
    lengths = [b"-3", b"+3", b"3, 3", b"1_0", b"", b"3x", b"\xb2", b"9" * 5000, b"0" * 5000 + b"3"]
    bad = [post + host + b"Content-Length: " + length + end for length in lengths]
    bad += [
        post + host + b"Content-Length: 3\r\nContent-Length: 4" + end + b"a=bc",
        post + host + b"Content-Length: 3\r\n" + chunked + end + b"3\r\na=b\r\n0" + end,
        post + host + chunked + b"\r\n" + chunked + end + b"0" + end,
        post.replace(b"1.1", b"1.0") + host + chunked + end + b"0" + end,
        post + host + b"Transfer-Encoding: identity" + end,
        get + host + host + b"\r\n",
        get + b"Host: evil.example" + end,
        get + b"Host: [" + end,
        get + host + b"Accept : text/html" + end,
        get + host + b"Accept: text\x00" + end,
        get + host + b"Accept: text/html\r\n more" + end,
        b"GET /accounts/sign-in/\x00 HTTP/1.1\r\n" + host + b"\r\n",
        b"GET /accounts/sign-in/" + end,
        b"GET /accounts/sign-in/ HTTP/9.9\r\n" + host + b"\r\n",
        get.replace(b"\r", b"") + b"Host: 127.0.0.1\n\n",
        bytes(range(256)) * 20,
    ]
    missing = [
        b"GET /accounts/sign-in/%00 HTTP/1.1\r\n" + host + b"\r\n",
        b"GET //evil.example/accounts/sign-in/ HTTP/1.1\r\n" + host + b"\r\n",
        b"GET http://evil.example/accounts/sign-in/ HTTP/1.1\r\n" + host + b"\r\n",
        b"GET /static/../config/settings.py HTTP/1.1\r\n" + host + b"\r\n",
    ]
    too_large = [
        get + host + b"Accept: " + b"a" * (1 << 20) + end,
        get + host + b"Accept: text/html\r\n" * 5000 + b"\r\n",
    ]
    yield from ((400, head) for head in bad)
    yield from ((404, head) for head in missing)
    yield 413, post + host + b"Content-Length: " + b"9" * 4000 + end
    yield 414, b"GET /?" + b"a" * 60_000 + b" HTTP/1.1\r\n" + host + b"\r\n"
    yield from ((431, head) for head in too_large)
    yield 501, post + host + b"Transfer-Encoding: xchunked" + end


def test_malformed_heads_get_a_clean_answer_and_others_are_served(site):
    answers = []
    for status, head in malformed_heads():
        with connect(site) as connection:
            connection.settimeout(SECONDS)
            with suppress(ConnectionResetError, BrokenPipeError):  # it was refused before it was all sent
                connection.sendall(head)
            answers.append((head[:80], status, connection.recv(1 << 16)))
        assert get(site, LIVE) == HTTPStatus.OK
    is_served(site, rounds=1)

    for head, status, answer in answers:
        assert answer.startswith(b"HTTP/1.1 %d " % status), head
        assert b"Traceback" not in answer
    assert not [line for line in site.said if "Traceback" in line]


def test_requests_that_come_together_are_answered_in_their_order(site):
    one = b"GET %b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    last = b"GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    with connect(site) as connection:
        connection.settimeout(SECONDS)
        connection.sendall(one % LIVE.encode() * 50 + last)
        answer = b""
        while more := connection.recv(1 << 16):
            answer += more

    statuses = [line for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    assert statuses == [b"HTTP/1.1 200 OK"] * 50 + [b"HTTP/1.1 404 Not Found"]
