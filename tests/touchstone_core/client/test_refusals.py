"""Answers that get lost, tokens that may not, and refusals, against a real server."""

import httpx
import pytest

from evaluation.models import Run as RunRow
from touchstone_core.client import ForbiddenError, NotFoundError, Site, SiteError, TokenError

RUN = {"q1": {"b": 2.0, "a": 1.0}}


class LosesAnswers(httpx.HTTPTransport):
    """The site gets every change, and its first answer is lost."""

    lost = 0

    def handle_request(self, request):
        response = super().handle_request(request)
        if request.method != "GET" and not self.lost:
            self.lost += 1
            response.close()
            raise httpx.ReadError("Connection reset by peer")
        return response


def test_a_change_whose_answer_is_lost_is_done_once(connect, admin):
    flaky = LosesAnswers()
    site = connect(admin, transport=flaky)
    query_set = site.create_query_set("Once")

    assert flaky.lost == 1
    assert [one.name for one in site.query_sets() if one.name == "Once"] == ["Once"]
    assert site.query_set_named("Once").id == query_set.id


def test_a_token_reaches_no_more_than_it_may(connect, admin, site):
    reader = connect(admin, "read")
    query_set = site.query_set_named("Shop")

    assert reader.query_set_named("Shop") == query_set
    with pytest.raises(ForbiddenError, match="may only read"):
        reader.upload(query_set, RUN)
    with pytest.raises(NotFoundError):
        reader.query_set(10**6)
    assert not RunRow.objects.exists()
    with (
        Site(site.url, "tst_nothing") as stranger,
        pytest.raises(TokenError, match="Create one on your account page"),
    ):
        stranger.account()


def test_errors_are_one_family(site):
    with pytest.raises(SiteError) as refusal:
        site.create_query_set("")
    assert refusal.value.status == 422
    assert {one.field for one in refusal.value.errors} == {"name"}
