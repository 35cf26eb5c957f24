"""Several hosts on one PostgreSQL: each is a process with a folder of its own, and starts its own worker."""

import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import psycopg

from config import postgres
from config.account import Account
from config.postgres_data import APPLICATION, OWNER, programs
from tests.config.conftest import COMMAND, ROOT, free_port, launch
from tests.config.test_two_roles import manage, url
from tests.database import copy_migrated_data

LIST = "SELECT id FROM judgments_judgmentlist WHERE name = 'First pass'"
JUDGED = "SELECT array_agg(request_id::text) FROM judgments_judgment WHERE request_id IS NOT NULL"
PASSWORD = "correct horse battery"
ACCOUNTS = f"""
from judgments.models import User
for user in User.objects.all():
    user.set_password({PASSWORD!r})
    user.save()
"""
RULES = "local all all trust\nlocal replication all trust\n"


@contextmanager
def primary():
    """PostgreSQL with the example data. A replica may follow it."""
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        copy_migrated_data(Path(folder))
        rules = Path(folder) / "postgres" / "everybody.conf"
        rules.write_text(RULES)
        server = postgres.Server(Path(folder), settings={"fsync": "off", "hba_file": str(rules)})
        with server.running():
            yield server


@contextmanager
def replica_of(server):
    """A server that follows, and the process of it."""
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        var = Path(folder)
        account = Account.of(server.data)
        account.own(var)
        socket = postgres.socket_folder(var)
        socket.mkdir(mode=0o700)
        account.own(socket)
        with (var / "log").open("wb") as log:
            words = ["-h", server.socket, "-U", OWNER, "-D", var / "postgres", "-R", "-c", "fast"]
            assert account.spawn([programs() / "pg_basebackup", *words], log).wait(60) == 0
            options = [f'--unix_socket_directories="{socket}"', "--listen_addresses="]
            options += [f"--hba_file={server.settings['hba_file']}", "--fsync=off"]
            options += [
                f"--max_connections={postgres.SETTINGS['max_connections']}"
            ]  # no fewer than the primary
            process = account.spawn([programs() / "postgres", "-D", var / "postgres", *options], log)
        try:
            until(lambda: reached(var))
            yield var, process
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(30)


def reached(var):
    with suppress(psycopg.OperationalError), psycopg.connect(url(var, APPLICATION)):
        return True
    return False


class Host:
    """A web host with its worker. `folder` is its own: nothing in there is shared."""

    def __init__(self, folder, variables, root=ROOT):
        port = str(free_port())
        self.folder, self.root, self.address = folder, root, f"http://127.0.0.1:{port}"
        own = {"TOUCHSTONE_VAR": str(folder), "PORT": port, "WEB_CONCURRENCY": "1"}
        self.variables = own | variables
        self.start()

    def start(self):
        self.process = launch(COMMAND, self.root, **self.variables)
        self.said = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        try:
            until(lambda: any("Touchstone runs on" in line for line in self.said), 120)
        except AssertionError:
            self.kill()
            raise

    def _read(self):
        self.said.extend(iter(self.process.stdout.readline, ""))

    def family(self):
        """Its processes, worker included."""
        with suppress(psutil.NoSuchProcess):
            own = psutil.Process(self.process.pid)
            return [own, *own.children(recursive=True)]
        return []

    def runs(self, what):
        found = False
        for process in self.family():
            with suppress(psutil.NoSuchProcess):
                found |= any(what in word for word in process.cmdline())
        return found

    def kill(self):
        """As if somebody pulled its plug."""
        for process in self.family():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait(30)
        self.reader.join(30)
        self.process.stdout.close()


@contextmanager
def hosts(server, count, **more):
    """They start one after the other, and know nothing but the same DATABASE_URL."""
    variables = {
        "DATABASE_URL": url(server.var_dir, APPLICATION),
        "DATABASE_OWNER_URL": url(server.var_dir, OWNER),
        **more,
    }
    started = []
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        first = {"TOUCHSTONE_VAR": str(Path(folder) / "0"), **variables}
        assert manage("load_example", **first)[0] == 0
        assert manage("shell", "--no-imports", "-c", ACCOUNTS, **first) == (0, "")
        try:
            for number in range(count):
                own = Path(folder) / str(number)
                if number:  # static files take long to compress
                    own.mkdir()
                    shutil.copytree(Path(folder) / "0" / "static", own / "static")
                    shutil.copy2(Path(folder) / "0" / "static.seen", own)
                started.append(Host(own, variables))
            yield started
        finally:
            for host in started:
                if host.process.poll() is None:
                    host.process.terminate()
            for host in started:
                with suppress(subprocess.TimeoutExpired):
                    host.process.wait(30)
                if not host.process.stdout.closed:
                    host.kill()


class Load:
    """Threads that go on until the block ends, whatever a host does."""

    def __init__(self, *acts, pause=0.05):
        self.pause = pause
        self.over = threading.Event()
        self.errors = []
        self.threads = [threading.Thread(target=self._repeat, args=[act]) for act in acts]

    def _repeat(self, act):
        try:
            while not self.over.is_set():
                act()
                time.sleep(self.pause)
        except Exception as error:
            self.errors.append(error)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(60)


def until(found, seconds=60):
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)
    return value


class Visitor:
    """Somebody behind a load balancer: each request goes to the next host that answers. `answers` are all of them."""

    def __init__(self, hosts, username):
        self.hosts, self.username = list(hosts), username
        self.answers = []
        self.client = httpx.Client(timeout=60)
        self.turn = 0
        page = self.get("/accounts/sign-in/")
        assert page.status_code == 200, page.text
        answer = self.post("/accounts/sign-in/", username=username, password=PASSWORD)
        assert answer.status_code == 302, answer.text

    def get(self, path, host=None):
        return self._ask("GET", path, host)

    def post(self, path, *, files=None, host=None, headers=None, **data):
        fields = {"csrfmiddlewaretoken": self.client.cookies["csrftoken"], **data}
        return self._ask("POST", path, host, data=fields, files=files, headers=headers)

    def _ask(self, method, path, host, **options):
        for _ in range(200):
            self.turn += 1
            asked = host or self.hosts[self.turn % len(self.hosts)]
            try:
                answer = self.client.request(method, asked.address + path, **options)
            except httpx.TransportError:
                time.sleep(0.05)
                continue
            self.answers.append((asked, path, answer.status_code))
            return answer
        raise TimeoutError(path)

    def faults(self):
        return [(path, status) for _, path, status in self.answers if status >= 500]


class Judge(Visitor):
    """Sends each answer until a host has saved it, as the rating screen does."""

    def __init__(self, hosts, username):
        super().__init__(hosts, username)
        self.saved = []

    def judge(self, page):
        form = self.get(page).text
        form = form[form.find('class="grade-panel"') :]
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
        if "pair" not in fields:
            return
        answer = {"pair": fields["pair"], "request_id": fields["request_id"], "grade": "1"}
        if self.post(f"{page}answer/", **answer).status_code < 400:
            self.saved.append(fields["request_id"])


def value(server, statement, **parameters):
    """The only value of a statement, as the owner."""
    with psycopg.connect(url(server.var_dir, OWNER), autocommit=True) as connection:
        return connection.execute(statement, parameters).fetchone()[0]


@contextmanager
def visits(hosts):
    """A function by which people sign in, each as a `Visitor` or another kind of one."""
    with ExitStack() as stack:

        def sign_in(username, kind=Visitor):
            visitor = kind(hosts, username)
            stack.callback(visitor.client.close)
            return visitor

        yield sign_in


def places_of(server):
    """The addresses of the example's first list and its query set."""
    judgment_list = value(server, LIST)
    query_set = value(
        server, "SELECT query_set_id FROM judgments_judgmentlist WHERE id = %(id)s", id=judgment_list
    )
    return f"/lists/{judgment_list}", f"/query-sets/{query_set}"


def upload_documents(visitor, query_set, content, host=None):
    """The address of the preview."""
    answer = visitor.post(
        f"{query_set}/import/documents/", files={"file": ("documents.csv", content.encode())}, host=host
    )
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


def confirm(visitor, address, host=None):
    page = visitor.get(address, host=host)
    assert page.status_code == 200, page.text
    fields = dict(re.findall(r'name="(seen|rows)" value="([^"]*)"', page.text))
    assert fields.keys() == {"seen", "rows"}, page.text
    return visitor.post(address, action="import", host=host, **fields)
