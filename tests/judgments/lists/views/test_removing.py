"""Taking pairs out of a list by page: those of one wrong act, those of a search, or the checked ones."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluation.comparisons.reports.pool_history import pool_history
from judgments.content.actions.query_sets import archive_query_set
from judgments.lists.actions.pairs import add_pairs
from judgments.log.actions import acting
from judgments.models import Act, Verb
from tests import factories as make
from tests.html import html_of
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    """A list with two pairs, to which somebody added the pool of the wrong run: a boat and a tent for a new query."""
    scene = Scene(1, 2)
    scene.admin = make.make_member(scene.query_set, "admin", username="ada", first_name="Ada")
    client.force_login(scene.admin)
    query = make.make_query(scene.query_set, "wrong-query", text="camping")
    documents = [
        make.make_document(scene.query_set, f"wrong-{title}", title=title) for title in ("boat", "tent")
    ]
    source = {"runs": [{"id": 7, "name": "wrong run"}], "depth": 2}
    with acting(scene.admin):
        pairs = [(query.pk, one.pk) for one in documents]
        add_pairs(judgment_list=scene.list, pairs=pairs, source=source)
    scene.act = Act.objects.filter(verb=Verb.PAIRS_ADDED).latest("pk")
    scene.address = reverse("list-pairs-remove", args=[scene.list.pk])
    return scene


def keys_of(scene):
    return list(scene.list.pairs.order_by("pk").values_list("pk", flat=True))


def hidden(response):
    return dict(response.context["sent"]) | {"confirmed": "1"}


def test_what_one_act_added_is_taken_out(client, scene):
    first, address = keys_of(scene)[:2], f"{scene.address}?added={scene.act.pk}"

    listed = client.get(address)
    shown = client.post(address, {"all": "1"})
    before = keys_of(scene)
    done = client.post(address, hidden(shown), follow=True)

    assert "Ada: wrong run" in html_of(listed)
    assert [pair.document.title for pair in listed.context["pairs"]] == ["boat", "tent"]
    assert "<strong>2 pairs are removed:</strong> nobody has judged them." in html_of(shown)
    assert len(before) == 4
    assert "2 pairs removed." in html_of(done)
    assert keys_of(scene) == first
    assert "Ada: wrong run" not in html_of(client.get(scene.address))


def test_pairs_that_are_kept_are_counted_with_their_reasons(client, scene):
    user, (_, _, boat, tent) = scene.rater(), keys_of(scene)
    scene.judge(user, boat)
    make.make_gold_pair(scene.list.pairs.get(pk=tent), 1)
    held = scene.list.slots.exclude(pair__in=[boat, tent]).first()
    held.rater, held.lease_until = make.make_rater(scene.query_set), timezone.now() + timedelta(hours=1)
    held.save()

    shown = client.post(scene.address, {"all": "1"})

    text = html_of(shown)
    assert "<strong>1 pair is removed:</strong> nobody has judged it." in text
    for reason in ("somebody judged the pair, now or before", "the pair is gold", "a rater has the pair now"):
        assert f"<strong>1 stays,</strong> because {reason}." in text


@pytest.mark.parametrize(("search", "titles"), [("boat", ["boat"]), ("camping", ["boat", "tent"]), ("x", [])])
def test_words_of_the_query_or_document_find_pairs(client, scene, search, titles):
    listed = client.get(scene.address, {"q": search})

    assert [pair.document.title for pair in listed.context["pairs"]] == titles


def test_checked_pairs_alone_go(client, scene):
    *_, boat, tent = keys_of(scene)
    shown = client.post(scene.address, {"pair": [boat, "x", 10**30]})

    client.post(scene.address, {"pair": [boat], "confirmed": "1"})

    assert shown.context["sent"] == [("pair", boat)]
    assert keys_of(scene)[-1] == tent
    assert len(keys_of(scene)) == 3


def test_pairs_that_came_after_the_page_was_shown_stay(client, scene):
    shown = client.post(scene.address, {"all": "1"})
    late = make.make_document(scene.query_set)
    add_pairs(judgment_list=scene.list, pairs=[(scene.list.list_queries.first().query_id, late.pk)])

    client.post(scene.address, hidden(shown))

    assert scene.list.pairs.get().document == late


def test_a_second_click_removes_nothing(client, scene):
    sent = hidden(client.post(scene.address, {"all": "1"}))
    client.post(scene.address, sent)

    again = client.post(scene.address, sent, follow=True)

    assert "0 pairs removed." in html_of(again)
    assert Act.objects.filter(verb=Verb.PAIRS_REMOVED).count() == 1


def test_where_there_are_too_many_at_once_the_page_says_how_many_are_left(client, scene, monkeypatch):
    monkeypatch.setattr("judgments.lists.reports.removal.MOST_AT_ONCE", 3)
    scene.judge(scene.rater(), keys_of(scene)[3])

    shown = client.post(scene.address, {"all": "1"})
    done = client.post(scene.address, {"all": "1", "confirmed": "1"}, follow=True)
    assert "<strong>3 pairs are removed:</strong>" in html_of(shown)
    assert "3 pairs removed. 1 stayed." in html_of(done)

    add_pairs(
        judgment_list=scene.list,
        pairs=[(q, d) for q in ids(scene, "queries") for d in ids(scene, "documents")],
    )
    shown = client.post(scene.address, {"all": "1"})
    done = client.post(scene.address, {"all": "1", "confirmed": "1"}, follow=True)
    assert "4 more are left for the next time" in html_of(shown)
    assert "3 pairs removed. 4 are left for the next time. 1 stayed." in html_of(done)


def ids(scene, many):
    return list(getattr(scene.query_set, many).values_list("pk", flat=True))


def test_without_a_selection_nothing_goes(client, scene):
    answer = client.post(scene.address, {"confirmed": "1"}, follow=True)

    assert "no pairs are checked" in html_of(answer)
    assert len(keys_of(scene)) == 4


def test_pairs_and_acts_of_other_lists_are_not_found(client, scene):
    other = Scene(1, 1)
    act = Act.objects.filter(judgment_list=other.list, verb=Verb.PAIRS_ADDED).get()

    client.post(scene.address, {"pair": keys_of(other), "confirmed": "1"})

    assert len(keys_of(other)) == 1
    assert client.get(scene.address, {"added": act.pk}).context["pairs"] == []


def test_a_run_whose_pairs_were_all_taken_out_is_no_source_of_the_pool_any_more(client, scene):
    before = pool_history(scene.list, [])
    client.post(scene.address, {"pair": keys_of(scene)[3:], "confirmed": "1"})
    between = pool_history(scene.list, [])

    client.post(scene.address, {"pair": keys_of(scene)[2:], "confirmed": "1"})

    assert [run["name"] for run in before["runs"]] == ["wrong run"]
    assert between == before
    assert pool_history(scene.list, [])["runs"] == []


def test_the_pages_lead_through_all_pairs(client, scene, monkeypatch):
    monkeypatch.setattr("judgments.lists.reports.removal.MOST_SHOWN", 3)

    first = client.get(scene.address)
    second = client.get(scene.address, {"after": first.context["later"]})

    shown = [pair.pk for page in (first, second) for pair in page.context["pairs"]]
    assert shown == keys_of(scene)
    assert second.context["later"] is None
    assert "First page" in html_of(second)


def test_the_log_shows_what_was_removed_and_no_keys(client, scene):
    client.post(scene.address, {"all": "1", "confirmed": "1"})

    log = html_of(client.get(reverse("list-log", args=[scene.list.pk])))

    assert "removed pairs from" in log
    assert "Pair keys" not in log


def test_nothing_is_removed_in_the_archive(client, scene):
    archive_query_set(query_set=scene.query_set, user=scene.admin, at=make.NOW)

    assert client.post(scene.address, {"all": "1", "confirmed": "1"}).status_code == 409
    assert len(keys_of(scene)) == 4
