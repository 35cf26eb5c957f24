"""A list whose raters disagree, and the pages of its disagreements."""

from django.urls import reverse

from judgments.models import Rater
from tests import factories as make
from tests.html import html_of
from tests.judgments.judging.actions.scene import Scene

UNCLEAR = {"reason": "query_unclear"}


def disputed(client):
    """Pairs judged 0 and 3, 1 and 2 and 2, 2 and 2, and by a grade and “cannot judge”; an admin, signed in."""
    scene = Scene(queries=2, documents=2, overlap=3, tie="adjudicate")
    scene.wide, scene.near, scene.same, scene.unclear = scene.list.pairs.order_by("pk")
    scene.anna, scene.ben, scene.carl = scene.rater(), scene.rater(), scene.rater()
    for pair, *values in ((scene.wide, 0, 3), (scene.near, 1, 2, 2), (scene.same, 2, 2)):
        for user, value in zip((scene.anna, scene.ben, scene.carl), values, strict=False):
            scene.judge(user, pair.pk, value=value)
    scene.judge(scene.anna, scene.unclear.pk, value=1)
    scene.judge(scene.ben, scene.unclear.pk, **UNCLEAR)
    scene.admin = make.make_member(scene.query_set, "admin", username="ada")
    client.force_login(scene.admin)
    return scene


def rater_of(user):
    return Rater.objects.get(user=user)


def address(scene, pair=None, query=""):
    name, keys = ("list-disagreements", []) if pair is None else ("disagreement", [pair.pk])
    return reverse(name, args=[scene.list.pk, *keys]) + query


def pairs_on_page(client, scene, query=""):
    response = client.get(address(scene, query=query))
    assert response.status_code == 200
    return [row.pair_id for row in response.context["page"].rows]


def page(client, scene, pair, query=""):
    response = client.get(address(scene, pair, query))
    assert response.status_code == 200
    return html_of(response)
