"""Clients that send and read as slowly as they can, a crowd that signs in, a database that hangs: the real site serves others
all the while, and comes back by itself."""

import http.client
import os
import selectors
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import psutil
import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from config.front import LINGER_SECONDS
from config.monitored_paths import LIVE, READY
from config.web_worker import HEAD_SECONDS
from tests.config.cluster import PASSWORD
from tests.config.conftest import rows, starter
from tests.config.judging_client import Screen
from tests.config.test_two_roles import manage

pytestmark = pytest.mark.drill

SOCKETS = 64
SECONDS = 10.0  # in which a page is there, though this machine does other things as well
EVERY = 1.5
HEAD = b"POST /accounts/sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
LARGE = 200 << 20
LIST = "First pass"
CROWD = f"""
from django.contrib.auth.hashers import make_password
from judgments.models import User
password = make_password({PASSWORD!r})
User.objects.bulk_create(User(username=f"person {{nth}}", password=password) for nth in range(50))
"""


@pytest.fixture(scope="module")
def site():
    with starter() as start:
        process = start(TOUCHSTONE_DEMO="1")
        threading.Thread(target=process.stdout.read, daemon=True).start()
        process.var = process.data.parent
        yield process


def connect(site, receive_buffer=0):
    address = urlsplit(site.address)
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.connect((address.hostname, address.port))
    return connection


@contextmanager
def slow_senders(site, first, drop=b"a"):
    """Sockets that send `first` and then one byte every now and then, for as long as they are let."""
    connections = [connect(site) for _ in range(SOCKETS)]

    def send():
        for connection in connections:
            with suppress(OSError):  # it was closed for being too slow
                connection.send(drop)

    for connection in connections:
        connection.sendall(first)
    with ExitStack() as at_the_end, repeated(send):
        for connection in connections:
            at_the_end.enter_context(connection)
        yield connections


@contextmanager
def slow_readers(site, request):
    """Sockets that ask and then take one byte every now and then. The first one is left to the caller."""
    readers = [connect(site, receive_buffer=4096) for _ in range(SOCKETS)]

    def read():
        for reader in readers[1:]:
            with suppress(OSError):
                reader.recv(1, socket.MSG_DONTWAIT)

    for reader in readers:
        reader.sendall(request)
    with ExitStack() as at_the_end, repeated(read):
        for reader in readers:
            at_the_end.enter_context(reader)
        yield readers


@contextmanager
def repeated(act):
    """Does it every now and then, in a thread, while the block runs."""
    over = threading.Event()

    def go_on():
        while not over.wait(EVERY):
            act()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def read_to_the_end(reader):
    """The size of an answer in chunks, which has to be whole."""
    reader.settimeout(120)
    size, end = 0, b""
    while not end.endswith(b"\r\n0\r\n\r\n"):
        block = reader.recv(1 << 16)
        assert block
        size += len(block)
        end = (end + block)[-7:]
    return size


def get(site, path, seconds=SECONDS, **headers):
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=seconds)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def eventually(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def style_sheet(site):
    """The address of a static file with its hash."""
    (found, *_) = (site.var / "static" / "css").glob("*.????????????.css")
    return f"/static/css/{found.name}"


def is_served(site, rounds=5):
    """Pages and static files are there within SECONDS, several times in a row."""
    for _ in range(rounds):
        assert get(site, "/accounts/sign-in/") == HTTPStatus.OK
        assert get(site, style_sheet(site)) == HTTPStatus.OK
        assert get(site, "/lists/judge-worker.js") == HTTPStatus.OK
        time.sleep(0.5)


def test_heads_half_sent_hold_nobody_up(site):
    with slow_senders(site, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ") as connections:
        time.sleep(EVERY)
        is_served(site)
        ended = wait_for_ends(connections)

    assert ended == SOCKETS


def test_bodies_half_sent_hold_nobody_up(site):
    with slow_senders(site, HEAD + b"Content-Length: 1000\r\n\r\nusername=") as connections:
        time.sleep(EVERY)
        is_served(site)
        ended = wait_for_ends(connections)

    assert ended == SOCKETS


def test_large_bodies_half_sent_by_strangers_hold_nobody_up_and_reach_no_disk(site):
    with slow_senders(site, HEAD + b"Content-Length: %d\r\n\r\nusername=" % LARGE):
        time.sleep(EVERY)
        is_served(site)


def test_large_bodies_half_sent_with_a_session_hold_nobody_up(site):
    cookie = session(site)
    head = HEAD.replace(b"\r\nHost", b"\r\nCookie: " + cookie.encode() + b"\r\nHost")
    with slow_senders(site, head + b"Content-Length: %d\r\n\r\nusername=" % LARGE):
        time.sleep(EVERY)
        is_served(site)


def wait_for_ends(connections, seconds=40.0):
    """How many of the sockets the site closed by itself."""
    ended, deadline = 0, time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection, selectors.EVENT_READ)
        while selector.get_map() and time.monotonic() < deadline:
            for key, _ in selector.select(1):
                try:
                    rest = key.fileobj.recv(1 << 16)
                except ConnectionError:
                    rest = b""
                if not rest:
                    ended += 1
                    selector.unregister(key.fileobj)
    return ended


def session(site, who="admin"):
    screen = Screen.__new__(Screen)
    super(Screen, screen).__init__(site.address, who)
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in screen.cookies)


def test_slow_readers_of_a_large_export_hold_nobody_up(site):
    ((key,),) = rows(site.var, "SELECT id FROM judgments_judgmentlist WHERE name = %(name)s", name=LIST)
    rows(site.var, "UPDATE judgments_judgment SET comment = repeat('slow ', 8000)")
    cookie = session(site)
    request = f"GET /lists/{key}/export/?format=jsonl HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n"
    with slow_readers(site, request.encode()) as readers:
        for _ in range(6):
            time.sleep(EVERY)
            is_served(site, rounds=1)
            assert get(site, "/", Cookie=cookie) == HTTPStatus.OK
        size = read_to_the_end(readers[0])

    assert size > 2 << 20
    assert_nothing_is_left_open(site)


def assert_nothing_is_left_open(site):
    """No thread is in the middle of a transaction, once the clients are gone."""
    statement = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%%'"
    eventually(lambda: rows(site.var, statement) == [(0,)])


def test_a_strangers_upload_is_refused_while_it_is_sent(site):
    """The whole of it, by several at once: the temporary files of the web processes stay empty."""
    most = []
    eventually(lambda: not open_temporary_bytes(site))  # those of other tests

    def send(_):
        connection = connect(site)
        with connection:
            connection.settimeout(60)
            connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % LARGE)
            answer = connection.recv(1 << 16)
            with suppress(OSError):  # the site had seen enough
                for _ in range(LARGE >> 20):
                    connection.sendall(bytes(1 << 20))
                    most.append(open_temporary_bytes(site))
            return answer.split(b" ", 2)[1]

    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(send, range(3))) == {b"302"}
    assert max(most) == 0


def open_temporary_bytes(site):
    """Bytes in files that the web processes have open and that nobody else can see: spooled bodies."""
    total = 0
    for child in psutil.Process(site.pid).children():
        for link in Path(f"/proc/{child.pid}/fd").glob("*"):
            try:
                if str(link.readlink()).endswith("(deleted)") and link.stat().st_size > 1 << 20:
                    total += link.stat().st_size
            except OSError:
                continue
    return total


def test_a_connection_stays_for_further_requests_after_a_pause(site):
    """A proxy keeps idle connections for less time than the site does, and would else send into a closed one."""
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=SECONDS)
    connection.connect()
    with closing(connection), closing(connection.sock) as first:
        for path, pause in (
            (LIVE, 0),
            ("/accounts/sign-in/", HEAD_SECONDS + 5),
            (style_sheet(site), 0),
            ("/", 0),
        ):
            time.sleep(pause)
            connection.request("GET", path)
            connection.getresponse().read()
            assert connection.sock is first


@pytest.mark.parametrize("sent", [b"", bytes(1000)])
def test_the_rest_of_a_refused_body_is_never_taken_for_a_request(site, sent):
    """Else one client could put a request before that of another, where a proxy sends both on one connection."""
    hidden = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with connect(site) as connection:
        connection.settimeout(LINGER_SECONDS + SECONDS)
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % LARGE + sent)
        answer = connection.recv(1 << 16)
        time.sleep(LINGER_SECONDS + 1)
        with suppress(OSError):
            connection.sendall(hidden)
            while more := connection.recv(1 << 16):
                answer += more

    assert answer.startswith(b"HTTP/1.1 302")
    assert answer.count(b"HTTP/1.1") == 1


@contextmanager
def hung_postgres(site):
    """Every process of PostgreSQL stopped, as far as they are there: connections are taken and nothing is answered."""
    postmaster = psutil.Process(int((site.data / "postmaster.pid").read_text().split()[0]))
    postmaster.suspend()  # first, so that it makes no more of them
    stopped = [postmaster, *postmaster.children()]
    for process in stopped[1:]:
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            process.suspend()
    try:
        yield
    finally:
        for process in reversed(stopped):
            with suppress(psutil.NoSuchProcess):
                os.kill(process.pid, signal.SIGCONT)


def test_while_postgres_hangs_pages_say_so_and_static_files_are_served(site):
    cookie = session(site)
    assert get(site, "/", Cookie=cookie) == HTTPStatus.OK

    with hung_postgres(site):
        until = time.monotonic() + 40
        with ThreadPoolExecutor(SOCKETS) as pool:  # more than there are threads, when nobody knows yet
            first = list(pool.map(lambda _: get(site, "/", seconds=25, Cookie=cookie), range(SOCKETS)))
        assert set(first) <= {HTTPStatus.SERVICE_UNAVAILABLE}
        while time.monotonic() < until:
            assert get(site, "/", Cookie=cookie) == HTTPStatus.SERVICE_UNAVAILABLE
            assert get(site, style_sheet(site)) == HTTPStatus.OK
            assert get(site, "/lists/judge-worker.js") == HTTPStatus.OK
            assert get(site, READY, seconds=2) == HTTPStatus.SERVICE_UNAVAILABLE
            assert get(site, LIVE, seconds=2) == HTTPStatus.OK
            time.sleep(0.5)

    eventually(lambda: get(site, READY) == HTTPStatus.OK)
    eventually(lambda: get(site, "/", Cookie=cookie) == HTTPStatus.OK)
    assert {get(site, "/", Cookie=cookie) for _ in range(16)} == {HTTPStatus.OK}
    assert site.poll() is None


def seconds_of_a_password():
    """What it takes to check one; 0.353 where the minute was measured."""
    began = time.monotonic()
    PBKDF2PasswordHasher().encode(PASSWORD, "salt")
    return time.monotonic() - began


def test_a_crowd_that_signs_in_is_in_within_a_minute_and_holds_nobody_up(site):
    """Each with the right password, all at once. After a 503 they try again, once the seconds that it says are over.

    On a slower machine the minute is longer.
    """
    cookie = session(site)
    assert manage("shell", "--no-imports", "-c", CROWD, TOUCHSTONE_VAR=str(site.var)) == (0, "")
    token, refused = "a" * 32, []

    def sign_in(nth):
        """The seconds until the person is in."""
        body = urlencode({"username": f"person {nth}", "password": PASSWORD, "csrfmiddlewaretoken": token})
        headers = {"Cookie": f"csrftoken={token}", "Content-Type": "application/x-www-form-urlencoded"}
        began = time.monotonic()
        while True:
            connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=60)
            with closing(connection):
                connection.request("POST", "/accounts/sign-in/", body, headers)
                answer = connection.getresponse()
                if answer.status == HTTPStatus.FOUND:
                    return time.monotonic() - began
                refused.append(answer.status)
                time.sleep(int(answer.headers["Retry-After"]))

    with ThreadPoolExecutor(50) as pool:
        given = [pool.submit(sign_in, nth) for nth in range(50)]
        while not all(one.done() for one in given):
            assert get(site, "/", Cookie=cookie) == HTTPStatus.OK
            assert get(site, style_sheet(site)) == HTTPStatus.OK

    assert max(one.result() for one in given) < 60 * max(1, seconds_of_a_password() / 0.353)
    assert set(refused) <= {HTTPStatus.SERVICE_UNAVAILABLE}
