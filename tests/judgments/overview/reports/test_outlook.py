"""How far a list has come, at what pace, and how long it takes."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.agreement.actions.adjudication import exclude_rater
from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import OpenedFile
from judgments.judging.actions.judging import Timing
from judgments.lists.reports.lists import raters_in_words
from judgments.models import Gold, Judgment, Pair
from judgments.overview.reports import outlook as reports
from judgments.overview.reports.forecast import Forecast
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def outlook_of(scene, at=NOON):
    return reports.outlook(scene.list, pairs=scene.list.pairs.count(), at=at)


def steps_of(scene):
    return [(step.label, step.pairs) for step in outlook_of(scene).steps]


def judge_pairs(scene, *counts):
    """So many judgments of the first pair, of the second, and so on."""
    raters = [scene.rater() for _ in range(max(counts))]
    for pair, count in zip(Pair.objects.order_by("pk").values_list("pk", flat=True), counts, strict=False):
        for rater in raters[:count]:
            scene.judge(rater, pair)


def test_pairs_are_counted_by_their_grades():
    scene = Scene(queries=1, documents=6, overlap=2)
    judge_pairs(scene, 0, 1, 2, 2, 3)
    scene.judge(scene.rater(), Pair.objects.order_by("pk").first().pk, reason="language")

    assert steps_of(scene) == [
        ("not judged", 1),
        ("cannot judge", 1),
        ("1 judgment", 1),
        ("2 judgments (complete)", 2),
        ("more", 1),
    ]
    assert sum(step.share for step in outlook_of(scene).steps) == pytest.approx(1)


@pytest.mark.parametrize(
    ("overlap", "labels"),
    [
        (1, ["not judged", "1 judgment (complete)"]),
        (4, ["not judged", "1 judgment", "2 judgments", "3 judgments", "4 judgments (complete)"]),
        (
            5,
            [
                "not judged",
                "1 judgment",
                "2 judgments",
                "3 judgments",
                "4 judgments",
                "5 judgments (complete)",
            ],
        ),
        (
            9,
            [
                "not judged",
                "1 judgment",
                "2 judgments",
                "3 judgments",
                "4 to 8 judgments",
                "9 judgments (complete)",
            ],
        ),
    ],
)
def test_a_large_overlap_is_counted_in_few_steps(overlap, labels):
    scene = Scene(queries=1, documents=1, overlap=overlap)

    assert [label for label, _ in steps_of(scene)] == labels


def test_a_long_list_is_estimated_from_some_of_its_queries(monkeypatch):
    scene = Scene(queries=6, documents=2, overlap=1)
    rater = scene.rater()
    for pair in Pair.objects.filter(query__list_queries__position__in=[3, 6]):
        scene.judge(rater, pair.pk)
    monkeypatch.setattr(reports, "SAMPLE_PAIRS", 4)

    outlook = outlook_of(scene)

    assert outlook.every == 3
    assert [(step.label, step.pairs, step.share) for step in outlook.steps] == [
        ("not judged", 0, 0),
        ("1 judgment (complete)", 12, 1),
    ]


def test_the_pace_counts_the_last_seven_days_without_imports():
    scene = Scene(queries=1, documents=6, overlap=3)
    pairs = list(Pair.objects.select_related("query", "document").order_by("pk"))
    first, second = scene.rater(), scene.rater()
    for pair, days in zip(pairs, (9, 2, 2, 0), strict=False):
        scene.judge(first, pair.pk, at=NOON - timedelta(days=days))
    scene.judge(second, pairs[1].pk, at=NOON)
    query, document = pairs[0].query.external_id, pairs[0].document.external_id
    record = JudgmentRecord(1, query, document, "1", 1.0, rater="import")
    import_judgments(judgment_list=scene.list, file=OpenedFile([record]), at=NOON)

    outlook = outlook_of(scene)

    assert [(day.day, day.judgments, day.raters) for day in outlook.days if day.judgments] == [
        (date(2026, 11, 19), 2, 1),
        (date(2026, 11, 21), 2, 2),
    ]
    assert len(outlook.days) == 7
    assert (outlook.pace, outlook.busiest, outlook.days_left) == (2, 2, None)
    assert outlook.in_words == (
        "12 judgments at 20–61 s each on average (assumed until 20 judgments are timed): 4–13 min."
    )


def test_the_pace_counts_what_the_list_required():
    """Not an answer to a gold pair, not a judgment beyond the overlap, and none of a rater who is left out."""
    scene = Scene(queries=1, documents=4, overlap=1)
    pairs = list(Pair.objects.order_by("pk").values_list("pk", flat=True))
    first, second, third = (scene.rater() for _ in range(3))
    for rater, pair in ((first, 0), (first, 1), (second, 0), (third, 2)):
        scene.judge(rater, pairs[pair], at=NOON)
    Judgment.objects.filter(pair=pairs[1]).update(gold=Gold.TEST)
    exclude_rater(
        judgment_list=scene.list, rater=Judgment.objects.get(pair=pairs[2]).rater, user=third, at=NOON
    )

    outlook = outlook_of(scene)

    assert [(day.judgments, day.raters) for day in outlook.days if day.judgments] == [(1, 1)]
    assert (outlook.pace, sum(one.judgments for one in outlook.activity)) == (1, 4)


@pytest.mark.parametrize(
    ("missing", "a_day", "days"),
    [(6, 2, None), (12, 2, None), (6, 10, 1), (2_000, 200, 10), (2_000, 10, None), (0, 10, 0)],
)
def test_days_never_stand_beside_work_of_minutes(missing, a_day, days):
    """At 10 to 40 s each: 2,000 judgments are six hours or more, which 10 a day would make a matter of months."""
    day = reports.Day(date(2026, 11, 21), a_day, 1)
    outlook = reports.Outlook(
        Forecast(missing, (10, 20, 40), 1, own_times=True), [], 1, [day], reports.Leases()
    )

    assert outlook.days_left == days
    assert ("of judging" in outlook.in_words) == (days is not None)


def test_without_a_pace_no_number_of_days_is_said():
    outlook = outlook_of(Scene(queries=1, documents=1))

    assert (outlook.pace, outlook.days_left, outlook.busiest) == (0, None, 0)
    assert outlook.in_words.endswith("(assumed until 20 judgments are timed): 1–2 min.")
    assert outlook.left_each == "1–2 min"


def test_what_raters_hold_is_counted_with_its_end():
    scene = Scene(queries=1, documents=3, overlap=2)
    first, second = scene.rater(), scene.rater()
    scene.claim(first, at=NOON)
    scene.claim(second, at=NOON + timedelta(minutes=1))

    leases = outlook_of(scene, at=NOON + timedelta(minutes=2)).leases

    assert (leases.pairs, leases.raters, leases.until) == (6, 2, NOON + timedelta(minutes=16))
    assert outlook_of(scene, at=NOON + timedelta(hours=1)).leases == reports.Leases()


def test_measured_times_are_called_so():
    outlook = reports.Outlook(Forecast(1000, (10, 20, 40), 2, own_times=True), [], 1, [], reports.Leases())

    assert outlook.in_words == "1,000 judgments at 10–40 s each on average (this list’s pace): 2.8–11 h."
    assert outlook.left_each == "1.4–5.6 h"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.001, 0.002, "1 min"),
        (0.2, 0.7, "12–42 min"),
        (0.5, 2, "0.5–2 h"),
        (11.6, 30, "12–30 h"),
        (2, 2, "2 h"),
        (900, 2500, "900–2,500 h"),
    ],
)
def test_time_is_said_as_people_say_it(low, high, words):
    assert reports.range_of_time(low, high) == words


def test_an_empty_list_has_no_steps():
    judgment_list = make.make_list(make.make_query_set())

    assert reports.outlook(judgment_list, pairs=0, at=NOON).steps == []


def test_the_number_of_statements_does_not_grow():
    counts = []
    for size in (2, 20):
        scene = Scene(queries=size, documents=3, overlap=3)
        for _ in range(3):
            rater = scene.rater()
            scene.judge(rater, scene.claim(rater)[0], timing=Timing(active_ms=9_000))
        with CaptureQueriesContext(connection) as captured:
            outlook_of(scene)
        counts.append(len(captured) - 1)  # counting the pairs is the test's own

    assert counts[0] == counts[1] <= 6


def test_further_raters_are_said_in_words():
    judgment_list = make.make_list(make.make_query_set(), overlap=2, adaptive_step=2, overlap_most=4)
    assert raters_in_words(judgment_list) == "2, one more where grades differ by 2 or more, 4 at most"

    judgment_list.scale.level = "nominal"
    assert raters_in_words(judgment_list) == "2, one more where grades differ, 4 at most"
