"""A decision of the scene's admin, for every test of disagreements."""

from judgments.agreement.actions.adjudication import adjudicate
from tests import factories as make


def decide(scene, pair, value=2, cause="slip", **more):
    return adjudicate(
        judgment_list=scene.list,
        pair_id=pair.pk,
        value=value,
        cause=cause,
        user=scene.admin,
        at=make.NOW,
        **more,
    )
