"""How many rows of a large deletion go in one transaction."""

from itertools import count
from types import SimpleNamespace

import pytest

from judgments.content.actions import deletion_jobs
from judgments.models import JudgmentList, Pair
from tests import factories as make
from tests.evaluation.whole_set import WholeSet

pytestmark = pytest.mark.django_db


@pytest.fixture
def whole():
    return WholeSet()


def rows_in(model, portion):
    return model._base_manager.filter(
        **{portion.column: portion.key}, pk__gte=portion.first, pk__lt=portion.end
    ).count()


def test_a_portion_of_the_right_length_is_followed_by_one_of_its_size(whole, monkeypatch):
    ticks = count(step=0.75 * deletion_jobs.PORTION_SECONDS)
    monkeypatch.setattr(deletion_jobs, "time", SimpleNamespace(monotonic=lambda: next(ticks)))

    portions = list(deletion_jobs._portions(JudgmentList, whole.list.pk))

    assert len(portions) > 2
    assert {rows_in(model, portion) for model, portion in portions} == {1}


def test_a_portion_grows_by_rows_also_behind_a_gap_in_their_ids(whole):
    """Rows of others lie in between, and cost no time."""
    documents = [make.make_document(whole.query_set) for _ in range(8)]
    beyond = Pair.objects.latest("pk").pk + 1_000_000
    whole.second.pairs.bulk_create(
        Pair(
            pk=beyond + number,
            query_set=whole.query_set,
            judgment_list=whole.second,
            query=whole.queries[0],
            document=document,
        )
        for number, document in enumerate(documents)
    )

    pairs = [
        rows_in(model, portion)
        for model, portion in deletion_jobs._portions(JudgmentList, whole.second.pk)
        if model is Pair
    ]

    assert pairs == [1, 2, 4, 3]
