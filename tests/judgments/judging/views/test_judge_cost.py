"""What an answer of the script costs the database: most only save; every fifth also brings cards."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.models import Slot
from tests import factories as make
from tests.judgments.judging.views.judge_pages import SCRIPT, address, make_pairs

pytestmark = pytest.mark.django_db


@pytest.fixture
def screen(client):
    """One screen on a list of 200 pairs: posts an act, and gives back what came."""
    judgment_list = make_pairs(make.make_query_set(), 10, 20, overlap=3)
    client.force_login(make.make_member(judgment_list.query_set, "rater"))

    def post(act, have=(), **fields):
        base_fields = {"have": ",".join(map(str, have)), "ahead": 30}
        response = client.post(address(judgment_list, f"judge-{act}"), base_fields | fields, **SCRIPT)
        assert response.status_code == 200
        return response.json()

    return post


def answer(pair):
    return {"pair": pair, "request_id": str(uuid4()), "grade": "1.0"}


def held(content):
    return [pair for pair, *_ in content["held"]]


def test_cards_come_five_at_a_time_up_to_what_the_screen_wants(screen):
    have = []
    for expected in (5, 10, 15, 20, 25, 30, 30):
        content = screen("cards", have)
        assert [one["pair"] for one in content["cards"]] == held(content)[len(have) :]
        have = held(content)
        assert len(have) == expected

    assert len(held(screen("cards", have, ahead=1_000_000))) == 30
    assert Slot.objects.filter(rater__isnull=False).count() == 30


def test_an_answer_that_brings_no_cards_only_saves(screen):
    have = held(screen("cards"))
    screen("answer", have, enough=1, **answer(have[0]))

    with CaptureQueriesContext(connection) as cost:
        content = screen("answer", have, enough=1, **answer(have[1]))

    assert "held" not in content
    assert content["saved"]["pair"] == have[1]
    assert len(cost) <= 10


def test_an_answer_that_brings_cards_costs_seven_statements_more(screen):
    have = held(screen("cards"))
    have = held(screen("answer", have, **answer(have[0])))

    with CaptureQueriesContext(connection) as cost:
        content = screen("answer", have, **answer(have[0]))

    assert len(content["cards"]) == 6
    assert len(cost) <= 17
