"""Hostile files sent to the pages that take files: refused in words, within 10 s and 500 MB, here and in the reading process."""

import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluation.models import Run
from judgments.models import Act, Judgment, Role, Verb
from tests import factories as make
from tests.evaluation.hostile_files import HOSTILE

pytestmark = pytest.mark.sampled

SECONDS, MEGABYTES = 10, 500
CHOSEN = {"order": "score", "unknown": "refuse", "duplicates": "refuse", "several": "refuse"}
WORDS = {
    "parquet of many rows": "says that it has 20,000,000 rows, too many for its size",
    "wide": "has 20,003 columns; at most 1,000 are read",
}


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The bytes of a hostile file, which another process makes: that may take as much memory as the file is to take."""
    folder = tmp_path_factory.mktemp("hostile")
    code = "import sys; from tests.evaluation.hostile_files import HOSTILE; open(sys.argv[2], 'wb').write(HOSTILE[sys.argv[1]]())"

    def content(name):
        path = folder / name
        if not path.exists():
            subprocess.run([sys.executable, "-c", code, name, str(path)], check=True)
        return path.read_bytes()

    return content


@pytest.fixture
def scene(transactional_db, client):
    query_set = make.make_query_set(name="Shop")
    client.force_login(make.make_member(query_set, Role.ADMIN))
    judgment_list = make.make_list(query_set)
    make.make_pair(judgment_list, make.make_query(query_set, "q"), make.make_document(query_set, "d"))
    return judgment_list


@pytest.mark.thorough
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("page", ["run-upload", "import-judgments", "import-documents", "list-gold-import"])
def test_a_hostile_file_is_refused_within_its_limits(client, scene, made, page, name):
    key = scene.pk if page in ("import-judgments", "list-gold-import") else scene.query_set_id
    file = SimpleUploadedFile("hostile", made(name))
    client.get(reverse(page, args=[key]))  # the first request compiles templates
    began = _seconds()

    with _memory() as more:
        response = client.post(reverse(page, args=[key]), {"file": file, **CHOSEN}, follow=True)

    seconds = _seconds() - began
    assert response.status_code in (200, 422)
    form = response.context.get("form")
    assert form is None or form.errors.keys() <= {"file"}, "the form was refused, not the file"
    assert not Run.objects.exists()
    assert not Judgment.objects.exists()
    assert max(more) < MEGABYTES, f"{more} MB"
    assert seconds < SECONDS, f"{seconds:.1f} s"


def _seconds() -> float:
    """Of processor time that this process and those that it started took: other work on the machine does not count."""
    return sum(os.times()[:4])


@contextmanager
def _memory():
    """MB that this process takes more, and that the largest which it starts takes, looked at every 10 ms."""
    before, largest, done = _resident("self"), [0, 0], threading.Event()
    own = _command("self")

    def look() -> None:
        while not done.wait(0.01):
            largest[0] = max(largest[0], _resident("self") - before)
            children = [one for task in Path("/proc/self/task").iterdir() for one in _children(task)]
            # Until it runs its own program, a new process shows the memory of this one.
            others = [child for child in children if _command(child) != own]
            largest[1] = max([largest[1], *map(_resident, others)])

    watch = threading.Thread(target=look)
    watch.start()
    yield largest
    done.set()
    watch.join()


def _command(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it has ended
        return b""


def _children(task: Path) -> list[str]:
    try:
        return (task / "children").read_text().split()
    except OSError:  # a thread that has ended
        return []


def _resident(process: str) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmRSS")), 0)


def test_a_run_that_is_read_by_another_process_is_stored_and_logged_by_its_account(client, scene):
    rows = "".join(f"q Q0 document-{number} {number} {-number} run\n" for number in range(40_000))
    file = SimpleUploadedFile("run.trec", rows.encode())

    response = client.post(reverse("run-upload", args=[scene.query_set_id]), {"file": file, **CHOSEN})

    assert response.status_code == 302, response.content.decode()
    assert Run.objects.get().row_count == 40_000
    assert str(Act.objects.get(verb=Verb.IMPORTED).by_id) == client.session["_auth_user_id"]


@pytest.mark.parametrize("name", WORDS)
def test_hostile_files_are_refused_in_words(client, scene, made, name):
    file = SimpleUploadedFile("hostile", made(name))

    page = client.post(reverse("run-upload", args=[scene.query_set_id]), {"file": file, **CHOSEN})

    assert WORDS[name] in page.content.decode()
