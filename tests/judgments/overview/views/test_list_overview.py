"""The overview of a list: what it says to whom, and that it computes no agreement."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.models import AgreementHeadline, Pair, Role
from judgments.overview.reports import attention, outlook
from judgments.overview.sql.activity import Daily
from judgments.raters.reports.accuracy import rater_accuracy
from judgments.raters.sql.recent import recent_judgments
from tests import factories as make
from tests.judgments.agreed import Agreed
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db


def page(client, judgment_list):
    response = client.get(reverse("list", args=[judgment_list.pk]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.fixture
def agreed(client):
    """Two raters agree on the first query's pairs, differ on the second's, and cannot judge the third's."""
    agreed = Agreed(queries=3, documents=2)
    agreed.rater("ann", [1, 2, 0, 0, None, None])
    agreed.rater("bob", [1, 2, 3, 2, None, 1])
    refresh_consensus(judgment_list=agreed.list)
    client.force_login(agreed.member(Role.ADMIN))
    return agreed


def names(found):
    return [(one.external_id, one.part, one.whole) for one in found]


def test_queries_that_differ_or_cannot_be_judged_are_named(agreed):
    second, third = (agreed.pairs[at].query.external_id for at in (2, 4))

    found = attention.queries_worth_a_look(agreed.list, pairs=6)

    assert names(found["differ"]) == [(second, 2, 2)]
    assert names(found["cannot"]) == [(third, 3, 4)]


def test_pairs_that_an_admin_decided_are_settled(agreed):
    for pair in agreed.pairs[2:4]:
        agreed.list.adjudications.create(
            query_set=agreed.query_set, pair=pair, value=1, cause="slip", at=timezone.now()
        )

    assert attention.queries_worth_a_look(agreed.list, pairs=6)["differ"] == []


def test_queries_with_the_least_of_what_is_wanted_come_first():
    scene = Scene(queries=2, documents=2, overlap=1)
    pair = Pair.objects.order_by("pk").first()
    scene.judge(scene.rater(), pair.pk)

    found = attention.queries_worth_a_look(scene.list, pairs=4)

    other = Pair.objects.exclude(query=pair.query).first()
    assert names(found["few"]) == [(other.query.external_id, 0, 2), (pair.query.external_id, 1, 2)]


def test_of_a_long_list_some_queries_are_looked_at(agreed, monkeypatch):
    monkeypatch.setattr(outlook, "SAMPLED", 3)

    found = attention.queries_worth_a_look(agreed.list, pairs=6)

    assert [one.external_id for one in found["differ"]] == [agreed.pairs[2].query.external_id]
    assert found["cannot"] == []


def test_an_empty_list_has_nothing_worth_a_look():
    judgment_list = make.make_list(make.make_query_set())

    assert attention.queries_worth_a_look(judgment_list, pairs=0) == {"few": [], "differ": [], "cannot": []}


def test_agreement_that_was_never_worked_out_is_not_worked_out_here(client, agreed):
    text = page(client, agreed.list)

    assert "Not worked out yet." in text
    assert reverse("list-agreement", args=[agreed.list.pk]) in text
    assert not AgreementHeadline.objects.exists()


def test_the_page_of_agreement_keeps_its_headline(client, agreed):
    client.get(reverse("list-agreement", args=[agreed.list.pk]))

    text = page(client, agreed.list)

    kept = AgreementHeadline.objects.get()
    assert (kept.judgment_list, kept.query_set) == (agreed.list, agreed.query_set)
    assert f"Alpha {kept.figures['alpha']:.2f}" in text
    assert "All figures" in text
    assert "Not worked out yet" not in text


def test_a_page_that_leaves_a_rater_out_keeps_nothing(client, agreed):
    rater = agreed.query_set.raters.get(name="bob")

    client.get(reverse("list-agreement", args=[agreed.list.pk]), {"without": rater.pk})

    assert not AgreementHeadline.objects.exists()


def test_a_headline_of_fewer_judgments_says_how_far_it_is_behind(client, agreed):
    now = timezone.now()
    figures = {"alpha": 0.71, "why": "", "low": 0.6, "high": 0.8, "pairs": 5, "percent": 80.0}
    AgreementHeadline.objects.create(
        judgment_list=agreed.list,
        query_set=agreed.query_set,
        figures=figures,
        judgments=2,
        computed_at=now,
    )
    agreed.list.list_queries.update(judgment_count=1)

    text = page(client, agreed.list)

    assert "Alpha 0.71</strong> (0.60 to 0.80) of 5 pairs" in text
    assert "80 % of answers agree. Raters agree well." in text
    assert "since then the list has changed by 1 judgment." in text
    assert "Work it out anew" in text


def test_an_alpha_that_is_not_defined_is_said_in_words(client):
    agreed = Agreed()
    agreed.rater("ann", [1, 2, 3])
    client.force_login(agreed.member(Role.ENGINEER))
    client.get(reverse("list-agreement", args=[agreed.list.pk]))

    assert "No pair has two judgments yet" in page(client, agreed.list)


def test_raters_are_named_to_admins_only(client):
    scene = Scene(queries=1, documents=3, overlap=2)
    rater = scene.rater()
    for pair in Pair.objects.all():
        scene.judge(rater, pair.pk, at=timezone.now())
    scene.judge(scene.rater(), Pair.objects.first().pk, at=timezone.now() - timedelta(days=30))
    name = rater.display_name
    client.force_login(make.make_member(scene.query_set, Role.ADMIN, username="boss"))

    text = page(client, scene.list)

    assert "1 judged today" in text
    assert f'<th scope="row" class="wrap">{name}</th><td class="num">3</td><td class="num">3</td>' in text
    assert reverse("list-log", args=[scene.list.pk]) in text
    client.force_login(make.make_member(scene.query_set, Role.ENGINEER, username="eve"))
    assert name not in page(client, scene.list)


def test_whoever_is_worth_a_look_comes_first(monkeypatch):
    scene = Scene(queries=1, documents=1, overlap=3)
    busy, odd = scene.rater(), scene.rater()
    for rater in (busy, odd):
        scene.judge(rater, Pair.objects.get().pk)
    latest = recent_judgments(scene.list.pk)
    known = {one.rater.user: one for one in rater_accuracy(scene.list)}
    known[odd].alarms.append("higher")
    monkeypatch.setattr(attention, "rater_accuracy", lambda *_: known.values())
    monkeypatch.setattr(attention, "MOST_RATERS", 1)
    today = timezone.localdate()

    found = attention.raters_now(scene.list, [Daily(known[busy].rater.pk, today, 4)], latest, today=today)

    assert [(row.rater_id, row.today) for row in found.rows] == [(known[odd].rater.pk, 0)]
    assert (found.more, found.today, found.worth) == (1, 1, 1)
