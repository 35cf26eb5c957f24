"""Further tries, waiting, pages and errors, with a clock and answers of our own."""

import httpx
import pytest

from touchstone_core.client import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    Site,
    SiteError,
    TokenError,
    UnavailableError,
)
from touchstone_core.client.connection import Clock
from touchstone_core.client.sources import sent_file

PROBLEM = {"Content-Type": "application/problem+json"}
ACCOUNT = {
    "username": "ann",
    "name": "Ann",
    "token": {"name": "build", "scope": "read", "query_set_id": None, "expires_at": "2027-01-01T00:00:00Z"},
}


class Answers:
    """Gives these answers, one for each call, and keeps the calls. Time passes only by waiting."""

    def __init__(self, *answers):
        self.answers, self.calls, self.waits, self.time = list(answers), [], [], 0.0

    def __call__(self, request):
        request.read()
        self.calls.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def wait(self, seconds):
        self.waits.append(seconds)
        self.time += seconds

    def site(self, url="https://search.example", token="tst_1", **options):
        clock = Clock(now=lambda: self.time, sleep=self.wait)
        return Site(url, token, transport=httpx.MockTransport(self), clock=clock, **options)


def refused(status, detail="No.", **headers):
    problem = {"type": "about:blank", "title": "No", "status": status, "detail": detail}
    return httpx.Response(status, json=problem, headers=PROBLEM | headers)


def test_a_call_carries_the_token_and_goes_to_the_api_of_the_site():
    answers = Answers(httpx.Response(200, json=ACCOUNT))

    account = answers.site("https://search.example/quality/").account()

    (call,) = answers.calls
    assert str(call.url) == "https://search.example/quality/api/v1/account"
    assert call.headers["Authorization"] == "Bearer tst_1"
    assert (account.username, account.token.scope, account.token.expires_at.year) == ("ann", "read", 2027)


def test_a_broken_connection_is_tried_again_with_the_same_key_and_the_same_file(tmp_path):
    path = tmp_path / "new.trec"
    path.write_bytes(b"q1 Q0 d1 1 2 new\n" * 9000)
    stored = {"runs": [], "already_stored": True, "warnings": [], "documents": "", "left_out": []}
    answers = Answers(
        httpx.ConnectError("refused"), httpx.ReadError("reset"), httpx.Response(200, json=stored)
    )

    answers.site().upload(3, path, tags=["nightly", "main"])

    keys = {call.headers["Idempotency-Key"] for call in answers.calls}
    assert len(keys) == 1
    assert [call.content for call in answers.calls] == [path.read_bytes()] * 3
    assert {call.headers["Content-Length"] for call in answers.calls} == {str(path.stat().st_size)}
    assert answers.calls[0].url.params["tags"] == "nightly, main"
    assert answers.waits == [0.5, 1.0]


def test_two_changes_have_two_keys():
    answers = Answers(httpx.Response(204), httpx.Response(204))
    site = answers.site()

    site.delete_run(1)
    site.delete_run(1)

    assert len({call.headers["Idempotency-Key"] for call in answers.calls}) == 2


@pytest.mark.parametrize("status", [409, 429, 503])
def test_a_site_that_asks_to_wait_is_asked_again_then(status):
    answers = Answers(refused(status, **{"Retry-After": "7"}), httpx.Response(200, json=ACCOUNT))

    answers.site().account()

    assert answers.waits == [7.0]


def test_patience_ends_with_the_sentence_of_the_site():
    busy = [refused(429, "Too many calls.", **{"Retry-After": "25"}) for _ in range(9)]
    answers = Answers(*busy)

    with pytest.raises(UnavailableError, match=r"^Too many calls\.$"):
        answers.site(patience=60).account()

    assert answers.waits == [25, 25]


def test_a_site_that_is_not_there_is_named():
    answers = Answers(*[httpx.ConnectError("Connection refused")] * 9)

    with pytest.raises(UnavailableError, match=r"^https://search.example can’t be reached: Connection ref"):
        answers.site(patience=5).account()

    assert answers.waits == [0.5, 1, 2]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, TokenError),
        (403, ForbiddenError),
        (404, NotFoundError),
        (409, ConflictError),
        (413, InvalidError),
        (422, InvalidError),
        (500, SiteError),
    ],
)
def test_what_is_refused_is_not_tried_again(status, kind):
    answers = Answers(refused(status, "The reason.", **{"X-Request-ID": "ab12"}))

    with pytest.raises(kind, match=r"^The reason\.$") as refusal:
        answers.site().account()

    assert (refusal.value.status, refusal.value.request_id) == (status, "ab12")
    assert answers.waits == []


def test_an_error_names_the_fields():
    problem = {"detail": "A name is missing.", "errors": [{"field": "name", "message": "A name is missing."}]}
    answers = Answers(httpx.Response(422, json=problem, headers=PROBLEM))

    with pytest.raises(InvalidError) as refusal:
        answers.site().create_query_set("")

    assert [(one.field, one.message) for one in refusal.value.errors] == [("name", "A name is missing.")]


def test_an_answer_of_something_else_than_a_site_is_told_without_its_text():
    answers = Answers(httpx.Response(404, text="<h1>nginx</h1>"))

    with pytest.raises(
        NotFoundError, match=r"^https://search.example/api/v1/account answered 404 Not Found\. Check the addr"
    ):
        answers.site().account()


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, html="<title>Sign in</title>"),
        httpx.Response(200, text="ok"),
        httpx.Response(200),
    ],
)
def test_a_proxy_that_answers_in_place_of_the_site_is_no_crash(answer):
    """A crash ends a gate with 1, which says that the run isn’t good enough."""
    with pytest.raises(
        SiteError, match=r"^https://search.example/api/v1/account answered 200 OK, but not as"
    ):
        Answers(answer).site().account()
    with pytest.raises(
        SiteError, match=r"/api/v1/query-sets answered 200 OK, but not as a site of Touchstone"
    ):
        list(Answers(answer).site().query_sets())


@pytest.mark.parametrize("other", [{"ok": True}, ["ok"], {"items": ["ok"], "next": None}])
def test_another_service_that_speaks_json_is_no_crash(other):
    answers = Answers(httpx.Response(200, json=other), httpx.Response(200, json=other))

    with pytest.raises(SiteError, match="isn’t one of a site of Touchstone"):
        answers.site().account()
    with pytest.raises(SiteError, match="isn’t one of a site of Touchstone"):
        list(answers.site().query_sets())


def test_a_proxy_that_answers_with_a_page_leaves_no_file(tmp_path):
    answers = Answers(httpx.Response(200, html="<title>Sign in</title>"))

    with pytest.raises(SiteError, match="but not as a site of Touchstone"):
        answers.site().export(1, tmp_path / "qrels.txt")

    assert list(tmp_path.iterdir()) == []


def test_the_address_of_the_api_is_one_of_the_site():
    answers = Answers(httpx.Response(200, json=ACCOUNT))

    answers.site("https://search.example/quality/api/v1/").account()

    assert str(answers.calls[0].url) == "https://search.example/quality/api/v1/account"


def test_somebody_who_waits_is_told_why():
    answers = Answers(
        httpx.ConnectError("Connection refused"),
        refused(503, "Back in a moment.", **{"Retry-After": "7"}),
        httpx.Response(200, json=ACCOUNT),
    )
    said = []

    answers.site(waiting=said.append).account()

    assert said == [
        "https://search.example can’t be reached: Connection refused. Trying again for up to 60 seconds."
    ]


def test_rows_are_fetched_when_they_are_needed_and_never_from_another_host():
    row = {"id": 1, "username": "ann", "name": "Ann", "role": "admin", "new_field": 1}
    answers = Answers(
        httpx.Response(200, json={"items": [row], "next": "//evil.example/api/v1/x?after=1&limit=1000"}),
        httpx.Response(200, json={"items": [row | {"id": 2}], "next": None}),
    )
    rows = answers.site().members(3)

    assert next(rows).id == 1
    assert len(answers.calls) == 1
    assert [row.id for row in rows] == [2]
    assert answers.calls[0].url.params["limit"] == "1000"
    assert answers.calls[1].url.host == "search.example"
    assert answers.calls[1].url.params["after"] == "1"


def test_a_redirect_is_not_followed():
    """It could lead a token elsewhere."""
    answers = Answers(httpx.Response(302, headers={"Location": "https://evil.example/"}))

    with pytest.raises(
        SiteError, match=r"answered 302 Found and leads to https://evil.example/\. A token is sent"
    ):
        answers.site().account()


def test_work_in_the_background_is_asked_for_until_it_is_done():
    pending = {"state": "running", "detail": "Being compared."}
    headline = {"up_to_date": True, "headline": {}, "queries": []}
    answers = Answers(
        httpx.Response(202, json=pending, headers={"Retry-After": "3"}),
        httpx.Response(202, json=pending, headers={"Retry-After": "3"}),
        httpx.Response(200, json=headline),
    )
    seen = []

    assert answers.site().agreement(1, progress=seen.append).up_to_date

    assert (answers.waits, seen) == ([3, 3], [pending, pending])


def test_scores_that_a_worker_makes_are_waited_for():
    pending = {"state": "running", "detail": "The scores are being worked out."}
    table = {
        "list": {},
        "formula": {"text": "", "words": ""},
        "average": "mean",
        "baseline": None,
        "runs": [],
        "next": None,
    }
    answers = Answers(
        httpx.Response(202, json=pending, headers={"Retry-After": "3"}), httpx.Response(200, json=table)
    )

    assert answers.site().run_table(1).rows == []

    assert answers.waits == [3]


def test_waiting_ends_when_the_caller_says_so():
    pending = {"state": "waiting", "detail": "A worker compares these runs."}
    answers = Answers(*[httpx.Response(202, json=pending, headers={"Retry-After": "3"})] * 9)

    with pytest.raises(
        UnavailableError, match=r"^A worker compares these runs\. It wasn’t done within 7 sec"
    ):
        answers.site().comparison(1, [2, 3], timeout=7)

    assert answers.waits == [3, 3]


@pytest.mark.parametrize(
    "url", ["search.example", "ftp://search.example", "https://", "", "http://a:b", "http://[::1"]
)
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(SiteError, match="isn’t the address of a site"):
        Answers().site(url)


@pytest.mark.parametrize("text", ["q" * 70_000, "\ud800"])
def test_an_address_that_cannot_be_sent_is_refused_in_words(text):
    answers = Answers()

    with pytest.raises(SiteError, match="too long, or it has characters"):
        list(answers.site().queries(1, query_id=text))
    assert answers.calls == []


@pytest.mark.parametrize("token", ["tst_\n1", "tést"])
def test_a_token_that_no_header_can_hold_is_refused(token):
    with pytest.raises(SiteError, match="no usable token"):
        Answers().site(token=token)


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "nonsense://proxy:1"), ("SSL_CERT_FILE", "/nowhere/certificates")]
)
def test_settings_of_the_machine_that_cannot_be_used_are_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    with pytest.raises(SiteError, match=r"^The environment’s variables for proxies or certificates .+: \S+"):
        Site("https://search.example", "tst_1")


def test_the_token_may_be_in_the_environment(monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_TOKEN", " tst_2\n")
    answers = Answers(httpx.Response(200, json=ACCOUNT))
    answers.site(token="").account()
    assert answers.calls[0].headers["Authorization"] == "Bearer tst_2"

    monkeypatch.delenv("TOUCHSTONE_TOKEN")
    with pytest.raises(TokenError, match="TOUCHSTONE_TOKEN"):
        answers.site(token="")


def test_a_broken_download_leaves_nothing_behind(tmp_path):
    class Broken(httpx.SyncByteStream):
        def __iter__(self):
            yield b"q1 0 d1 1\n"
            raise httpx.ReadError("reset")

    answers = Answers(httpx.Response(200, stream=Broken()))
    (tmp_path / "qrels.txt").write_text("of yesterday")

    with pytest.raises(UnavailableError, match="can’t be reached: reset"):
        answers.site(patience=0).export(1, tmp_path / "qrels.txt")

    assert [path.name for path in tmp_path.iterdir()] == ["qrels.txt"]
    assert (tmp_path / "qrels.txt").read_text() == "of yesterday"


def test_what_cannot_be_sent_is_refused(tmp_path):
    with pytest.raises(SiteError, match="there is no such file"):
        sent_file(tmp_path / "nowhere")
    with pytest.raises(SiteError, match="cannot be read: it is a folder"):
        sent_file(tmp_path)
    with pytest.raises(SiteError, match="of type int can’t be sent"):
        sent_file(3)
    with pytest.raises(SiteError, match="of type set can’t be sent"):
        sent_file({"q1": {1}})


def test_measures_in_a_list_are_sent_as_one_text():
    """The last of several parameters of this name would be the only one."""
    answers = Answers(refused(404))

    with pytest.raises(NotFoundError):
        answers.site().run_table(1, measures=["AP", "RR@10"])

    assert answers.calls[0].url.params.get_list("measures") == ["AP RR@10"]
