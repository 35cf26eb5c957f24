"""What a worker imports for somebody who loses the right to, before the import or in the middle of it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from judgments.files.actions import imports
from judgments.files.actions.uploads import NOT_ALLOWED, keep_upload
from judgments.files.reports.imports import Choices
from judgments.models import Judgment, Membership, Purpose, Query, Role, User
from tests import factories as make
from tests.judgments.files.actions.test_import_jobs import in_a_thread, request, state, upload
from tests.judgments.working import somebody_is_held_up, until, work

__all__ = ["upload"]  # a fixture

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_jobs")]

without_rights = pytest.mark.parametrize(
    "gone",
    [
        lambda: Membership.objects.update(role=Role.ENGINEER),
        lambda: Membership.objects.all().delete(),
        lambda: User.objects.update(is_active=False),
        lambda: User.objects.update(is_active=False, is_superuser=True),
    ],
)


@without_rights
def test_somebody_who_is_no_admin_any_more_imports_nothing(upload, gone):
    request(upload)
    gone()

    work()

    assert "no longer an admin" in state(upload)[2]
    assert not Judgment.objects.exists()


@without_rights
def test_nothing_is_imported_when_who_asked_loses_the_right_meanwhile(upload, gone, monkeypatch):
    request(upload)
    merge = imports.judgment_merges.merge

    def merge_and_lose_the_right(**arguments):
        written = merge(**arguments)
        in_a_thread(gone).join()
        return written

    monkeypatch.setattr(imports.judgment_merges, "merge", merge_and_lose_the_right)

    work()

    assert state(upload) == (False, False, NOT_ALLOWED)
    assert not Judgment.objects.exists()
    assert not Query.objects.exists()


def test_an_import_finds_out_at_its_end_that_who_asked_lost_the_right(upload):
    queries = b"query_id,text\nq1,boots\n"
    upload = keep_upload(
        query_set=upload.query_set,
        user=upload.user,
        purpose=Purpose.QUERIES,
        file=SimpleUploadedFile("queries.csv", queries),
    )
    request(upload, choices=Choices())
    with transaction.atomic():
        # An import of queries waits for whoever writes one.
        make.make_query(upload.query_set, "q1", text="shoes")
        working = in_a_thread(work)
        until(somebody_is_held_up)
        in_a_thread(lambda: User.objects.update(is_active=False)).join()
    working.join(60)

    assert state(upload) == (False, False, NOT_ALLOWED)
    assert Query.objects.get().text == "shoes"
