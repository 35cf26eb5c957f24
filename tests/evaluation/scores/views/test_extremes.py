"""The greatest and the least weights and gains that are accepted: every page still shows figures."""

import pytest
from django.urls import reverse

from judgments.lists.actions.scales import GradeSpec, create_scale
from judgments.models import Level
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from touchstone_core.formats.cells import GREATEST_SIZE, LEAST_SIZE

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(query_set):
    """The addresses, of two runs over queries with such weights, on a scale with such gains."""
    scale = create_scale(
        query_set=query_set,
        name="Extremes",
        description="",
        level=Level.ORDINAL,
        threshold=1,
        grades=[
            GradeSpec(value=0, label="No", key="0"),
            GradeSpec(value=LEAST_SIZE, label="Hardly", key="1", gain=GREATEST_SIZE),
            GradeSpec(value=GREATEST_SIZE, label="Yes", key="2", gain=LEAST_SIZE),
        ],
    )
    judgment_list = make.make_list(query_set, scale=scale)
    runs = [make.make_run(query_set) for _ in range(2)]
    for weight in (LEAST_SIZE, GREATEST_SIZE, 0, 1):
        query = make.make_query(query_set, weight=weight)
        make_grades(judgment_list, query, {"a": GREATEST_SIZE, "b": LEAST_SIZE, "c": 0})
        make_ranking(runs[0], query, ["c", "b", "a"])
        make_ranking(runs[1], query, ["x", "a"])
    table, comparison = (reverse(name, args=[judgment_list.pk]) for name in ("run-table", "comparison"))
    compared = "-".join(str(run.pk) for run in runs)
    return [
        f"{table}?",
        f"{table}?average=weighted",
        *(reverse("run", args=[judgment_list.pk, run.pk]) + "?" for run in runs),
        reverse("run-trend", args=[judgment_list.pk]) + "?",
        *(f"{comparison}?runs={compared}&on={on}" for on in ("global", "max", "dcg")),
    ]


@pytest.mark.parametrize("gain", ["linear", "table"])
def test_sums_of_extremes_are_numbers(client, engineer, pages, gain):
    statuses = {page: client.get(f"{page}&gain={gain}", follow=True).status_code for page in pages}

    assert len(statuses) == 8
    assert set(statuses.values()) == {200}, statuses
