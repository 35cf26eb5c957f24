"""What the rating screen says below “All done”."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from judgments.judging.actions.judging import record_judgment
from judgments.judging.actions.queue import claim
from tests import factories as make
from tests.judgments.judging.views.judge_pages import SCRIPT, address, answer, fields_of, make_pairs

pytestmark = pytest.mark.django_db


@pytest.fixture
def rater(client, query_set):
    rater = make.make_member(query_set, "rater")
    client.force_login(rater)
    return rater


def test_whoever_has_nothing_left_is_not_told_of_a_rest(client, query_set, rater):
    """The counts of the list make a share of two more. “All done” stood above “1 of about 2”."""
    judgment_list = make_pairs(query_set, queries=1, documents=2, overlap=2)
    first = judgment_list.pairs.earliest("pk")
    for name in (
        "ann",
        "bob",
    ):  # that pair has its two judgments, so the other is all that is left for this rater
        user, at = make.make_member(query_set, "rater", username=name), timezone.now() - timedelta(hours=1)
        claim(user=user, judgment_list=judgment_list, at=at, count=2)
        facts = {"pair_id": first.pk, "request_id": uuid4(), "value": 1.0}
        record_judgment(user=user, judgment_list=judgment_list, at=at, **facts)
    reply = answer(client, judgment_list, fields_of(client.get(address(judgment_list))), **SCRIPT).json()

    page = client.get(address(judgment_list)).content.decode()

    assert reply["reason"] == "done"
    assert "All done" in page
    for html in (reply["own"], page):
        assert "judged" in html.split("own-share")[1].split("own-today")[0]
        assert "about" not in html.split("own-share")[1].split("own-today")[0]
