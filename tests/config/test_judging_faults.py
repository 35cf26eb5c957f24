"""What can go wrong between the screen's script and the database, on the real site: every judgment whose saving was
acknowledged is there once, and no answer says that something is saved which is not."""

import json
import os
import signal
import threading
import time
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from uuid import uuid4

import psutil
import pytest

from tests.config.conftest import rows, starter
from tests.config.judging_client import Screen

LIST = "First pass"
MINE = """
SELECT judgment.value::int, judgment.request_id::text, judgment.extra
FROM judgments_judgment judgment
JOIN judgments_rater rater ON rater.id = judgment.rater_id
JOIN judgments_user account ON account.id = rater.user_id
WHERE judgment.pair_id = %(pair)s AND account.username = %(who)s
"""
HISTORY = """
SELECT history.action, history.value::int FROM judgments_judgmenthistory history
JOIN judgments_rater rater ON rater.id = history.rater_id JOIN judgments_user account ON account.id = rater.user_id
WHERE history.pair_id = %(pair)s AND account.username = %(who)s AND history.id > %(after)s ORDER BY history.id
"""
NEWEST = "SELECT coalesce(max(id), 0) FROM judgments_judgmenthistory"


@contextmanager
def demo_site():
    with starter() as start:
        process = start(TOUCHSTONE_DEMO="1")
        process.var = process.data.parent
        ((key,),) = rows(
            process.var, "SELECT id FROM judgments_judgmentlist WHERE name = %(name)s", name=LIST
        )
        process.page = f"/lists/{key}/judge/"
        # Tracebacks of the requests that fail would fill the pipe, and the site would wait for a reader.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield process


pytestmark = pytest.mark.drill

HANDED_OUT = """
INSERT INTO judgments_handout (pair_id, rater_id)
SELECT %(pair)s, rater.id FROM judgments_rater rater JOIN judgments_user account ON account.id = rater.user_id
WHERE account.username = %(who)s
ON CONFLICT DO NOTHING
"""


@pytest.fixture(scope="module")
def site():
    with demo_site() as process:
        yield process


@pytest.fixture
def tab(site):
    return lambda who="rater": Screen(site.address, who, site.page)


@pytest.fixture
def mine(site):
    return lambda pair, who="rater": rows(site.var, MINE, pair=pair, who=who)


@pytest.fixture
def history(site):
    return lambda pair, who="rater", after=0: rows(site.var, HISTORY, pair=pair, who=who, after=after)


def eventually(found, seconds=10):
    deadline = time.monotonic() + seconds
    while not (value := found()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return value


def test_a_request_that_arrives_twice_at_once_is_saved_once(tab, mine, history):
    screens = [tab(), tab()]
    pair = screens[0].deck[0]
    form = Screen.form(pair, 2)
    before = history(pair)  # other tests judge on the same site

    with ThreadPoolExecutor(4) as pool:
        given = list(pool.map(lambda nth: screens[nth % 2].post("answer", **form), range(4)))

    assert [status for status, _ in given] == [200] * 4
    assert {content["saved"]["pair"] for _, content in given} == {pair}
    assert mine(pair) == [(2, form["request_id"], False)]
    assert history(pair) == before


def test_an_answer_whose_acknowledgment_got_lost_is_saved_once_when_it_is_sent_again(tab, mine, history):
    screen = tab()
    form = Screen.form(screen.deck[0], 3)
    before = history(form["pair"])

    screen.hang_up_after("answer", **form)
    assert eventually(lambda: mine(form["pair"])) == [(3, form["request_id"], False)]
    status, content = screen.post("answer", **form)

    assert (status, content["saved"]["pair"]) == (200, form["pair"])
    assert mine(form["pair"]) == [(3, form["request_id"], False)]
    assert history(form["pair"]) == before
    assert form["pair"] not in screen.deck


def test_an_undo_whose_acknowledgment_got_lost_takes_back_one_answer_only(tab, mine, history):
    screen = tab()
    first, second = screen.deck[:2]
    before = history(second)
    screen.answer(first, 1)
    screen.answer(second, 2)
    undo = {"undo_id": str(uuid4())}

    screen.hang_up_after("undo", **undo)
    assert eventually(lambda: not mine(second))
    status, content = screen.post("undo", **undo)

    assert (status, content["saved"]["pair"]) == (200, second)
    assert [grade for grade, *_ in mine(first)] == [1]
    assert mine(second) == []
    assert history(second) == [*before, ("withdrawn", 2)]


def test_an_answer_that_comes_after_its_lease_and_after_others_took_the_pair_over_is_kept(site, tab, mine):
    late = tab()
    pair = late.deck[0]
    # Time passes: the lease runs out, and other raters fill every slot of the pair.
    ((wanted,),) = rows(
        site.var,
        """
        WITH passed AS (
            UPDATE judgments_slot SET lease_until = now() - interval '1 minute'
            WHERE pair_id = %(pair)s AND state = 'open' RETURNING id
        ) SELECT count(*) FROM passed
        """,
        pair=pair,
    )
    for who in ("engineer", "admin", "rater")[:wanted]:
        if who != "rater":
            screen = tab(who)
            rows(site.var, HANDED_OUT, pair=pair, who=who)
            assert screen.answer(pair, 1)[0] == 200
    ((left,),) = rows(
        site.var, "SELECT count(*) FROM judgments_slot WHERE pair_id = %(pair)s AND state = 'open'", pair=pair
    )

    status, content = late.answer(pair, 3)

    assert status == 200
    assert left == max(0, wanted - 2)
    assert [(grade, extra) for grade, _, extra in mine(pair)] == [(3, left == 0)]
    assert bool(content["notes"]) == (left == 0)


def test_requests_that_come_again_after_a_change_and_after_undos_change_nothing(tab, mine, history):
    screen = tab()
    pair = screen.deck[0]
    first, second = Screen.form(pair, 1), Screen.form(pair, 2, known="1")
    before = history(pair)
    screen.post("answer", **first)
    screen.post("answer", **second)

    assert screen.post("answer", **first)[0] == 200
    assert mine(pair) == [(2, second["request_id"], False)]

    screen.post("undo", undo_id=str(uuid4()))
    assert screen.post("answer", **second)[0] == 200
    assert mine(pair) == [(1, first["request_id"], False)]

    screen.post("undo", undo_id=str(uuid4()))
    for replayed in (first, second):
        status, content = screen.post("answer", **replayed)
        assert status == 200
        assert content["notes"] == [
            "You took this answer back in another tab or on another device. It isn’t saved again."
        ]
    assert mine(pair) == []
    assert history(pair) == [*before, ("changed", 1), ("withdrawn", 2), ("withdrawn", 1)]


def test_of_two_tabs_the_second_is_told_what_the_first_one_saved(tab, mine, history):
    one, other = tab(), tab()
    assert one.deck == other.deck
    pair = one.deck[0]
    one.answer(pair, 1)

    assert other.answer(pair, 1)[0] == 200
    status, content = other.answer(pair, 3)
    assert (status, content["kind"], content["pair"]) == (409, "conflict", pair)
    assert [grade for grade, *_ in mine(pair)] == [1]

    assert other.answer(pair, 3, known="1")[0] == 200
    assert [grade for grade, *_ in mine(pair)] == [3]
    assert history(pair)[-1] == ("changed", 1)


def test_an_ended_session_answers_401_and_the_answer_is_accepted_after_signing_in(site, tab, mine):
    screen = tab()
    form = Screen.form(screen.deck[0], 2)
    rows(site.var, "DELETE FROM django_session")

    refused = [screen.post(act, **fields) for act, fields in (("answer", form), ("cards", {}), ("undo", {}))]
    assert refused == [(401, "Your session has ended. Sign in again.")] * 3
    assert mine(form["pair"]) == []

    screen.sign_in()
    assert screen.post("answer", **form)[0] == 200
    assert mine(form["pair"]) == [(2, form["request_id"], False)]


def test_what_one_account_kept_is_not_saved_for_another(tab, mine):
    screen = tab()
    form = Screen.form(screen.deck[0], 2)
    screen.username = "engineer"
    screen.sign_in()

    status, content = screen.post("answer", **form)

    assert (status, content["kind"]) == (409, "account")
    assert mine(form["pair"]) == mine(form["pair"], "engineer") == []


def postmaster(site):
    return int((site.data / "postmaster.pid").read_text().split()[0])


def restart_fast(site):
    os.kill(postmaster(site), signal.SIGINT)


def restart_immediately(site):
    os.kill(postmaster(site), signal.SIGQUIT)


def kill_postgres(site):
    os.kill(postmaster(site), signal.SIGKILL)


def kill_one_backend(site):
    """PostgreSQL then ends all others and recovers by itself."""
    ((process,),) = rows(
        site.var,
        "SELECT pid FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid() ORDER BY pid LIMIT 1",
    )
    os.kill(process, signal.SIGKILL)


def kill_web_processes(site):
    for child in psutil.Process(site.pid).children():
        if "postgres" not in child.name():
            child.kill()


def answers_of(site, screen, page):
    """What a page and an answer get: status, Retry-After, body."""
    form = Screen.form(screen.deck[0], 2)
    for request in (site.address + page, screen._request("answer", form)):
        try:
            with screen.browser.open(request, timeout=20) as response:
                yield response.status, None, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                yield error.code, error.headers["Retry-After"], error.read().decode()


def test_without_a_database_every_request_is_told_to_come_again():
    with demo_site() as site:  # of its own, since the supervisor is stopped
        screen = Screen(site.address, "rater", site.page)
        pair = screen.deck[0]
        supervisor = psutil.Process(site.pid)
        supervisor.suspend()  # or it would start PostgreSQL at once
        try:
            restart_immediately(site)
            assert eventually(lambda: next(answers_of(site, screen, "/"))[0] != 200)
            page, answer = answers_of(site, screen, site.page)
        finally:
            supervisor.resume()

        assert [(status, after) for status, after, _ in (page, answer)] == [(503, "3")] * 2
        assert "Back in a moment" in page[2]
        assert json.loads(answer[2])["kind"] == "away"
        screen.insist("answer", **Screen.form(pair, 2))
        assert [grade for grade, *_ in rows(site.var, MINE, pair=pair, who="rater")] == [2]


@pytest.mark.parametrize(
    "fault", [restart_fast, restart_immediately, kill_postgres, kill_one_backend, kill_web_processes]
)
def test_the_site_comes_back_by_itself_and_has_every_acknowledged_judgment_once(
    site, tab, mine, history, fault
):
    screens = [tab("rater"), tab("engineer"), tab("admin")]
    over, turn, acknowledged, refused = threading.Event(), count(1), [], []
    ((newest,),) = rows(site.var, NEWEST)  # other tests judge on the same site

    def judge(screen):
        while not over.is_set():
            pair = screen.deck[0]
            form = Screen.form(pair, pair % 4)
            refused.extend(screen.insist("answer", **form))
            if next(turn) % 6 == 0:
                acknowledged.append((pair, screen.username, form["request_id"]))
                continue
            undo = str(uuid4())  # so that the pairs of the list last for all faults
            for _ in range(2):
                refused.extend(screen.insist("undo", undo_id=undo))

    with ThreadPoolExecutor(3) as pool:
        judging = [pool.submit(judge, screen) for screen in screens]
        try:
            time.sleep(0.5)
            fault(site)
            assert eventually(lambda: refused)
            time.sleep(1)
        finally:
            over.set()
        for one in judging:
            one.result()

    assert site.poll() is None
    assert set(refused) <= {0, 503}
    assert acknowledged
    for pair, who, request_id in acknowledged:
        assert mine(pair, who) == [(pair % 4, request_id, False)]
        assert {action for action, _ in history(pair, who, newest)} <= {"withdrawn"}
