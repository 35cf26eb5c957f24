"""The page that a browser keeps for the rating screen, and the worker that gives it."""

import pytest
from django.urls import reverse

from judgments.models import Slot
from tests import factories as make
from tests.judgments.judging.views.judge_pages import SCRIPT, address, make_pairs

pytestmark = pytest.mark.django_db


def test_the_kept_page_has_no_card_and_hands_nothing_out(client, query_set, rater):
    judgment_list = make_pairs(query_set, guidelines="Be **fair**.")

    response = client.get(address(judgment_list, "judge-shell"))

    html = response.content.decode()
    assert response["Cache-Control"] == "no-store"
    assert "<strong>fair</strong>" in html
    assert "data-from-device" in html
    assert "data-pair" not in html
    assert not Slot.objects.filter(rater__isnull=False).exists()


def test_the_kept_page_takes_no_message_off_the_next_one(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    client.get(address(judgment_list))
    client.post(address(judgment_list, "judge-skip"), {"pair": judgment_list.pairs.get().pk})

    page_html = client.get(address(judgment_list, "judge-shell")).content.decode()
    page = client.get(address(judgment_list)).content.decode()

    assert "Put off until the end of the query" not in page_html
    assert "Put off until the end of the query" in page


def test_the_worker_is_a_script_below_the_lists_that_is_asked_for_each_time(client, db):
    response = client.get(reverse("judge-worker"))

    assert reverse("judge-worker").rpartition("/")[0] == "/lists"
    assert response["Content-Type"].startswith("text/javascript")
    assert response["Cache-Control"] == "no-cache"
    assert b"self.registration.scope" in response.content
    assert "worker-src 'self'" in response["Content-Security-Policy"]


def test_the_heartbeat_of_another_account_gets_no_cards(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    other = make.make_member(query_set, "rater")

    response = client.post(address(judgment_list, "judge-cards"), {"account": other.pk}, **SCRIPT)

    assert response.status_code == 409
    assert response.json()["kind"] == "account"
    assert not Slot.objects.filter(rater__isnull=False).exists()
