"""What migrations make of rows that are there already."""

from importlib import import_module

import pytest
from django.db import connection

from judgments.agreement.actions.adjudication import exclude_rater
from judgments.models import ConsensusGrade, Handout
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db


def test_what_is_held_put_off_or_drawn_counts_as_handed_out():
    scene = Scene(queries=1, documents=5)
    user = scene.rater()
    pairs = scene.claim(user, count=3)
    scene.skip(user, pairs[0])
    expected = set(Handout.objects.values_list("pair", "rater"))
    Handout.objects.all().delete()

    with connection.cursor() as cursor:
        cursor.execute(import_module("judgments.migrations.0014_handouts").HANDED_BEFORE)

    assert set(Handout.objects.values_list("pair", "rater")) == expected
    assert len(expected) == 3


@pytest.mark.parametrize("level", ["ordinal", "nominal"])
def test_disagreements_of_judgments_that_are_there_are_found_as_if_they_were_given_now(level):
    query_set = make.make_query_set()
    scale = query_set.scales.create(name="Own", level=level, maximum=3)
    for value in range(4):
        scale.grades.create(value=value, label=str(value), gain=value, key=str(value))
    judgment_list = make.make_list(query_set, scale=scale)
    raters = [make.make_rater(query_set) for _ in range(4)]
    query, admin = make.make_query(query_set), make.make_user()
    for values in ((0, 3, 3), (1, 1), (2,), (2, None), (None, None), (0, 1, 3, None), (1, 1, 1, 3)):
        pair = make.make_pair(judgment_list, query, make.make_document(query_set))
        for rater, value in zip(raters, values, strict=False):
            make.make_judgment(pair, rater, value, reason="" if value is not None else "language")
    make.make_judgment(pair, make.make_rater(query_set), 0, gold="practice")
    refresh_consensus(judgment_list=judgment_list)
    exclude_rater(judgment_list=judgment_list, rater=raters[3], user=admin, at=make.NOW)
    expected = list(ConsensusGrade.objects.order_by("pair").values_list("spread", "answers"))
    ConsensusGrade.objects.update(spread=None, answers=0)

    with connection.cursor() as cursor:
        cursor.execute(import_module("judgments.migrations.0008_disagreements").SPREADS)

    assert list(ConsensusGrade.objects.order_by("pair").values_list("spread", "answers")) == expected
    assert sum(spread is not None for spread, _ in expected) == 3
