"""The front of a web process, without sockets: an application as WSGI has them, and messages as ASGI has them."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.urls import reverse

from config import front
from config.front import PASSWORD_FORMS, REFUSED, SMALL_BODY, Front
from config.middleware import RefusalMiddleware, SignInMiddleware
from config.monitored_paths import LIVE, READY
from config.outbox import ClientGoneError, Outbox


def run(work):
    """In a thread of its own: in the thread of the tests Playwright's loop may be running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class Streaming(list[bytes]):
    streaming = True


class Client:
    """One request, sent in `blocks` and then nothing more, and what came back."""

    def __init__(self, path="/", method="GET", blocks=(), **headers):
        self.blocks = list(blocks)
        self.sent = []
        self.scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"a=\xff",
            "http_version": "1.1",
            "scheme": "http",
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.2", 5000),
            "headers": [
                (name.replace("_", "-").encode(), str(value).encode()) for name, value in headers.items()
            ],
        }

    async def receive(self):
        if not self.blocks:
            await asyncio.Event().wait()
        block = self.blocks.pop(0)
        if block is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": block, "more_body": bool(self.blocks)}

    async def send(self, message):
        self.sent.append(message)

    def of(self, application, hung=lambda: False):
        """Status and body of the answer; None where there is none."""
        run(Front(application, hung)(self.scope, self.receive, self.send))
        if not self.sent:
            return None
        return self.sent[0]["status"], b"".join(message["body"] for message in self.sent[1:])


def echo(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [threading.current_thread().name.split("_")[0].encode(), b" ", environ["wsgi.input"].read()]


def refused(environ, start_response):
    start_response("503 Busy", [])
    return [environ[REFUSED].encode()]


@pytest.mark.parametrize(
    ("client", "lane"),
    [
        (Client("/"), b"pages"),
        (Client("/static/css/any.css"), b"files"),
        (Client("/lists/judge-worker.js"), b"files"),
        (Client("/health/live"), b"files"),
        (Client("/health/ready"), b"files"),
        (Client("/metrics"), b"files"),
        (Client("/accounts/sign-in/"), b"pages"),
        (Client("/accounts/sign-in/", "POST"), b"passwords"),
        (Client("/join/token/", "POST"), b"passwords"),
        (Client("/accounts/sign-in/oidc/"), b"provider"),
        (Client("/accounts/sign-in/oidc/back/"), b"provider"),
        (Client("/nowhere", "POST"), b"pages"),
    ],
)
def test_every_kind_of_request_has_threads_of_its_own(client, lane):
    assert client.of(echo) == (200, lane + b" ")


def test_each_form_with_a_password_is_an_address():
    arguments = {"join": ["token"], "admin:auth_user_password_change": ["1"]}

    for name in PASSWORD_FORMS:
        assert front._name_of(reverse(name, args=arguments.get(name))) == name


def test_a_small_body_is_there_before_a_thread_is():
    client = Client("/", "POST", [b"one ", b"two"], content_length=7)

    assert client.of(echo) == (200, b"pages one two")


def test_a_large_body_is_read_while_it_comes():
    whole = [b"x" * SMALL_BODY, b"y" * 10]

    status, body = Client("/", "POST", whole, content_length=SMALL_BODY + 10).of(echo)

    assert (status, body) == (200, b"uploads " + b"".join(whole))


@pytest.mark.parametrize("headers", [{"content_length": SMALL_BODY + 10}, {"transfer_encoding": "chunked"}])
def test_a_body_that_is_not_read_is_thrown_away(headers):
    client = Client("/", "POST", [b"x" * 10, b"y"], **headers)

    assert client.of(lambda environ, start: start("302 Found", []) or [b""]) == (302, b"")
    assert client.blocks == []


def test_who_goes_on_sending_what_is_not_read_is_not_heard_without_end(monkeypatch):
    monkeypatch.setattr(front, "LINGER_SECONDS", 0.01)
    client = Client("/", "POST", content_length=SMALL_BODY + 10)

    assert client.of(lambda environ, start: start("302 Found", []) or [b""]) == (302, b"")


def test_a_body_that_comes_too_slowly_is_refused(monkeypatch):
    monkeypatch.setattr(front, "BODY_SECONDS", 0.01)

    assert Client("/", "POST", content_length=7).of(echo)[0] == 408
    with pytest.raises(front.TooSlowError):
        Client("/", "POST", content_length=SMALL_BODY + 1).of(echo)


def test_a_body_that_trickles_in_uses_up_its_time_and_one_that_flows_does_not(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(front, "time", SimpleNamespace(monotonic=lambda: now[0]))
    clock = front.BodyClock()
    for _ in range(100):
        assert clock.start() == front.BODY_SECONDS
        now[0] += 5
        clock.stop(5 * front.BODY_RATE)
        now[0] += 100  # the thread does something else

    clock.stop(10_000_000 + 1)
    assert clock.start() == front.BODY_SECONDS
    now[0] += front.BODY_SECONDS
    with pytest.raises(front.TooSlowError):
        clock.stop(0)


def test_who_leaves_in_the_middle_of_a_body_gets_no_answer():
    assert Client("/", "POST", [b"one", None], content_length=7).of(echo) is None
    with pytest.raises(ClientGoneError):
        Client("/", "POST", [b"one", None], content_length=SMALL_BODY + 1).of(echo)


def test_web_sockets_are_not_answered():
    client = Client()
    client.scope["type"] = "websocket"

    assert client.of(echo) is None


def test_a_file_that_is_made_while_it_is_sent_is_made_by_threads_of_its_own():
    closed = []

    class Stream(Streaming):
        def __iter__(self):
            yield threading.current_thread().name.split("_")[0].encode()

        def close(self):
            closed.append(threading.current_thread().name.split("_")[0])

    assert Client().of(lambda environ, start: start("200 OK", []) or Stream()) == (200, b"exports")
    assert closed == ["exports"]


@pytest.mark.parametrize("kind", [list, Streaming])
def test_an_answer_that_breaks_off_has_no_end(kind):
    class Broken(kind):
        def __iter__(self):
            yield b"part"
            raise ZeroDivisionError

    client = Client()
    with pytest.raises(ZeroDivisionError):
        client.of(lambda environ, start: start("200 OK", []) or Broken())

    assert all(message.get("more_body", True) for message in client.sent)


def test_an_answer_that_nobody_reads_is_given_up(monkeypatch):
    monkeypatch.setattr(front, "READ_SECONDS", 0.01)
    client = Client()

    async def send(message):
        client.sent.append(message)
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    client.send = send
    assert client.of(echo) == (200, b"pages ")


def test_who_finds_no_thread_in_time_is_told_so(monkeypatch):
    monkeypatch.setattr(front, "make_lanes", lambda: LANES | {"pages": LANES["pages"]._replace(seconds=0.01)})
    over = threading.Event()
    LANES = make_lanes()
    for _ in range(4):
        LANES["pages"].threads.submit(over.wait)
    try:
        assert Client().of(refused) == (503, b"crowded")
        for _ in range(2):
            LANES["files"].threads.submit(over.wait)
        LANES["files"] = LANES["files"]._replace(seconds=0.01)
        assert Client().of(refused)[0] == 503
    finally:
        over.set()


make_lanes = front.make_lanes


def test_while_the_database_hangs_nobody_waits_for_it():
    assert Client().of(refused, hung=lambda: True) == (503, b"away")
    assert Client(READY).of(refused, hung=lambda: True) == (503, b"away")
    assert Client("/static/css/any.css").of(echo, hung=lambda: True) == (200, b"files ")
    assert Client(LIVE).of(echo, hung=lambda: True) == (200, b"files ")


def test_a_request_that_waited_for_a_thread_does_not_wait_for_a_database_that_hangs_by_now():
    since = iter([False, True])

    assert Client().of(refused, hung=lambda: next(since)) == (503, b"away")


def test_the_request_is_what_wsgi_calls_one():
    environ = front.make_environ(
        Client("/a%20b%C3%A4", content_type="text/plain", content_length=3, cookie="a").scope, None
    )

    assert environ["PATH_INFO"] == "/a b\xc3\xa4"
    assert (environ["QUERY_STRING"], environ["REMOTE_ADDR"]) == ("a=\xff", "127.0.0.2")
    assert (environ["CONTENT_TYPE"], environ["CONTENT_LENGTH"], environ["HTTP_COOKIE"]) == (
        "text/plain",
        "3",
        "a",
    )


def test_a_header_that_comes_twice_is_one_list():
    scope = Client().scope
    scope["headers"] = [(b"accept", b"a"), (b"accept", b"b")]

    assert front.make_environ(scope, None)["HTTP_ACCEPT"] == "a,b"


def test_what_a_client_does_not_take_waits_in_a_file_and_is_taken_out_of_it():
    async def take():
        outbox = Outbox(asyncio.get_running_loop())
        outbox.write([b"a" * (2 << 20)])
        outbox.end()
        blocks, last = [], False
        while not last:
            block, last = await outbox.next()
            blocks.append(block)
        outbox.close()
        return b"".join(blocks)

    assert run(take()) == b"a" * (2 << 20)


def test_a_thread_learns_that_the_client_left():
    async def leave():
        outbox = Outbox(asyncio.get_running_loop())
        outbox.close()
        with pytest.raises(ClientGoneError):
            outbox.write([b"a"])
        return outbox

    run(leave()).end()  # after the loop


@pytest.mark.parametrize(
    ("kind", "words"), [("away", "reach its database"), ("crowded", "too busy right now")]
)
def test_a_refused_request_gets_a_page_that_says_why(rf, kind, words):
    response = RefusalMiddleware(lambda _: HttpResponse())(rf.get("/", **{REFUSED: kind}))

    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert words in " ".join(response.content.decode().split())
    assert RefusalMiddleware(lambda _: HttpResponse("on"))(rf.get("/")).content == b"on"


def test_the_upload_of_a_stranger_is_refused_unread(rf):
    request = rf.post("/uploads/", b"x" * (SMALL_BODY + 1), content_type="text/plain")
    request.user = AnonymousUser()

    response = SignInMiddleware(lambda _: HttpResponse("read"))(request)

    assert (response.status_code, response["Location"]) == (302, f"{reverse('sign-in')}?next=/")
    assert request.environ["wsgi.input"].read(1) == b"x"
