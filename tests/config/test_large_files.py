"""Files by page while others use the real site: hostile ones, and large ones that are as they should be."""

import gzip
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

import psutil
import pytest

from config.front import SMALL_BODY
from tests.config.conftest import rows, starter
from tests.config.judging_client import Rater, Screen
from tests.evaluation.hostile_files import HOSTILE

pytestmark = pytest.mark.drill

SECONDS = 10.0  # in which a page is there, though this machine does other things as well
MEGABYTES = 500  # that the web processes together may take more than before
CHOSEN = {"order": "score", "unknown": "refuse", "duplicates": "refuse", "several": "refuse"}
A_FEW = ["gzip of blanks", "bzip2 of rows", "parquet of many rows", "wide", "deep"]
DOCUMENTS = 1000  # of each query in the large files


@pytest.fixture(scope="module")
def site():
    with starter() as start:
        process = start(TOUCHSTONE_DEMO="1")
        threading.Thread(target=process.stdout.read, daemon=True).start()
        process.var = process.data.parent
        yield process


class Admin(Rater):
    def send(self, path, content, **fields):
        """A form with a file: where it led, and its page."""
        mark = uuid4().hex
        fields |= {"csrfmiddlewaretoken": self.fields(self.open(path))["csrfmiddlewaretoken"]}
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        ]
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\n'
        body = "".join([*parts, head]).encode() + content + f"\r\n--{mark}--\r\n".encode()
        request = urllib.request.Request(  # noqa: S310 - http only
            self.address + path, body, {"Content-Type": f"multipart/form-data; boundary={mark}"}
        )
        try:
            response = self.browser.open(request, timeout=600)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            page = response.read().decode()
            if response.status == HTTPStatus.SERVICE_UNAVAILABLE:
                raise response
            assert response.status in (HTTPStatus.OK, HTTPStatus.UNPROCESSABLE_ENTITY), page
            return response.geturl(), page


def query_set_of(site):
    ((key,),) = rows(site.var, "SELECT id FROM judgments_queryset WHERE name = 'Outdoor shop'")
    return key


def web_memory(site):
    """MB of the processes that serve pages; what reads a file is a process of its own, with a limit of its own."""
    found = []
    for one in psutil.Process(site.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            if "config.serve" in one.cmdline():
                found.append(one.memory_info().rss)
    assert found
    return sum(found) >> 20


@contextmanager
def in_use(site, visitor, *paths):
    """While the block runs, pages are opened again and again; gives the seconds that each took, and the most memory."""
    over, took, memory = threading.Event(), [], [web_memory(site)]

    def use():
        while not over.is_set():
            for path in paths:
                began = time.monotonic()
                visitor.open(path)
                took.append(time.monotonic() - began)
            memory.append(web_memory(site))
            over.wait(0.1)

    with ThreadPoolExecutor(1) as pool:
        using = pool.submit(use)
        try:
            yield took, memory
        finally:
            over.set()
            using.result()


@pytest.mark.parametrize("names", [A_FEW, pytest.param(list(HOSTILE), id="all", marks=pytest.mark.thorough)])
def test_hostile_files_are_refused_while_pages_are_served(site, names):
    admins = [Admin(site.address, "admin") for _ in range(4)]
    set_key = query_set_of(site)
    before = rows(site.var, "SELECT count(*) FROM evaluation_run")
    with in_use(site, Rater(site.address, "engineer"), "/", f"/query-sets/{set_key}/runs/") as (took, memory):

        def refused(nth_and_name):
            nth, name = nth_and_name
            path = f"/query-sets/{set_key}/runs/upload/"
            return admins[nth % 4].send(path, HOSTILE[name](), **CHOSEN)

        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(refused, enumerate(names)))
        until_nothing_waits(site)

    assert rows(site.var, "SELECT count(*) FROM evaluation_run") == before
    assert len(answers) == len(names)
    assert len(took) > len(names)
    assert max(took) < SECONDS
    assert max(memory) - memory[0] < MEGABYTES, memory


def test_ten_who_have_files_read_at_once_leave_pages_to_others(site):
    """Each file is small enough to come to a thread that makes pages, and takes seconds. Who is told to come again does so."""
    admins = [Admin(site.address, "admin") for _ in range(10)]
    set_key = query_set_of(site)
    lines = "".join(f"{uuid4()},{n}\n" for n in range(10_000))
    content = gzip.compress(f"query_id,query\n{lines}".encode())
    assert len(content) < SMALL_BODY
    path, refused = f"/query-sets/{set_key}/import/queries/", []

    def insist(act):
        for _ in range(40):
            try:
                return act()
            except urllib.error.HTTPError as error:
                refused.append(error.code)
                time.sleep(int(error.headers["Retry-After"]))
        raise TimeoutError

    where, _ = insist(lambda: admins[0].send(path, content))
    preview, visitor = urlsplit(where).path, Rater(site.address, "engineer")
    with (
        in_use(site, visitor, "/", f"/query-sets/{set_key}/runs/") as (took, memory),
        ThreadPoolExecutor(10) as pool,
    ):
        sent = [pool.submit(insist, partial(admin.send, path, content)) for admin in admins[:5]]
        opened = [pool.submit(insist, partial(admin.open, preview)) for admin in admins[5:]]

    assert all("seen" in Rater.fields(one.result()) for one in opened)
    assert len({one.result()[0] for one in sent}) == 5
    assert set(refused) == {HTTPStatus.SERVICE_UNAVAILABLE}, "ten find no place at once"
    assert max(took) < SECONDS
    assert max(memory) - memory[0] < MEGABYTES, memory


@pytest.mark.parametrize(
    "queries", [pytest.param(200, id="200"), pytest.param(7_000, id="7000", marks=pytest.mark.thorough)]
)
def test_a_large_run_is_stored_while_pages_are_served(site, queries):
    admin, name = Admin(site.address, "admin"), f"large {queries}"
    set_key = query_set_of(site)
    listed = "query_id,query\n" + "".join(f"many-{nth},words {nth}\n" for nth in range(queries))
    where, _ = admin.send(f"/query-sets/{set_key}/import/queries/", listed.encode())
    confirm(admin, where)
    run = gzip.compress(
        "".join(
            f"many-{query} Q0 d{(query * 7 + rank) % 5000} {rank} {DOCUMENTS - rank} {name.replace(' ', '-')}\n"
            for query in range(queries)
            for rank in range(DOCUMENTS)
        ).encode(),
        1,
    )

    with in_use(site, Rater(site.address, "engineer"), "/", f"/query-sets/{set_key}/runs/") as (took, memory):
        _, page = admin.send(f"/query-sets/{set_key}/runs/upload/", run, **CHOSEN, name=name)
        until_nothing_waits(site)

    stored = "SELECT row_count FROM evaluation_run WHERE name = %(name)s"
    assert rows(site.var, stored, name=name) == [(queries * DOCUMENTS,)], page
    assert max(took) < SECONDS
    assert max(memory) - memory[0] < MEGABYTES, memory


@pytest.mark.parametrize(
    "judgments",
    [pytest.param(20_000, id="20000"), pytest.param(1_000_000, id="million", marks=pytest.mark.thorough)],
)
def test_raters_judge_while_a_large_file_comes_into_their_list(site, judgments):
    """Each answer is there in the end, whatever was refused for a moment, and the file is there whole."""
    admin = Admin(site.address, "admin")
    ((key,),) = rows(site.var, "SELECT id FROM judgments_judgmentlist WHERE name = 'First pass'")
    content = "query,document,grade,rater\n" + "".join(
        f"many {judgments}-{nth // 50},d{nth % 50},{nth % 4},machine {judgments}\n"
        for nth in range(judgments)
    )
    where, _ = admin.send(f"/lists/{key}/import/", gzip.compress(content.encode(), 1))
    screen = Screen(site.address, "rater", f"/lists/{key}/judge/")
    answered, waited, over = [], [], threading.Event()

    def judge():
        while not over.is_set() and screen.deck:
            pair, request_id, began = screen.deck[0], str(uuid4()), time.monotonic()
            screen.insist("answer", **screen.form(pair, 1, request_id))
            waited.append(time.monotonic() - began)
            answered.append(request_id)
            over.wait(0.2)

    with in_use(site, Rater(site.address, "engineer"), "/") as (took, memory), ThreadPoolExecutor(1) as pool:
        judging = pool.submit(judge)
        try:
            confirm(admin, where, create_missing="on")
        finally:
            over.set()
            judging.result()

    of_machine = (
        "SELECT count(*) FROM judgments_judgment JOIN judgments_rater ON judgments_rater.id = rater_id "
        "WHERE judgments_rater.name = %(name)s"
    )
    assert rows(site.var, of_machine, name=f"machine {judgments}") == [(judgments,)]
    kept = rows(
        site.var, "SELECT count(*) FROM judgments_judgment WHERE request_id = ANY(%(ids)s)", ids=answered
    )
    assert kept == [(len(answered),)]
    assert answered
    assert max(waited) < SECONDS
    assert max(took) < SECONDS
    assert max(memory) - memory[0] < MEGABYTES, memory


def until_nothing_waits(site):
    """A worker stores large files of runs."""
    waiting = "SELECT count(*) FROM judgments_upload WHERE requested_at IS NOT NULL AND applied_at IS NULL AND failure = ''"
    deadline = time.monotonic() + 600
    while rows(site.var, waiting) != [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def confirm(admin, where, **choices):
    """Opens the preview, which reads the file, and imports it; both may take a while. Returns when the import has ended well."""
    with admin.browser.open(where, timeout=600) as response:
        token = admin.fields(response.read().decode())["csrfmiddlewaretoken"]
    fields = {"action": "import", "csrfmiddlewaretoken": token} | choices
    admin.browser.open(where, urlencode(fields).encode(), timeout=600).close()
    at, deadline = where, time.monotonic() + 3600
    while at == where:
        with admin.browser.open(where, timeout=600) as response:
            at, page = response.geturl(), response.read().decode()
        assert "Not imported" not in page
        assert time.monotonic() < deadline
        time.sleep(0.2)
