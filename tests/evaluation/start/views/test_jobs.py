"""The pages of jobs: who sees what, how far it is, and what can be done about it."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.start.reports.jobs import jobs_of
from judgments.content.actions import deletion_jobs
from judgments.files.actions.import_jobs import FAILURE_NOTE, request_import
from judgments.files.actions.uploads import keep_upload
from judgments.files.reports.imports import Choices
from judgments.files.reports.uploads import CANCEL_NOTE
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.models import Deletion, Draft, Purpose, QuerySet, Upload
from tests import factories as make
from tests.evaluation.scored import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_jobs")]


@pytest.fixture
def admin(judgment_list):
    return make.make_member(judgment_list.query_set, "admin", username="ann")


@pytest.fixture
def upload(judgment_list, admin):
    """An import that waits for a worker."""
    upload = keep_upload(
        query_set=judgment_list.query_set,
        user=admin,
        purpose=Purpose.JUDGMENTS,
        file=SimpleUploadedFile("grades.qrels", b"q1 0 d1 1\n"),
        judgment_list=judgment_list,
    )
    request_import(upload=upload, choices=Choices(), at=make.NOW, latest_import="", rows=1)
    return upload


def make_deletion(judgment_list, **fields):
    given = {"kind": "runs", "keys": [1], "subject": "3 runs", "requested_at": make.NOW}
    return Deletion.objects.create(query_set=judgment_list.query_set, **given | fields)


def words(job):
    return job.what, job.about, job.state


def page(client, user, query_set=None):
    client.force_login(user)
    url = reverse("query-set-jobs", args=[query_set.pk]) if query_set else reverse("jobs")
    return text_of(client.get(url))


def test_an_import_that_waits_is_shown_with_who_and_what(client, upload, admin):
    (job,) = jobs_of(admin)

    assert words(job) == ("Import of judgments into First pass", "grades.qrels", "waiting")
    assert (job.who, job.query_set, job.since) == ("ann", "Shop", make.NOW)
    text = page(client, admin)
    assert reverse("upload", args=[upload.pk]) in text
    assert 'value="cancel"' in text


def test_other_admins_see_it_and_can_cancel_it_but_engineers_and_strangers_dont(
    client, upload, judgment_list
):
    query_set = judgment_list.query_set
    other = make.make_member(query_set, "admin")
    engineer = make.make_member(query_set, "engineer")
    for user in (engineer, make.make_member(query_set, "rater"), make.make_user()):
        assert jobs_of(user) == []
        client.force_login(user)
        assert client.post(reverse("job", args=[upload.pk]), {"action": "cancel"}).status_code == 404
    (job,) = jobs_of(other)
    assert job.url == ""  # its page is its owner's

    client.force_login(other)
    response = client.post(reverse("job", args=[upload.pk]), {"action": "cancel"}, follow=True)

    assert "Cancelled." in text_of(response)
    upload.refresh_from_db()
    assert (upload.requested_at, upload.failure) == (None, CANCEL_NOTE)
    assert jobs_of(other) == []
    again = client.post(reverse("job", args=[upload.pk]), {"action": "cancel"}, follow=True)
    assert "It had ended already." in text_of(again)


@pytest.mark.parametrize("failure", ["", "The file was empty."])
def test_a_former_member_does_not_learn_what_the_query_set_is_called_now(
    client, judgment_list, upload, admin, failure
):
    if failure:
        Upload.objects.update(requested_at=None, failure=failure)
    admin.memberships.all().delete()
    QuerySet.objects.update(name="Renamed since")

    text = page(client, admin)

    assert "Renamed since" not in text
    assert judgment_list.name not in text
    assert client.post(reverse("job", args=[upload.pk])).status_code == 404


def test_a_failed_import_says_why(client, upload, admin):
    Upload.objects.update(requested_at=None, failure=FAILURE_NOTE)

    (job,) = jobs_of(admin)

    assert job.state == "failed"
    assert FAILURE_NOTE in page(client, admin)


def test_a_deletion_shows_its_progress_with_rate_and_time_left(client, judgment_list, admin):
    make_deletion(
        judgment_list,
        user=admin,
        counts={"judgments": 200_000, "pairs": 50_000},
        row_total=1_000_000,
        started_at=make.NOW,
        changed_at=make.NOW + timedelta(seconds=10),
    )

    (job,) = jobs_of(admin, judgment_list.query_set)

    assert words(job) == ("Deletion of 3 runs", "", "running")
    assert job.progress.figures == "250,000 of 1,000,000, 25,000 a second, about 30 seconds left in this step"
    text = page(client, admin, judgment_list.query_set)
    assert "Deleting rows: 250,000 of 1,000,000" in text
    assert 'value="0.250"' in text


def test_a_failed_deletion_can_be_tried_again(client, judgment_list, admin):
    deletion = make_deletion(judgment_list, failure=deletion_jobs.FAILURE_NOTE)
    assert 'value="retry"' in page(client, admin)

    for says in ("A worker tries it again.", "Jobs"):
        response = client.post(reverse("job", args=[deletion.pk]), {"action": "retry"}, follow=True)
        assert says in text_of(response)

    assert ProcrastinateJob.objects.count() == 1
    deletion.refresh_from_db()
    assert deletion.failure == ""


def test_what_has_ended_is_not_shown(judgment_list, admin, upload):
    make_deletion(judgment_list, keys=[], done_at=make.NOW)
    Upload.objects.update(requested_at=None, applied_at=make.NOW)

    assert jobs_of(admin) == []


def test_a_new_evaluation_is_its_owners(client, admin, judgment_list):
    draft = Draft.objects.create(user=admin, name="November", requested_at=make.NOW)

    (job,) = jobs_of(admin)

    assert words(job) == ("New evaluation", "November", "waiting")
    assert jobs_of(admin, judgment_list.query_set) == []
    assert jobs_of(make.make_member(judgment_list.query_set, "admin")) == []
    client.force_login(admin)
    client.post(reverse("job", args=[draft.pk]), {"action": "cancel"})
    draft.refresh_from_db()
    assert draft.failure == CANCEL_NOTE


def test_site_administrators_see_all_of_the_site(judgment_list, upload, admin):
    make_deletion(judgment_list)
    Draft.objects.create(user=admin, name="November", requested_at=make.NOW)

    assert len(jobs_of(make.make_user(is_superuser=True))) == 3


def test_figures_that_a_page_waits_for_are_shown_to_members_of_the_list(judgment_list, admin):
    ask_for_fit(judgment_list=judgment_list, rule="ds-ordinal", at_once=True)
    other = make.make_list(make.make_query_set())
    ask_for_fit(judgment_list=other, rule="ds-ordinal", at_once=True)

    (job,) = jobs_of(admin)

    assert words(job) == ("Model of raters", "First pass", "waiting")
    assert job.url == reverse("list", args=[judgment_list.pk])
    assert (job.can_cancel, job.can_retry) == (False, False)


def test_a_deletion_of_a_query_set_is_seen_by_who_asked_for_it(judgment_list, admin):
    make_deletion(judgment_list, kind="query-set", user=admin, subject="query set Shop")
    admin.memberships.all().delete()

    (job,) = jobs_of(admin)

    assert (job.what, job.query_set) == ("Deletion of query set Shop", "")


def test_without_jobs_the_page_says_what_would_be_there(client, admin):
    assert "No jobs" in page(client, admin)
