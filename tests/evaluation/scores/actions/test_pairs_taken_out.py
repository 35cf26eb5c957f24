"""Scores of a list from which pairs were taken out are those of a list that never had them."""

import pytest

from evaluation.models import Score
from judgments.lists.actions.removing import remove_pairs
from judgments.models import Document, Query
from tests import factories as make
from tests.evaluation.scored import evaluate, make_ranking, ndcgs
from tests.judgments.judging.actions.scene import LATER, Scene

pytestmark = pytest.mark.django_db

VALUES = ("query_id", "retrieved", "shown", "judged", "ideal_max", "ndcg_local", "ndcg_max", "judged_at_k")


def test_scores_follow_as_if_the_pairs_had_never_come():
    scene = Scene(2, 3)
    first, second = Query.objects.order_by("pk")
    names = list(Document.objects.order_by("pk").values_list("external_id", flat=True))
    run = make.make_run(scene.query_set)
    make_ranking(run, first, names[::-1])
    make_ranking(run, second, names)
    user = scene.rater()
    judged = scene.list.pairs.filter(query=first).first()
    scene.judge(user, judged.pk, 2.0)
    never = make.make_list(scene.query_set, name="Never", scale=scene.list.scale)
    evaluate(run, scene.list)

    remove_pairs(
        judgment_list=scene.list, pair_ids=list(scene.list.pairs.values_list("pk", flat=True)), at=LATER
    )
    after = evaluate(run, scene.list)

    pair = make.make_pair(never, first, judged.document)
    make.make_consensus(pair, 2.0, judgments=1)
    other = evaluate(run, never)
    scores = [list(Score.objects.filter(evaluation=one).values_list(*VALUES)) for one in (after, other)]
    assert scores[0]
    assert scores[0] == scores[1]
    assert ndcgs(after) == ndcgs(other)
