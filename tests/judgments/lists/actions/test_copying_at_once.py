"""A query set is copied while somebody judges."""

from threading import Thread

import pytest
from django.db import connection, transaction

from judgments.lists.actions.copying import Parts, copy_query_set
from judgments.models import Judgment, QuerySet, User
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.working import somebody_waits, until

pytestmark = pytest.mark.django_db(transaction=True)


def copy(query_set_id, user_id):
    try:
        copy_query_set(
            query_set=QuerySet.objects.get(pk=query_set_id),
            name="Copy",
            user=User.objects.get(pk=user_id),
            parts=Parts(lists=True, judgments=True),
        )
    finally:
        connection.close()


def test_a_copy_waits_for_whoever_judges_and_has_the_judgment_whole():
    scene = Scene()
    rater = scene.rater()
    pair = scene.claim(rater)[0]
    copying = Thread(target=copy, args=(scene.query_set.pk, make.make_user().pk))
    with transaction.atomic():
        scene.judge(rater, pair)
        copying.start()
        until(somebody_waits)
    copying.join()

    copied = QuerySet.objects.get(name="Copy")
    assert Judgment.objects.filter(query_set=copied).count() == 1
    counts = copied.judgment_lists.get().list_queries.values_list("judgment_count", flat=True)
    assert sum(counts) == 1
