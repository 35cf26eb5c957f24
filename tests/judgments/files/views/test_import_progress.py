"""How far an import has come, seen from another connection while it runs."""

import threading
import time

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.urls import reverse

from judgments.files.actions.imports import import_judgments
from judgments.files.actions.uploads import keep_upload
from judgments.files.reports.uploads import Progress, progress_of
from judgments.files.sql import progress
from judgments.models import ConsensusGrade, Purpose, Role
from tests import factories as make
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def upload():
    judgment_list = make.make_list(make.make_query_set())
    user = make.make_member(judgment_list.query_set, Role.ADMIN)
    file = SimpleUploadedFile("a.qrels", b"q 0 d 1\n")
    return keep_upload(
        query_set=judgment_list.query_set,
        user=user,
        purpose=Purpose.JUDGMENTS,
        file=file,
        judgment_list=judgment_list,
    )


def elsewhere(ask, *arguments):
    """The answer in another thread, which has a connection of its own."""
    answers = []

    def run():
        answers.append(ask(*arguments))
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return answers[0]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("reading", Progress("Reading and comparing")),
        ("adding", Progress("Writing judgments")),
        ("settling 20000 50000", Progress("Grades of 20,000 of 50,000 pairs", 0.4)),
    ],
)
def test_what_an_import_tells_is_seen_until_it_ends(upload, words, expected):
    with transaction.atomic():
        progress.tell(upload.pk, words)
        assert elsewhere(progress_of, upload) == expected

    assert progress_of(upload) == Progress()


def test_lines_are_counted_while_they_are_read(upload):
    seen = []

    def records():
        for number in range(20_000):
            yield JudgmentRecord(number + 1, f"q{number // 100}", f"document-{number}", "1", 1.0)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not (seen and seen[-1].words.endswith("lines read")):
            seen.append(elsewhere(progress_of, upload))

    import_judgments(
        judgment_list=upload.judgment_list,
        records=records(),
        rater_name="a",
        create_missing=True,
        at=make.NOW,
        told_as=upload.pk,
    )

    assert seen[-1].words.endswith("lines read")
    assert seen[-1].share is None
    assert ConsensusGrade.objects.count() == 20_000


def test_the_page_that_waits_is_answered(client, upload):
    client.force_login(upload.user)
    address = reverse("upload-progress", args=[upload.pk])

    assert client.get(address).json() == {"words": "", "share": None}
    assert f'data-progress="{address}"' in client.get(reverse("upload", args=[upload.pk])).content.decode()
    with transaction.atomic():
        progress.tell(upload.pk, "settling 1 2")
        assert client.get(address).json() == {"words": "Grades of 1 of 2 pairs", "share": 0.5}
