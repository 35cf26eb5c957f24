"""Files that judge what raters have judged on the screen, or are about to."""

import pytest

from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import ImportResult, OpenedFile
from judgments.models import GoldDraw, Judgment, JudgmentHistory, Pair, Rater
from judgments.raters.actions import gold as actions
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW, Scene
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db

PASSAGE = [{"field": "title", "quote": "Title", "start": 0, "end": 5}]


def bring_in(scene, *answers):
    """A file with a grade for each pair and name."""
    records = [
        JudgmentRecord(2, pair.query.external_id, pair.document.external_id, str(value), value, rater=name)
        for pair, name, value in answers
    ]
    return import_judgments(judgment_list=scene.list, file=OpenedFile(records), at=LATER)


def gold_scene(documents, **fields):
    """A list of one query, all pairs of which are gold but one."""
    scene = Scene(1, documents, **fields)
    pairs = list(scene.list.pairs.order_by("pk"))
    for pair in pairs[1:]:
        actions.mark_gold(judgment_list=scene.list, pair_id=pair.pk, value=2.0, user=make.make_user(), at=NOW)
    return scene


def drawn_gold(scene, user):
    """The gold pair of the list, mixed in for this rater."""
    pair = scene.list.pairs.get(gold__isnull=False)
    scene.draw_gold(user, pair)
    assert pair.pk in scene.claim(user)
    return pair


def test_practice_goes_on_after_a_file_has_judged_a_pair_that_waits_in_it():
    scene = gold_scene(3, onboarding=1)
    user = scene.rater()
    (waiting,) = scene.claim(user)

    bring_in(scene, (Pair.objects.get(pk=waiting), user.username, 1.0))

    (other,) = scene.claim(user)
    assert other != waiting
    assert GoldDraw.objects.get(pair=waiting).answered
    scene.judge(user, other)
    assert scene.list.pairs.get(gold=None).pk in scene.claim(user)


def test_a_gold_pair_that_a_file_has_judged_is_not_handed_out_again():
    scene = gold_scene(2, gold_rate=50)
    user = scene.rater()
    mixed_in = drawn_gold(scene, user)

    bring_in(scene, (mixed_in, user.username, 1.0))

    assert scene.finish(user) == [scene.list.pairs.get(gold=None).pk]


def test_a_gold_pair_that_was_drawn_while_a_judgment_of_it_came_is_not_handed_out():
    scene = gold_scene(2, gold_rate=50)
    user = scene.rater()
    mixed_in = drawn_gold(scene, user)
    make.make_judgment(mixed_in, Rater.objects.get(user=user), 1.0)

    assert scene.claim(user) == [scene.list.pairs.get(gold=None).pk]


def test_what_was_said_beside_an_answer_goes_to_the_history_with_it():
    scene = Scene(1, 1)
    pair = scene.list.pairs.get()
    rater = make.make_rater(scene.query_set)
    beside = {"evidence": PASSAGE, "confidence": 3, "view": "document", "place": 4}
    make.make_judgment(pair, rater, 1.0, wall_ms=9_000, device="mouse", **beside)

    result = bring_in(scene, (pair, rater.name, 3.0))

    assert result == ImportResult(new=0, changed=1, unchanged=0)
    earlier, now = JudgmentHistory.objects.get(pair=pair), Judgment.objects.get(pair=pair)
    assert (earlier.value, {name: getattr(earlier, name) for name in beside}) == (1.0, beside)
    assert (now.value, now.evidence, now.confidence, now.view, now.place) == (3.0, [], None, "", None)
    assert (now.wall_ms, now.device) == (None, "")


def test_an_answer_given_in_practice_stays_when_a_file_says_otherwise():
    scene = Scene(1, 1)
    pair = scene.list.pairs.get()
    rater = make.make_rater(scene.query_set)
    make.make_judgment(pair, rater, 1.0, gold="practice")

    result = bring_in(scene, (pair, rater.name, 3.0))

    assert result == ImportResult(new=0, changed=0, unchanged=1)
    assert Judgment.objects.get(pair=pair).value == 1
    assert not JudgmentHistory.objects.filter(pair=pair).exists()


def test_answers_to_a_gold_pair_leave_the_overlap_to_the_file():
    scene = Scene(1, 1, overlap=1)
    pair = scene.list.pairs.get()
    make.make_judgment(pair, make.make_rater(scene.query_set), 1.0, gold="gold")

    bring_in(scene, (pair, "first", 3.0), (pair, "second", 3.0))

    judgments = Judgment.objects.filter(pair=pair, gold="")
    assert dict(judgments.values_list("rater__name", "extra")) == {"first": False, "second": True}
