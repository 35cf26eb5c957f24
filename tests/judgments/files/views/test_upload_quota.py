"""How much one person may leave undecided, and how to get rid of it."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from judgments.files.actions.uploads import UploadQuotaError, discard_undecided, keep_upload
from judgments.models import Purpose, Role, Upload
from tests import factories as make

pytestmark = pytest.mark.django_db
CONTENT = b"query_id,query\nq1,zoo\n"


@pytest.fixture
def admin(query_set):
    return make.make_member(query_set, Role.ADMIN)


def keep(query_set, user, content=CONTENT):
    file = SimpleUploadedFile("queries.csv", content)
    return keep_upload(query_set=query_set, user=user, purpose=Purpose.QUERIES, file=file)


def send(client, query_set):
    file = SimpleUploadedFile("queries.csv", CONTENT)
    return client.post(reverse("import-queries", args=[query_set.pk]), {"file": file})


def test_more_files_than_one_person_may_leave_are_refused_with_a_way_out(client, admin, query_set, settings):
    settings.UNDECIDED_UPLOADS = 2
    client.force_login(admin)
    for _ in range(2):
        assert send(client, query_set).status_code == 302

    refused = send(client, query_set)
    account = client.get(reverse("account"))

    assert refused.status_code == 422
    assert "discard some on your account page" in refused.content.decode()
    assert len(account.context["undecided"]) == Upload.objects.count() == 2


def test_more_bytes_are_refused_too(admin, query_set, settings):
    settings.UNDECIDED_BYTES = 2 * len(CONTENT)
    keep(query_set, admin)
    keep(query_set, admin)

    with pytest.raises(UploadQuotaError, match=f"{2 * len(CONTENT)}\xa0bytes together"):
        keep(query_set, admin)


def test_what_others_leave_does_not_count(admin, query_set, settings):
    settings.UNDECIDED_UPLOADS = 1
    keep(query_set, make.make_member(query_set, Role.ADMIN))

    keep(query_set, admin)

    with pytest.raises(UploadQuotaError, match="1 file of yours"):
        keep(query_set, admin)


def test_what_was_imported_does_not_count(client, admin, query_set, settings):
    settings.UNDECIDED_UPLOADS = 1
    client.force_login(admin)

    client.post(send(client, query_set)["Location"], {"action": "import"})

    assert send(client, query_set).status_code == 302


def test_undecided_files_are_discarded_on_the_account_page(
    client, admin, query_set, django_capture_on_commit_callbacks
):
    other = keep(query_set, make.make_member(query_set, Role.ADMIN))
    mine = [keep(query_set, admin) for _ in range(2)]
    client.force_login(admin)

    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(reverse("account"), {"discard": "files"}, follow=True)

    assert "Discarded 2 files" in response.content.decode()
    assert list(Upload.objects.all()) == [other]
    assert not any(upload.file.storage.exists(upload.file.name) for upload in mine)
    admin.refresh_from_db()
    assert admin.single_key_shortcuts


def test_what_anybody_left_for_a_week_goes_at_the_next_upload(admin, query_set):
    old = keep(query_set, make.make_member(query_set, Role.ADMIN))
    Upload.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=8))

    fresh = keep(query_set, admin)

    assert list(Upload.objects.all()) == [fresh]
    assert discard_undecided(user=old.user) == 0
