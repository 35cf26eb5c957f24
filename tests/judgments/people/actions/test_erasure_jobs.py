"""Erasures by a worker, which is a real one in this process: out of reach at once, erased later."""

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.urls import reverse
from procrastinate.contrib.django.models import ProcrastinateJob

from judgments.log.actions import acting
from judgments.models import Act, ApiToken, Judgment, User
from judgments.people.actions import erasure_jobs
from judgments.people.actions.erasure import LastSiteAdministratorError, OwnAccountError
from judgments.people.actions.erasure_jobs import FAILURE_NOTE, request_erasure
from tests import factories as make
from tests.html import html_of
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.working import bring_forward, forget_jobs, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site():
    forget_jobs()
    return make.make_user("site", is_superuser=True, is_staff=True)


@pytest.fixture
def kim(site):
    scene = Scene(queries=1, documents=1)
    kim = make.make_member(scene.query_set, "rater", username="kim")
    scene.judge(kim, scene.list.pairs.get().pk, value=1, comment="not sure")
    return kim


def request(kim, site):
    with acting(site):
        return request_erasure(user=kim, blank_comments=True, by=site, at=make.NOW)


def test_the_page_asks_a_worker_and_says_how_far_it_is(client, kim, site):
    client.force_login(site)
    address = reverse("person-erase", args=[kim.pk])

    asked = client.post(address, {"comments": "blank", "typed": "kim"}, follow=True)
    work()

    assert "A worker is erasing the personal data" in html_of(asked)
    assert "was erased" in html_of(client.get(address))
    assert not Judgment.objects.exclude(comment="").exists()
    assert not Act.objects.filter(subject__contains="kim").exists()
    assert Act.objects.get(verb="erased").by_name == "site"


def test_nobody_gets_in_while_it_waits(client, kim, site):
    make.make_own_token(kim)
    client.force_login(kim)

    request(kim, site)

    kim.refresh_from_db()
    assert (kim.username, kim.is_active) == ("kim", False)
    assert client.get(reverse("account")).status_code == 302
    assert not ApiToken.objects.exists()


def test_it_is_asked_for_and_done_once(kim, site):
    assert request(kim, site)
    assert not request(kim, site)
    (job,) = ProcrastinateJob.objects.all()
    erasure_jobs.erase_in_background.defer(**job.args)

    work()

    assert Act.objects.filter(verb="erased").count() == 1
    kim.refresh_from_db()
    assert (kim.username, kim.erasure_requested_at) == (f"erased-{kim.pk}", None)


def test_the_command_does_what_no_worker_has_done(kim, site):
    request(kim, site)

    call_command("erase_person", "kim", "--yes")
    work()

    assert Act.objects.filter(verb="erased").count() == 1
    assert not ProcrastinateJob.objects.exists()


def test_who_cannot_be_erased_is_refused_at_once(kim, site):
    with pytest.raises(OwnAccountError):
        request(site, site)
    with pytest.raises(LastSiteAdministratorError):
        request(site, kim)
    assert not ProcrastinateJob.objects.exists()


@pytest.mark.parametrize(("error", "most"), [(OperationalError("gone"), 4), (ValueError("a fault"), 1)])
def test_what_may_pass_is_tried_again_and_a_fault_is_told(client, kim, site, monkeypatch, error, most):
    tries = []

    def fail(**_):
        tries.append(1)
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(erasure_jobs, "erase_person", fail)
        request(kim, site)
        for _ in range(5):
            work()
            bring_forward()
    client.force_login(site)
    page = html_of(client.get(reverse("person-erase", args=[kim.pk])))

    assert len(tries) == most
    assert FAILURE_NOTE in page
    assert request(User.objects.get(pk=kim.pk), site)
    work()
    assert User.objects.get(pk=kim.pk).erasure_failure == ""
