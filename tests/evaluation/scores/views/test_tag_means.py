"""The means of a run by tag."""

import pytest

from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking, text_of
from tests.evaluation.scores.views.test_run import HALF, address, run

__all__ = ["run"]  # a fixture

pytestmark = pytest.mark.django_db


def test_the_means_of_each_tag_stand_by_number_and_those_without_a_tag_last(
    client, engineer, judgment_list, run
):
    page = client.get(address(judgment_list, run, "?zero=skip"))

    rows = [
        (row.tag, row.queries, row.left_out, row.ndcgs[2].number) for row in page.context["averages"].tags
    ]
    assert rows == [
        ("brand", 2, 0, pytest.approx((1 + HALF) / 2)),
        ("head", 1, 0, 1),
        ("tail", 1, 0, 0),
        ("", 2, 1, 0),
    ]
    html = text_of(page)
    assert "?zero=skip&amp;tag=brand#queries" in html
    assert "?zero=skip&amp;show=untagged#queries" in html


def test_the_means_of_a_tag_are_unknown_where_nothing_on_its_pages_is_judged(
    client, engineer, judgment_list, run
):
    unjudged = make.make_query(judgment_list.query_set, "unjudged", tags=["head", "new"])
    make_grades(judgment_list, unjudged, {"elsewhere": 3})
    make_ranking(run, unjudged, ["X"])

    rows = {
        row.tag: [one.text for one in (*row.ndcgs, row.dcg)]
        for row in client.get(address(judgment_list, run)).context["averages"].tags
    }

    assert rows["new"] == ["unknown"] * 5
    # A page without documents is worth 0, and so is one on which something is judged.
    assert rows["tail"] == ["0.0000"] * 5
    assert rows["head"][2] == "0.5000"


def test_without_tags_there_is_no_table_of_them(client, engineer, judgment_list, run):
    judgment_list.query_set.queries.update(tags=[])

    assert b"Means by tag" not in client.get(address(judgment_list, run)).content
