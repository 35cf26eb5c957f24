"""The overview of a list: what it says to whom, and that it computes no agreement."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.agreement.actions.adjudication import exclude_rater
from judgments.agreement.figures import NO_COUPLES
from judgments.models import AgreementHeadline, Pair, Role
from judgments.overview.reports import outlook, overview
from judgments.overview.sql import Daily
from judgments.raters.actions.gold import mark_gold
from judgments.raters.reports.accuracy import rater_accuracy
from judgments.raters.sql.recent_judgments import recent_judgments
from tests import factories as make
from tests.html import html_of
from tests.judgments.agreed import Agreed
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db


def page(client, judgment_list):
    response = client.get(reverse("list", args=[judgment_list.pk]))
    assert response.status_code == 200
    return html_of(response)


@pytest.fixture
def scene(client):
    """Two raters agree on the first query's pairs, differ on the second's, and cannot judge the third's."""
    scene = Agreed(queries=3, documents=2)
    scene.rater("ann", [1, 2, 0, 0, None, None])
    scene.rater("bob", [1, 2, 3, 2, None, 1])
    refresh_consensus(judgment_list=scene.list)
    client.force_login(scene.member(Role.ADMIN))
    return scene


def names(by_kind):
    return [(one.query_id, one.part, one.whole) for one in by_kind]


def test_queries_that_differ_or_cannot_be_judged_are_named(scene):
    second, third = (scene.pairs[at].query.external_id for at in (2, 4))

    by_kind = overview.review_queries(scene.list, pairs=6)

    assert names(by_kind["differ"]) == [(second, 2, 2)]
    assert names(by_kind["cannot"]) == [(third, 3, 4)]


def test_pairs_that_an_admin_decided_are_settled(scene):
    for pair in scene.pairs[2:4]:
        scene.list.adjudications.create(
            query_set=scene.query_set, pair=pair, value=1, cause="slip", at=timezone.now()
        )

    assert overview.review_queries(scene.list, pairs=6)["differ"] == []


def test_queries_with_the_least_of_what_is_wanted_come_first():
    scene = Scene(queries=2, documents=2, overlap=1)
    pair = Pair.objects.order_by("pk").first()
    scene.judge(scene.rater(), pair.pk)

    by_kind = overview.review_queries(scene.list, pairs=4)

    other = Pair.objects.exclude(query=pair.query).first()
    assert names(by_kind["few"]) == [(other.query.external_id, 0, 2), (pair.query.external_id, 1, 2)]


def test_judgments_of_a_rater_who_is_left_out_are_none_of_those_required(client):
    """It was “9 of 27” where 20 judgments are required: seven of a rater who is left out, and two that count."""
    scene = Scene(queries=1, documents=10, overlap=2)
    pairs = list(Pair.objects.order_by("pk").values_list("pk", flat=True))
    bad, good = scene.rater(), scene.rater()
    for pair in pairs[:7]:
        scene.judge(bad, pair)
    for pair in pairs[:2]:
        scene.judge(good, pair)
    admin = make.make_member(scene.query_set, Role.ADMIN)
    rater = scene.query_set.raters.get(user=bad)
    exclude_rater(judgment_list=scene.list, rater=rater, user=admin, at=timezone.now())
    client.force_login(admin)

    ((_, part, whole),) = names(overview.review_queries(scene.list, pairs=10)["few"])

    assert (part, whole) == (2, 20)
    assert "2 of 20</progress>" in page(client, scene.list)


def test_gold_pairs_do_not_hide_a_query_that_lacks_everything():
    """Five queries lack 2 of 3 judgments. The last one has two gold pairs and lacks the only judgment that it requires."""
    scene = Scene(queries=6, documents=3, overlap=1)
    *queries, last = scene.list.list_queries.order_by("position")
    rater, admin = scene.rater(), make.make_user()
    for one in queries:
        scene.judge(rater, scene.list.pairs.filter(query=one.query_id).first().pk)
    for pair in scene.list.pairs.filter(query=last.query_id)[:2]:
        mark_gold(judgment_list=scene.list, pair_id=pair.pk, value=2, user=admin, at=timezone.now())

    first, *others = names(overview.review_queries(scene.list, pairs=18)["few"])

    assert first == (last.query.external_id, 0, 1)
    assert [one[1:] for one in others] == [(1, 3)] * 4


def test_judgments_beyond_those_required_do_not_count_toward_others():
    scene = Scene(queries=1, documents=2, overlap=1)
    first = Pair.objects.order_by("pk").first()
    for _ in range(3):
        scene.judge(scene.rater(), first.pk)

    assert names(overview.review_queries(scene.list, pairs=2)["few"])[0][1:] == (1, 2)


def test_of_a_long_list_some_queries_are_looked_at(scene, monkeypatch):
    monkeypatch.setattr(outlook, "SAMPLE_PAIRS", 3)

    by_kind = overview.review_queries(scene.list, pairs=6)

    assert [one.query_id for one in by_kind["differ"]] == [scene.pairs[2].query.external_id]
    assert by_kind["cannot"] == []


def test_an_empty_list_has_nothing_worth_a_look():
    judgment_list = make.make_list(make.make_query_set())

    assert overview.review_queries(judgment_list, pairs=0) == {"few": [], "differ": [], "cannot": []}


@pytest.mark.parametrize(("raters", "words"), [(1, "for the one rater who"), (2, "for each of 2 raters who")])
def test_time_left_is_divided_among_raters_who_can_still_judge(client, raters, words):
    scene = Scene(queries=1, documents=3, overlap=3)
    now = timezone.now()
    scene.finish(scene.rater(), at=now)
    for _ in range(raters):
        other = scene.rater()
        scene.judge(other, scene.claim(other, now)[0], at=now)
    client.force_login(make.make_member(scene.query_set, Role.ADMIN))

    assert f"{words} can still judge these pairs" in page(client, scene.list)


def test_a_list_without_pairs_is_not_called_complete(client):
    judgment_list = make.make_list(make.make_query_set())
    client.force_login(make.make_member(judgment_list.query_set, Role.ADMIN))

    assert "received, complete" not in page(client, judgment_list)


def test_the_number_of_judgments_says_that_answers_to_gold_pairs_are_apart(client, scene):
    """128 were received, while the page of raters counted 140: nothing said why."""
    words = "without answers to gold pairs"
    assert words not in page(client, scene.list)

    scene.list.__class__.objects.filter(pk=scene.list.pk).update(gold_rate=20)

    assert words in page(client, scene.list)


def test_agreement_that_was_never_worked_out_is_not_worked_out_here(client, scene):
    text = page(client, scene.list)

    assert "Not computed yet." in text
    assert reverse("list-agreement", args=[scene.list.pk]) in text
    assert not AgreementHeadline.objects.exists()


def test_the_page_of_agreement_keeps_its_headline(client, scene):
    client.get(reverse("list-agreement", args=[scene.list.pk]))

    text = page(client, scene.list)

    headline = AgreementHeadline.objects.get()
    assert (headline.judgment_list, headline.query_set) == (scene.list, scene.query_set)
    assert f"Alpha {headline.figures['alpha']:.2f}".replace("-", "−") in text
    assert "Show all figures" in text
    assert "Not computed yet" not in text


def test_a_page_that_leaves_a_rater_out_keeps_nothing(client, scene):
    rater = scene.query_set.raters.get(name="bob")

    client.get(reverse("list-agreement", args=[scene.list.pk]), {"without": rater.pk})

    assert not AgreementHeadline.objects.exists()


def test_a_headline_of_fewer_judgments_says_how_far_it_is_behind(client, scene):
    now = timezone.now()
    figures = {"alpha": 0.71, "why": "", "low": 0.6, "high": 0.8, "pairs": 5, "percent": 80.0}
    AgreementHeadline.objects.create(
        judgment_list=scene.list,
        query_set=scene.query_set,
        figures=figures,
        judgments=2,
        computed_at=now,
    )
    scene.list.list_queries.update(judgment_count=1)

    text = page(client, scene.list)

    assert "Alpha 0.71</strong> (0.60 to 0.80) of 5 pairs" in text
    assert "80 % of answers agree. Raters agree well." in text
    assert "Since then, the number of judgments changed by 1." in text
    assert "Compute agreement again" in text


def test_what_was_true_of_no_judgments_is_not_said_of_later_ones(client, scene):
    AgreementHeadline.objects.create(
        judgment_list=scene.list,
        query_set=scene.query_set,
        figures={"alpha": None, "why": NO_COUPLES},
        judgments=0,
        computed_at=timezone.now(),
    )
    scene.list.list_queries.update(judgment_count=1)

    text = page(client, scene.list)

    assert NO_COUPLES not in text
    assert "Not computed yet" in text


def test_an_alpha_that_is_not_defined_is_said_in_words(client):
    scene = Agreed()
    scene.rater("ann", [1, 2, 3])
    client.force_login(scene.member(Role.ENGINEER))
    client.get(reverse("list-agreement", args=[scene.list.pk]))

    assert "No pair has two judgments yet" in page(client, scene.list)


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
    accuracies = {one.rater.user: one for one in rater_accuracy(scene.list)}
    accuracies[odd].flags.append("higher")
    monkeypatch.setattr(overview, "rater_accuracy", lambda *_: accuracies.values())
    monkeypatch.setattr(overview, "MOST_RATERS", 1)
    today = timezone.localdate()

    by_kind = overview.raters_now(
        scene.list, [Daily(accuracies[busy].rater.pk, today, 4, 4)], latest, today=today
    )

    assert [(row.name, row.today) for row in by_kind.rows] == [(odd.display_name, 0)]
    assert (by_kind.more, by_kind.today) == (1, 1)
