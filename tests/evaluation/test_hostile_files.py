"""Hostile files sent to the pages that take files: refused in words, within 10 s and 500 MB, here and in the reading process."""

import resource
import time
from functools import cache

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluation.models import Run
from judgments.models import Act, Judgment, Role, Verb
from tests import factories as make
from tests.evaluation.hostile_files import HOSTILE

SECONDS, MEGABYTES = 10, 500
CHOSEN = {"order": "score", "unknown": "refuse", "duplicates": "refuse", "several": "refuse"}
WORDS = {
    "parquet of many rows": "says that it has 20,000,000 rows, too many for its size",
    "wide": "has 20,003 columns; at most 1,000 are read",
}


@cache
def made(name: str) -> bytes:
    return HOSTILE[name]()


@pytest.fixture
def scene(transactional_db, client):
    query_set = make.make_query_set(name="Shop")
    client.force_login(make.make_member(query_set, Role.ADMIN))
    judgment_list = make.make_list(query_set)
    make.make_pair(judgment_list, make.make_query(query_set, "q"), make.make_document(query_set, "d"))
    return judgment_list


@pytest.mark.drill
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("page", ["run-upload", "import-judgments", "import-documents", "list-gold-import"])
def test_a_hostile_file_is_refused_within_its_limits(client, scene, page, name):
    key = scene.pk if page in ("import-judgments", "list-gold-import") else scene.query_set_id
    file = SimpleUploadedFile("hostile", made(name))
    before = _peaks()
    began = time.monotonic()

    response = client.post(reverse(page, args=[key]), {"file": file, **CHOSEN}, follow=True)

    seconds = time.monotonic() - began
    more = [after - now for after, now in zip(_peaks(), before, strict=True)]
    assert response.status_code in (200, 422)
    assert b"required" not in response.content, "the form was refused, not the file"
    assert not Run.objects.exists()
    assert not Judgment.objects.exists()
    assert seconds < SECONDS, f"{seconds:.1f} s"
    assert max(more) < MEGABYTES, f"{more} MB"


def _peaks() -> list[int]:
    """MB of this process, and of the largest that it started."""
    return [
        resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]


def test_a_run_that_is_read_by_another_process_is_stored_and_logged_by_its_account(client, scene):
    rows = "".join(f"q Q0 document-{number} {number} {-number} run\n" for number in range(40_000))
    file = SimpleUploadedFile("run.trec", rows.encode())

    response = client.post(reverse("run-upload", args=[scene.query_set_id]), {"file": file, **CHOSEN})

    assert response.status_code == 302, response.content.decode()
    assert Run.objects.get().row_count == 40_000
    assert str(Act.objects.get(verb=Verb.IMPORTED).by_id) == client.session["_auth_user_id"]


@pytest.mark.parametrize("name", WORDS)
def test_hostile_files_are_refused_in_words(client, scene, name):
    file = SimpleUploadedFile("hostile", made(name))

    page = client.post(reverse("run-upload", args=[scene.query_set_id]), {"file": file, **CHOSEN})

    assert WORDS[name] in page.content.decode()
