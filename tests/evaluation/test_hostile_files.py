"""Hostile files sent to the pages that take files: refused in words, within 10 s and 500 MB, here and in the reading process."""

import resource
import time
from functools import cache

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluation.models import Run
from judgments.models import Judgment, Role
from tests import factories as make
from tests.evaluation.hostile_files import HOSTILE

SECONDS, MEGABYTES = 10, 500


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

    response = client.post(reverse(page, args=[key]), {"file": file, "name": "hostile"}, follow=True)

    seconds = time.monotonic() - began
    more = [after - now for after, now in zip(_peaks(), before, strict=True)]
    assert response.status_code in (200, 422)
    assert not Run.objects.exists()
    assert not Judgment.objects.exists()
    assert seconds < SECONDS, f"{seconds:.1f} s"
    assert max(more) < MEGABYTES, f"{more} MB"


def _peaks() -> list[int]:
    """MB of this process, and of the largest that it started."""
    return [
        resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
