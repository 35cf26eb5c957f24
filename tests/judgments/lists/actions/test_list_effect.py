"""What is said before another number of raters is saved is what saving then does."""

import random

import pytest

from judgments.lists.actions.lists import change_list, effect_of
from judgments.models import Pair, Slot
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW, Scene

pytestmark = pytest.mark.django_db

CHANGES = [(1, None), (4, None), (2, (1.0, 4)), (3, (2.0, 5)), (2, None)]


def busy_scene(seed: int) -> Scene:
    """A list in the middle of things: judged, held, given back, cannot judge, one pair gold."""
    chance = random.Random(seed)
    scene = Scene(queries=2, documents=4, overlap=2)
    gold = Pair.objects.filter(judgment_list=scene.list).latest("pk")
    make.make_gold_pair(gold, 1.0)
    for rater in [scene.rater() for _ in range(4)]:
        at = chance.choice([NOW, LATER])
        for pair in scene.claim(rater, at=at)[: chance.randint(0, 4)]:
            if chance.random() < 0.2:
                scene.judge(rater, pair, reason="language", at=at)
            else:
                scene.judge(rater, pair, chance.choice([0.0, 1.0, 3.0]), at=at)
    return scene


@pytest.mark.parametrize(("overlap", "adaptive"), CHANGES)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_said_before_is_what_happens(seed, overlap, adaptive, monkeypatch):
    monkeypatch.setattr("judgments.lists.actions.pairs.timezone.now", lambda: LATER)
    scene = busy_scene(seed)
    settings = {"scale": scene.list.scale, "overlap": overlap, "adaptive": adaptive}
    open_slots = Slot.objects.filter(judgment_list=scene.list, state="open")
    keys = set(open_slots.values_list("pk", flat=True))

    effect = effect_of(judgment_list=scene.list, **settings, at=LATER)
    assert set(open_slots.values_list("pk", flat=True)) == keys  # nothing has happened yet
    change_list(
        judgment_list=scene.list,
        name="x",
        description="",
        guidelines="",
        rule="median",
        tie="lower",
        **settings,
    )

    after = set(open_slots.values_list("pk", flat=True))
    slots = len(after - keys), len(keys - after), open_slots.filter(surplus=True).count()
    assert ((effect.added, effect.removed, effect.held) if effect else (0, 0, 0)) == slots
