"""Previews of new evaluations whose files a worker reads: a real worker, in this process."""

import json

import pytest
from django.core.files.base import ContentFile
from django.db import transaction
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.start.actions import reading_jobs
from evaluation.start.actions.drafts import begin_draft, discard_draft, keep_draft_choices, read_within_limits
from evaluation.start.actions.reading_jobs import READINGS, BeingReadError, reading_or_ask
from evaluation.start.reports.draft_choices import DraftChoices
from judgments.files import limited_process
from judgments.files.reports.uploads import Progress, progress_of
from judgments.files.sql import progress
from judgments.lists.actions.scales import write_presets
from judgments.models import Draft
from tests import factories as make
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import SHOP, address_of
from tests.judgments.files.views.test_import_progress import elsewhere, look
from tests.judgments.working import forget_jobs, taken_by_a_dead_worker, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sampled]
FAULTY = SHOP | {"qrels.txt": "q1 0 d1 2\nq9 0 d1 x\n", "other.bin": "\0\0", "twin.trec": SHOP["good.trec"]}


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch, db):
    forget_jobs()
    write_presets()
    monkeypatch.setattr(limited_process, "SMALL", 0)


def make_draft(files=SHOP):
    contents = [ContentFile(text.encode(), name=name) for name, text in files.items()]
    return begin_draft(user=make.make_user("ada", is_superuser=True), name="Shop", files=contents)


@pytest.fixture
def draft():
    return make_draft()


@pytest.mark.parametrize("files", [SHOP, FAULTY])
def test_what_a_worker_has_read_is_what_the_request_would_have_read(files, monkeypatch):
    draft = make_draft(files)
    direct = read_within_limits(draft=draft, choices=DraftChoices())
    with pytest.raises(BeingReadError):
        reading_or_ask(draft=draft)

    work()

    draft.refresh_from_db()
    assert json.loads(json.dumps(draft.reading)) == READINGS.dump_python(direct, mode="json")
    stored = reading_or_ask(draft=draft)
    assert stored == direct
    assert (stored.makes, stored.obstacle, stored.problem_count) == (
        direct.makes,
        direct.obstacle,
        direct.problem_count,
    )
    assert not ProcrastinateJob.objects.exists()


def test_a_small_draft_is_read_by_the_request(draft, monkeypatch):
    monkeypatch.setattr(limited_process, "SMALL", 1 << 20)

    assert reading_or_ask(draft=draft).run_count == 2
    assert not ProcrastinateJob.objects.exists()


def test_two_looks_ask_once(draft):
    for _ in range(2):
        with pytest.raises(BeingReadError):
            reading_or_ask(draft=draft)

    assert ProcrastinateJob.objects.count() == 1


def test_another_choice_is_read_anew(draft):
    with pytest.raises(BeingReadError):
        reading_or_ask(draft=draft)
    work()
    keep_draft_choices(draft=draft, name="Shop", choices=DraftChoices(good_lines=True), file_choices={})
    draft.refresh_from_db()

    with pytest.raises(BeingReadError):
        reading_or_ask(draft=draft)
    work()

    draft.refresh_from_db()
    assert reading_or_ask(draft=draft).choices.good_lines


def test_a_killed_worker_leaves_it_to_another_one(draft):
    with pytest.raises(BeingReadError):
        reading_or_ask(draft=draft)
    taken_by_a_dead_worker()

    work()

    draft.refresh_from_db()
    assert reading_or_ask(draft=draft).run_count == 2


def test_where_a_worker_failed_the_request_reads(draft, monkeypatch):
    with pytest.raises(BeingReadError):
        reading_or_ask(draft=draft)
    with monkeypatch.context() as patch:
        patch.setattr(reading_jobs, "keep_reading", lambda **_: 1 / 0)
        work()

    assert reading_or_ask(draft=draft).run_count == 2


def test_a_discarded_draft_is_not_read(draft):
    with pytest.raises(BeingReadError):
        reading_or_ask(draft=draft)
    discard_draft(draft=draft)

    work()

    assert not Draft.objects.exists()
    assert not ProcrastinateJob.objects.exists()


def test_the_page_waits_and_then_shows_the_preview(draft, client):
    client.force_login(draft.user)
    page = client.get(address_of(draft))
    assert "Reading your files" in text_of(page)
    assert look(client, address_of(draft)).status_code == 204
    with transaction.atomic():
        progress.tell(draft.pk, progress.FILES, 3, 5)
        assert elsewhere(progress_of, draft) == Progress("Reading files", 3, 5)
        seen = elsewhere(lambda: text_of(look(client, address_of(draft))))
        assert "Reading files:</strong> 3 of 5" in seen

    work()

    assert look(client, address_of(draft))["HX-Refresh"] == "true"
    assert "2 queries, 3 documents, 3 judgments and 2 runs" in text_of(client.get(address_of(draft)))
