"""Comparing machines with people reads a few pages of the database for each grade, whatever the planner knows of a new list."""

import json

import pytest
from django.db import connection, transaction

from judgments.agreement.sql import machines as sql
from judgments.grades.actions.consensus import refresh_within
from tests.judgments.agreed import Agreed

pytestmark = [pytest.mark.django_db, pytest.mark.sampled]

FEW = 20
"""For each grade. Looking through a machine's other grades for each of them would be hundreds."""


class TakenBack(Exception):
    """Leaves tables that were once filled, and whose statistics say that they are empty."""


@pytest.fixture(params=["few rows", "no rows"])
def scene(request):
    """1,200 pairs of a list that came after the statistics of the tables were taken."""
    try:
        with transaction.atomic():
            judged()
            raise TakenBack
    except TakenBack:
        pass
    if request.param == "few rows":
        small = Agreed(queries=2, documents=2)
        small.rater("ann", [0, 1, 2, 3])
        small.machine("gpt", [0, 1, 2, 3])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return judged()


def judged():
    scene = Agreed(queries=60, documents=20)
    values = [place % 4 for place in range(1_200)]
    scene.rater("ann", values)
    scene.machine("gpt", values)
    scene.machine("llama", values[::-1])
    scene.machine("old", values[:2], counts=True)
    refresh_within(judgment_list=scene.list, pair_ids=None)
    return scene


def pages_read(statement, **parameters):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters)
        (found,) = cursor.fetchone()
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def test_grades_of_a_list(scene):
    machines = sql.machines_left_out(scene.list.pk)
    assert sum(row[-1] for row in sql.count_compared(scene.list.pk, machines)) == 2 * 1_198

    read = pages_read(sql.COMPARED, list=scene.list.pk, machines=machines)

    assert read < FEW * 2_400


@pytest.mark.parametrize("statement", [sql.BESIDE_PEOPLE, sql.ALONE], ids=["beside people", "alone"])
def test_grades_of_documents(scene, statement):
    machines = sql.machines_left_out(scene.list.pk)
    keys = list(scene.list.pairs.values_list("query_id", "document_id"))
    pairs = {"queries": [query for query, _ in keys], "documents": [document for _, document in keys]}

    read = pages_read(statement, list=scene.list.pk, machines=machines, **pairs)

    assert read < FEW * 2_400
