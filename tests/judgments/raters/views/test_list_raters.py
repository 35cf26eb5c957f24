"""The raters of a list: what each gave and holds, who is named, and what is never done automatically."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.judging.actions.judging import Timing
from judgments.models import Assignment, GoldDraw, JudgmentList, Membership, Pair, Slot
from judgments.raters.actions.assignments import assign
from judgments.raters.actions.gold import mark_gold
from judgments.raters.reports.accuracy import FLAGS
from judgments.raters.reports.raters import Totals, raters_of
from tests import factories as make
from tests.html import html_of
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    scene = Scene(queries=2, documents=4, overlap=2)
    scene.admin = make.make_member(scene.query_set, "admin", username="ada")
    client.force_login(scene.admin)
    return scene


def address(scene):
    return reverse("list-raters", args=[scene.list.pk])


def page(client, scene):
    response = client.get(address(scene))
    assert response.status_code == 200
    return html_of(response)


def post(client, scene, action, **data):
    return client.post(address(scene), {"action": action} | data, follow=True)


def row_of(scene, user):
    rows = raters_of(scene.list, scene.list.assignments.all(), at=timezone.now())
    return next(row for row in rows if row.rater.user == user)


def gold_pairs(scene, value=2.0):
    for pair in Pair.objects.filter(judgment_list=scene.list):
        mark_gold(judgment_list=scene.list, pair_id=pair.pk, value=value, user=scene.admin, at=make.NOW)


def test_an_untouched_list_says_that_nobody_has_judged(client, scene):
    assert "Nobody has judged here yet" in page(client, scene)


def test_who_was_removed_from_the_members_is_marked(client, scene):
    stays, leaves, pair = scene.rater(), scene.rater(), Pair.objects.earliest("pk")
    chief = make.make_user(is_superuser=True)
    for rater in (stays, leaves, chief):
        scene.judge(rater, pair.pk)
    Membership.objects.filter(user=leaves).delete()

    assert [row_of(scene, one).has_left for one in (stays, leaves, chief)] == [False, True, False]
    assert page(client, scene).count('<span class="tag">no longer a member</span>') == 1


def test_each_rater_stands_there_with_what_was_given_and_held(client, scene):
    rater, now = scene.rater(), timezone.now()
    pairs = scene.claim(rater, at=now)
    scene.judge(rater, pairs[0], at=now, timing=Timing(active_ms=12_000))
    scene.judge(rater, pairs[1], at=now, reason="language", timing=Timing(active_ms=14_000))
    scene.skip(rater, pairs[2], at=now)

    row = row_of(scene, rater)

    assert (row.totals.judgments, row.totals.cannot_judge, row.totals.cannot_percent) == (2, 1, "50")
    assert (row.skips, row.lease_count, row.median_seconds) == (1, len(pairs) - 3, 13)
    assert row.until == now + timedelta(minutes=15)
    assert f"{rater.username} " in page(client, scene)


def test_what_a_late_judgment_leaves_over_is_marked_extra(client, scene):
    slow, *others = [scene.rater() for _ in range(3)]
    long_ago = timezone.now() - timedelta(hours=1)
    pair = scene.claim(slow, at=long_ago)[0]
    for other in others:
        scene.claim(other)
        scene.judge(other, pair, at=timezone.now())

    scene.judge(slow, pair, at=timezone.now())

    assert row_of(scene, slow).totals.extra == 1


def test_whoever_left_nothing_but_a_place_in_the_queue_is_listed(client, scene):
    rater = scene.rater()
    scene.claim(rater, at=make.NOW - timedelta(days=1))

    row = row_of(scene, rater)

    assert (row.totals.judgments, row.lease_count, row.median_seconds, row.flags) == (0, 0, None, [])
    assert "no judgments yet" in page(client, scene)


def test_an_admin_releases_one_pair_or_all_of_a_rater(client, scene):
    rater = scene.rater()
    scene.claim(rater, at=timezone.now())
    slot = Slot.objects.filter(lease_until__gt=timezone.now()).first()

    assert (
        "Released. Other raters can judge this pair now."
        in post(client, scene, "release-slot", slot=slot.pk).content.decode()
    )
    assert (
        "Nobody holds this pair any more."
        in post(client, scene, "release-slot", slot=slot.pk).content.decode()
    )
    key = row_of(scene, rater).rater.pk
    assert "4 pairs of" in post(client, scene, "release", rater=key).content.decode()
    assert row_of(scene, rater).lease_count == 0


def test_a_foreign_rater_and_an_unknown_act_do_nothing(client, scene):
    foreign = make.make_rater(make.make_query_set())

    assert post(client, scene, "release", rater=foreign.pk).status_code == 404
    assert post(client, scene, "ban").status_code == 400
    assert post(client, scene, "quota", user="x").status_code == 404


def test_gold_pairs_that_a_rater_holds_are_counted_and_released(client, scene):
    gold_pairs(scene)
    scene.list.onboarding = 2
    scene.list.save()
    rater = scene.rater()
    scene.claim(rater)

    assert row_of(scene, rater).gold_leases == 2
    assert "2 gold pairs" in page(client, scene)
    post(client, scene, "release", rater=row_of(scene, rater).rater.pk)
    assert not GoldDraw.objects.exists()


def test_few_known_answers_are_said_to_be_too_few(client, scene):
    rater = scene.rater()
    pairs = list(Pair.objects.values_list("pk", flat=True))
    for pair, value in zip(pairs[:4], (2.0, 2.0, 1.0, 3.0), strict=True):
        scene.judge(rater, pair, value)
    gold_pairs(scene)

    row = row_of(scene, rater)

    assert row.gold_in_words == "2 of 4: too few to judge"
    assert row.distances_in_words == "1 × −1, 1 × +1"
    assert row.practice_in_words == ""


def test_from_twenty_on_the_share_comes_with_its_interval(client):
    scene = Scene(queries=1, documents=25, overlap=1)
    scene.admin = make.make_member(scene.query_set, "admin")
    rater = scene.rater()
    for number, pair in enumerate(Pair.objects.values_list("pk", flat=True)):
        scene.judge(rater, pair, 2.0 if number < 20 else 0.0)
    gold_pairs(scene)

    row = row_of(scene, rater)

    # Wilson's interval for 20 of 25 is .609 to .911 (R's prop.test without continuity correction gives the same)
    assert row.gold_in_words == "20 of 25, 80 % (61–91 %)"
    assert row.flags == []


def test_raters_worth_a_look_are_one_table(client):
    scene = Scene(queries=60, documents=1, overlap=1)
    scene.admin = make.make_member(scene.query_set, "admin")
    gold_pairs(scene)
    raters = [scene.rater() for _ in range(3)]
    pairs = list(Pair.objects.order_by("pk"))
    for start, rater in zip((0, 20, 40), raters, strict=True):  # not the same pairs last, which might be hard
        own = make.make_rater(scene.query_set, rater)
        for number, pair in enumerate(pairs[start:] + pairs[:start]):
            make.make_judgment(pair, own, value=2.0 if number < 30 else 0.0)
    client.force_login(scene.admin)

    html = page(client, scene)

    assert html.count(FLAGS["decline"]) == 3
    assert "To review <small>3 of 3 raters</small>" in html
    assert "notice-warning" not in html
    assert Membership.objects.filter(user__in=raters).count() == 3


def test_on_a_scale_without_levels_the_mean_distance_is_said(client):
    scale = make.make_query_set().scales.create(
        name="0–1", level="interval", continuous=True, maximum=1, step=0.01
    )
    scene = Scene(queries=1, documents=8, scale=scale)
    scene.admin = make.make_member(scene.query_set, "admin")
    rater = scene.rater()
    for number, pair in enumerate(Pair.objects.values_list("pk", flat=True)):
        scene.judge(rater, pair, number / 10)
    gold_pairs(scene, value=0.0)

    assert row_of(scene, rater).distances_in_words == "0.35 on average"


def test_practice_is_told_apart(client, scene):
    gold_pairs(scene)
    scene.list.onboarding = 8
    scene.list.save()
    rater = scene.rater()
    for value in (2.0, 1.0):
        scene.judge(rater, scene.claim(rater)[0], value)

    row = row_of(scene, rater)

    assert (row.totals.judgments, row.totals.practice) == (0, 2)
    assert row.practice_in_words == "practice: 1 of 2, too few to say"
    assert "+ 2 practice" in page(client, scene)


def test_raters_are_named_with_a_quota_which_can_be_changed_and_taken_away(client, scene):
    rater = scene.rater()

    post(client, scene, "assign", user=rater.pk, quota=50)
    assert Assignment.objects.get().quota == 50
    post(client, scene, "quota", user=rater.pk, quota="")
    assert Assignment.objects.get().quota is None
    post(client, scene, "unassign", user=rater.pk)
    assert not Assignment.objects.exists()


@pytest.mark.parametrize("data", [{"quota": "0"}, {"user": ""}, {"quota": "x"}])
def test_a_name_or_a_quota_that_makes_no_sense_is_refused(client, scene, data):
    rater = scene.rater()

    response = client.post(address(scene), {"action": "assign", "user": rater.pk} | data)

    assert response.status_code == 422
    assert not Assignment.objects.exists()


def test_a_changed_quota_that_makes_no_sense_stands_beside_its_rater(client, scene):
    rater = scene.rater()
    assign(judgment_list=scene.list, user=rater, quota=9)

    response = client.post(address(scene), {"action": "quota", "user": rater.pk, "quota": "-5"})

    assert response.status_code == 422
    assert 'value="-5"' in response.content.decode()
    assert Assignment.objects.get().quota == 9


def test_a_named_rater_who_left_the_query_set_keeps_no_new_quota(client, scene):
    rater = scene.rater()
    assign(judgment_list=scene.list, user=rater, quota=9)
    Membership.objects.filter(user=rater).delete()

    html = post(client, scene, "quota", user=rater.pk, quota=3).content.decode()

    assert "isn’t a member of this list’s query set" in html
    assert Assignment.objects.get().quota == 9


def test_everyone_may_be_named_and_then_nobody_is_left(client, scene):
    post(client, scene, "assign", user=scene.admin.pk)

    assert "Every member of the query set is assigned." in page(client, scene)


def test_the_list_is_restricted_to_named_raters_and_opened_again(client, scene):
    post(client, scene, "mode", mode="named")
    assert JudgmentList.objects.get().assignment == "named"
    assert "Only assigned raters" in page(client, scene)
    post(client, scene, "mode", mode="open")
    assert JudgmentList.objects.get().assignment == "open"


def test_while_the_list_is_open_to_all_the_form_that_has_no_effect_yet_is_folded(client, scene):
    rater = scene.rater()
    fold = re.compile(
        r'<details class="fold"( open)?>\s*<summary>Assign raters before you restrict the list</summary>'
    )

    def opened(html):
        return [one == " open" for one in fold.findall(html)]

    assert opened(page(client, scene)) == [False]
    refused = client.post(address(scene), {"action": "assign", "user": ""})
    assert opened(refused.content.decode()) == [True]
    assign(judgment_list=scene.list, user=rater, quota=9)
    assert opened(page(client, scene)) == [True]
    assert "Assignments have no effect now." in page(client, scene)
    post(client, scene, "mode", mode="named")
    assert opened(page(client, scene)) == []
    assert "Assign a rater" in page(client, scene)


def test_on_a_nominal_scale_nothing_is_said_of_distances(client):
    scale = make.make_query_set().scales.create(name="Kinds", level="nominal")
    for value in (1, 2):
        scale.grades.create(value=value, label=f"kind {value}", gain=0, key=str(value))
    scene = Scene(queries=1, documents=2, scale=scale)
    scene.claim(scene.rater())
    client.force_login(make.make_member(scene.query_set, "admin"))

    assert "no order" in page(client, scene)


@pytest.mark.parametrize(
    ("judgments", "cannot_judge", "words"),
    [(223, 1, "< 1"), (200, 1, "< 1"), (200, 3, "2"), (4, 1, "25"), (0, 0, "0")],
)
def test_a_few_answers_that_cannot_be_given_are_not_said_to_be_none(judgments, cannot_judge, words):
    assert Totals(judgments=judgments, cannot_judge=cannot_judge).cannot_percent == words
