"""A rater's own judgments: counted, found, changed and downloaded; nobody else's, and never which were gold."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.judging.actions.judging import Timing
from judgments.judging.reports import own_judgments as reports
from judgments.models import Pair
from judgments.raters.actions.gold import mark_gold
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    scene = Scene(queries=2, documents=3, overlap=2)
    scene.user = scene.rater()
    scene.pairs = list(Pair.objects.select_related("query", "document").order_by("pk"))
    client.force_login(scene.user)
    return scene


def own_page(client, scene, **search):
    return client.get(reverse("judge-done", args=[scene.list.pk]), search)


def pairs_on_page(client, scene, **search):
    return [row["judgment"].pair_id for row in own_page(client, scene, **search).context["page"]["rows"]]


def download(client, scene, **search):
    response = own_page(client, scene, format="csv", **search)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


def test_a_rater_sees_what_was_done_today_and_in_all_and_how_fast(client, scene):
    now = timezone.now()
    for pair, at, active in zip(
        scene.pairs, (now - timedelta(days=2), now, now), (30_000, 10_000, 20_000), strict=False
    ):
        scene.judge(scene.user, pair.pk, at=at, timing=Timing(active_ms=active))
    scene.judge(scene.rater(), scene.pairs[0].pk, at=now)

    html = own_page(client, scene).content.decode()

    assert "<dt>Today</dt><dd>2</dd>" in html
    assert "<dt>Total</dt><dd>3</dd>" in html
    assert "20.0 s" in html


def test_own_judgments_are_found_by_text_and_by_answer(client, scene):
    first, second, third = scene.pairs[:3]
    scene.judge(scene.user, first.pk, 3.0)
    scene.judge(scene.user, second.pk, 1.0)
    scene.judge(scene.user, third.pk, reason="language")

    assert pairs_on_page(client, scene) == [third.pk, second.pk, first.pk]
    assert pairs_on_page(client, scene, q=second.document.title) == [second.pk]
    assert pairs_on_page(client, scene, q=first.document.external_id) == [first.pk]
    assert pairs_on_page(client, scene, grade="3") == [first.pk]
    assert pairs_on_page(client, scene, grade="cannot") == [third.pk]
    assert pairs_on_page(client, scene, q=second.document.title, grade="3") == []
    assert "No matching judgments" in own_page(client, scene, q="nowhere").content.decode()
    assert pairs_on_page(client, scene, grade="17") == [third.pk, second.pk, first.pk]


def test_a_search_goes_on_to_its_next_page(client, monkeypatch, scene):
    monkeypatch.setattr(reports, "PAGE", 2)
    for pair in scene.pairs[:4]:
        scene.judge(scene.user, pair.pk, 3.0)

    page = own_page(client, scene, grade="3")
    before = page.context["page"]["before"]

    assert f'href="?before={before}&amp;grade=3"' in page.content.decode()
    assert pairs_on_page(client, scene, grade="3", before=before) == [pair.pk for pair in scene.pairs[1::-1]]


def test_earlier_answers_stand_beside_the_present_one(client, scene):
    pair = scene.pairs[0].pk
    scene.judge(scene.user, pair, 3.0)
    scene.judge(scene.user, pair, 1.0)
    scene.undo(scene.user)

    row = own_page(client, scene).context["page"]["rows"][0]

    assert row["judgment"].value == 3
    assert [(one["answer"], one["withdrawn"]) for one in row["earlier"]] == [
        ("Perfectly relevant", False),
        ("Related", True),
    ]
    assert "before: Perfectly relevant" in own_page(client, scene).content.decode()


def test_titles_are_shown_without_the_markup_in_them(client, scene):
    document = scene.pairs[0].document
    document.title = "A <b>fine</b> <i>tent</i> &amp; more"
    document.save()
    scene.judge(scene.user, scene.pairs[0].pk, 3.0)

    html = own_page(client, scene).content.decode()

    assert "A fine tent &amp; more" in html
    assert "&lt;b&gt;" not in html


def test_practice_is_told_apart_and_cannot_be_changed(client, scene):
    pair = scene.pairs[0]
    mark_gold(judgment_list=scene.list, pair_id=pair.pk, value=2.0, user=make.make_user(), at=make.NOW)
    scene.list.onboarding = 1
    scene.list.save()
    assert scene.claim(scene.user) == [pair.pk]
    scene.judge(scene.user, pair.pk, 2.0)

    html = own_page(client, scene).content.decode()

    assert '<span class="tag">practice</span>' in html
    assert f"?pair={pair.pk}" not in html


def test_the_file_holds_all_own_judgments_and_nobody_elses(client, scene):
    first, second = scene.pairs[:2]
    first.document.title = "=cmd()"
    first.document.save()
    scene.list.evidence, scene.list.confidence = "optional", True
    scene.list.save()
    passages = [{"field": "body", "quote": "so", "start": 0, "end": 2}, {"field": "title", "quote": "it"}]
    scene.judge(
        scene.user,
        first.pk,
        3.0,
        comment="good",
        evidence=passages,
        confidence=2,
        timing=Timing(active_ms=12_345),
    )
    scene.judge(scene.user, second.pk, reason="language")
    scene.judge(scene.rater(), second.pk, 1.0)

    rows = download(client, scene)

    assert rows[0] == {
        "query_id": first.query.external_id,
        "query": first.query.text,
        "document_id": first.document.external_id,
        "document": "'=cmd()",
        "grade": "3.0",
        "label": "Perfectly relevant",
        "reason": "",
        "comment": "good",
        "evidence": "so | it",
        "confidence": "2",
        "judged_at": "2026-11-21T12:00:00+00:00",
        "seconds": "12.345",
    }
    assert [(row["grade"], row["reason"]) for row in rows] == [("3.0", ""), ("", "language")]
    assert len(download(client, scene, grade="3")) == 1


def test_nothing_in_page_or_file_tells_a_gold_pair(client, scene):
    scene.judge(scene.user, scene.pairs[0].pk, 1.0)
    before = own_page(client, scene).content, download(client, scene)

    mark_gold(
        judgment_list=scene.list, pair_id=scene.pairs[0].pk, value=2.0, user=make.make_user(), at=make.NOW
    )

    assert b"gold" not in before[0].lower().replace(b"--gold", b"")
    assert download(client, scene) == before[1]


def test_a_list_without_own_judgments_offers_neither_search_nor_file(client, scene):
    html = own_page(client, scene).content.decode()

    assert "No judgments here" in html
    assert "Download CSV" not in html
    assert 'role="search"' not in html


def test_the_overview_counts_list_by_list_and_day_by_day(client, scene):
    now = timezone.now()
    other = make.make_list(scene.query_set, name="Untouched")
    for pair, at in zip(scene.pairs, (now - timedelta(days=1), now, now), strict=False):
        scene.judge(scene.user, pair.pk, at=at)

    response = client.get(reverse("own-judgments"))

    (row,) = response.context["rows"]
    assert (row["judgment_list"], row["judgments"], row["today"]) == (scene.list, 3, 2)
    assert row["median_seconds"] is None
    assert [count for _, count in response.context["days"]] == [0, 0, 0, 0, 0, 1, 2]
    html = response.content.decode()
    assert reverse("judge-done", args=[scene.list.pk]) in html
    assert other.name not in html
    assert "Continue judging" in html


def test_the_account_menu_leads_to_the_overview_and_it_says_how_to_begin(client):
    client.force_login(make.make_user())

    html = client.get(reverse("own-judgments")).content.decode()

    assert "No judgments yet" in html
    assert f'<a href="{reverse("own-judgments")}">Your judgments</a>' in html


def test_old_judgments_leave_the_last_days_empty(client, scene):
    scene.judge(scene.user, scene.pairs[0].pk, at=timezone.now() - timedelta(days=30))

    response = client.get(reverse("own-judgments"))

    assert response.context["busiest"] == 0
