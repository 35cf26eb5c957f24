"""Nothing in an archived query set changes, whichever form is sent to whichever address."""

import pytest
from django.db import connection

from judgments.base.errors import ArchivedError
from judgments.content.actions.query_sets import archive_query_set
from judgments.models import Act, QuerySet
from tests import factories as make
from tests.snapshot import undone
from tests.sweeps import SHARES, draw_addresses
from tests.test_access import address_of, answers, named_addresses, world

pytestmark = pytest.mark.django_db

__all__ = ["world"]

# What archived query sets may meet: they are taken out, copied and deleted, and what changes no query set at all.
MEANT = {"query-set-archive", "query-set-copy", "query-set-delete"}
ELSEWHERE = {
    "job",
    "sign-in",
    "demo-sign-in",
    "join",
    "sign-out",
    "sign-out-elsewhere",
    "token-new",
    "token-revoke",
    "password-change",
    "person-data",
    "person-erase",
    "second-factor",
    "second-factor-set-up",
    "second-factor-change",
    "account",
    "judge-keys",
    "home",
    "new-evaluation",
    "draft",
    "jobs",
    "own-judgments",
    "query-sets",
    "query-set-new",
    "scales",
    "scale-new",
    "formulas",
    "learn",
    "puzzle",
    "glossary",
    "judge-worker",
}
JUDGING = {"judge-answer", "judge-undo", "judge-skip", "judge-cards"}
# Takes what an address can't hold, and writes nothing.
READS = {"reconcile"}
NOT_OURS = {"django_session", "judgments_user", "judgments_signin"}


def everything():
    """A checksum of each table."""
    sums = {}
    with connection.cursor() as cursor:
        for table in set(connection.introspection.table_names(cursor)) - NOT_OURS:
            cursor.execute(f'SELECT md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM "{table}" t')  # noqa: S608 - our own tables
            sums[table] = cursor.fetchone()
    return sums


@pytest.fixture
def archived(world):
    archive_query_set(query_set=world["query_set"], user=None, at=make.NOW)
    return world


@SHARES
@pytest.mark.parametrize("role", ["admin", "site"])
def test_no_form_changes_anything(role, share, archived, client):
    client.force_login(archived["users"][role])
    before = everything()
    sent = {"name": "Other", "action": "add", "pair": "1"}
    refused = set()

    for name in draw_addresses(set(named_addresses()) - MEANT - ELSEWHERE, share):
        with undone():
            response = client.post(address_of(name, archived), sent)
            assert everything() == before, name
        if name not in JUDGING | READS and response.status_code != 405:
            refused.add(name)
            assert response.status_code in (404, 409), name
            if response.status_code == 409:
                assert str(ArchivedError()) in response.content.decode(), name

    assert len(refused) > 30 or share < 1


REFUSED_WITH_A_REASON = [
    "query-set-edit",
    "query-set-members",
    "list-new",
    "list-edit",
    "list-pause",
    "import-queries",
    "import-judgments",
    "batch",
    "upload",
    "run-upload",
    "run-fetch",
    "run-delete",
    "run-edit",
    "runs-tag",
    "run-baseline",
    "intents",
    "intent",
    "intent-delete",
    "run-views",
    "run-view-delete",
    "saved-formulas",
    "saved-formula-delete",
    "scale-edit",
    "list-versions",
    "list-rule",
    "list-pairs",
    "list-candidates",
    "invitation-revoke",
]


def test_an_admin_is_told_why(archived, client):
    client.force_login(archived["users"]["admin"])

    for name, response in answers(client, archived, REFUSED_WITH_A_REASON, "post").items():
        assert (name, response.status_code) == (name, 409)
        assert "Nothing was changed" in response.content.decode(), name


def test_a_part_of_a_page_is_told_in_a_sentence(archived, client):
    client.force_login(archived["users"]["admin"])

    response = client.post(address_of("list-edit", archived), headers={"HX-Request": "true"})

    assert (response.status_code, response.content.decode()) == (409, str(ArchivedError()))


def test_strangers_are_not_told_that_it_is_there(archived, client):
    client.force_login(archived["users"]["stranger"])

    assert client.post(address_of("list-edit", archived)).status_code == 404
    assert client.post("/lists/999999/edit/").status_code == 404
    assert client.post("/no-such-page/").status_code == 404


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_raters_are_told_when_they_judge(accept, archived, client):
    client.force_login(archived["users"]["rater"])
    pair = archived["list"].pairs.get()
    sent = {"pair": pair.pk, "grade": "1", "request_id": "8c5d3f9e-0000-4000-8000-000000000001"}

    response = client.post(address_of("judge-answer", archived), sent, headers={"Accept": accept})
    undone = client.post(address_of("judge-undo", archived), {}, headers={"Accept": accept})

    assert (response.status_code, undone.status_code) == (422, 422 if "json" in accept else 409)
    told = response.json()["problem"] if "json" in accept else response.content.decode()
    assert "archived" in told
    assert not archived["list"].judgments.exists()


def test_the_rating_screen_says_so_and_hands_nothing_out(archived, client):
    client.force_login(archived["users"]["rater"])

    page = client.get(address_of("judge", archived))
    beat = client.post(address_of("judge-cards", archived), headers={"Accept": "application/json"})

    assert "This list is archived" in page.content.decode()
    assert beat.json()["reason"] == "archived"


def test_everything_can_still_be_read(archived, client):
    client.force_login(archived["users"]["admin"])
    names = ["query-set", "query-set-edit", "query-set-members", "list", "run-table", "run"]

    found = answers(client, archived, names)

    assert {name: page.status_code for name, page in found.items()} == dict.fromkeys(names, 200)


def test_it_leaves_home_and_stands_under_a_filter(archived, client):
    client.force_login(archived["users"]["admin"])

    assert "Shop" not in client.get("/").content.decode()
    assert b"/query-sets/%d/" % archived["query_set"].pk not in client.get("/query-sets/").content
    assert b"/query-sets/%d/" % archived["query_set"].pk in client.get("/query-sets/?archived=1").content


def test_without_archived_sets_there_is_no_filter(world, client):
    client.force_login(world["users"]["admin"])

    assert b"?archived=1" not in client.get("/query-sets/").content
    assert b"The archive is empty" in client.get("/query-sets/?archived=1").content


def test_an_admin_archives_and_takes_out_again(world, client):
    client.force_login(world["users"]["admin"])
    address = address_of("query-set-archive", world)

    for sent, archived in (("yes", True), ("yes", True), ("no", False)):
        assert client.post(address, {"archived": sent}).status_code == 302
        assert QuerySet.objects.archived().exists() is archived

    assert [act.verb for act in Act.objects.order_by("pk")][-2:] == ["archived", "restored"]
    assert client.post(address_of("list-edit", world), {"name": ""}).status_code == 422
