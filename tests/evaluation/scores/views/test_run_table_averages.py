"""Averages, further measures and files of the run table."""

from math import log2

import pytest

from evaluation.models import Evaluation
from tests import factories as make
from tests.evaluation.scored import cells_of, make_grades, make_ranking
from tests.evaluation.scores.views.test_run_table import address, download, make_scene

pytestmark = pytest.mark.django_db


def make_weighted_scene(judgment_list):
    """Three queries of one run: 1, 2/3 and missing, with the weights 1, 3 and 0; and a run that has them all right."""
    query_set = judgment_list.query_set
    queries = [
        make.make_query(query_set, f"q{place}", weight=weight) for place, weight in enumerate((1, 3, 0))
    ]
    for query in queries:
        make_grades(judgment_list, query, {"a": 3, "b": 3} if query == queries[0] else {"a": 3, "b": 0})
    some, all_right = make.make_run(query_set, name="some"), make.make_run(query_set, name="all right")
    make_ranking(some, queries[0], ["a", "b"])
    make_ranking(some, queries[1], ["x", "a"])
    for query in queries:
        make_ranking(all_right, query, ["a", "b"])
    return some, all_right


HALF = 1 / 1.584962500721156  # one good document at rank 2


@pytest.mark.parametrize(
    ("average", "expected", "heading"),
    [
        ("mean", (1 + HALF) / 3, "Means over"),
        ("median", HALF, "Medians over"),
        ("weighted", (1 + 3 * HALF) / 4, "Traffic-weighted means over"),
    ],
)
def test_every_average_stands_in_every_column(client, engineer, judgment_list, average, expected, heading):
    some, _ = make_weighted_scene(judgment_list)
    given = {} if average == "mean" else {"average": average}

    response = client.get(address(judgment_list), given | {"measures": "nDCG@10 AP"})

    rows = {row.row.run: cells_of(row) for row in response.context["table"].rows}
    assert rows[some]["global"].number == pytest.approx(expected, abs=1e-12)
    assert rows[some]["nDCG@10"].number == pytest.approx(expected, abs=1e-12)
    html = response.content.decode()
    assert heading in html
    assert ("of NDCG@10" in html) == (average != "mean")
    json = client.get(address(judgment_list), given | {"format": "json"}).json()
    values = {row["run"]: row["values"] for row in json["runs"]}
    assert values["some"]["nDCG@10"] == pytest.approx(expected, abs=1e-12)
    assert json["average"] == average


def test_the_table_sorts_by_the_average_that_it_shows(client, engineer, judgment_list):
    make_weighted_scene(judgment_list)
    parameters = {"average": "weighted", "measures": "RR~0 AP", "sort": "-AP"}

    response = client.get(address(judgment_list), parameters)

    assert [row.row.run.name for row in response.context["table"].rows] == ["all right", "some"]
    for column in (each for each in response.context["table"].headings if each.sort):
        for sort in (column.column.key, "-" + column.column.key):
            turned = client.get(address(judgment_list), parameters | {"sort": sort})
            (sorted_by,) = [each for each in turned.context["table"].headings if each.direction]
            assert sorted_by.column.key == column.column.key
            assert "average=weighted" in turned.content.decode()


def test_a_policy_that_leaves_queries_out_shows_how_many_are_counted(client, engineer, judgment_list):
    some, all_right = make_weighted_scene(judgment_list)

    response = client.get(address(judgment_list), {"missing": "skip", "sort": "-counted"})

    counted = {row.row.run: cells_of(row)["counted"].number for row in response.context["table"].rows}
    assert counted == {all_right: 3, some: 2}
    headings = {each.column.key: each.column.about.means for each in response.context["table"].headings}
    assert headings["missing"].endswith("they are left out")
    assert "A missing query is left out of every average" in response.content.decode()
    plain = {each.column.key for each in client.get(address(judgment_list)).context["table"].headings}
    assert "counted" not in plain


@pytest.mark.parametrize(
    ("zero", "words"), [("0", "counts as 0"), ("1", "counts as 1"), ("skip", "is left out")]
)
def test_the_count_of_zero_ideals_says_what_they_count_as(client, engineer, judgment_list, zero, words):
    make_scene(judgment_list)
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"nothing": 0})

    response = client.get(address(judgment_list), {} if zero == "0" else {"zero": zero})

    titles = {each.column.key: each.column.about.means for each in response.context["table"].headings}
    assert titles["zero_ideal"].endswith(words)


def test_the_page_says_what_it_was_computed_against(client, engineer, judgment_list):
    make_scene(judgment_list)

    html = client.get(address(judgment_list)).content.decode()

    assert "Computed against" in html
    assert "live, 4 grades, state" in html


def test_the_csv_says_average_state_and_the_queries_of_a_measure_with_its_own_policy(
    client, engineer, judgment_list
):
    make_weighted_scene(judgment_list)
    parameters = "?format=csv&average=weighted&measures=AP(missing='skip')+nDCG@10~1"

    _, (header, *rows) = download(client, address(judgment_list, parameters))

    table = {row[2]: dict(zip(header, row, strict=True)) for row in rows}
    some = table["some"]
    assert float(some["nDCG@10"]) == pytest.approx((1 + 3 * HALF) / 4, abs=1e-12)
    assert float(some["nDCG@10~1"]) == pytest.approx((1 + 3 * 0.6) / 4, abs=1e-12)
    assert float(some["AP(missing='skip')"]) == pytest.approx((1 + 3 * 0.5) / 4, abs=1e-12)
    assert some["queries of AP(missing='skip')"] == "2"
    assert (some["average"], some["list version"], some["grades"]) == ("weighted", "live", "6")
    assert len(some["state"]) == 16
    assert some["computed"].endswith("UTC")


def test_the_json_has_every_digit_null_for_nothing_and_what_it_was_computed_against(
    client, engineer, judgment_list
):
    make_weighted_scene(judgment_list)
    nothing = make.make_run(judgment_list.query_set, name="nothing")

    response = client.get(
        address(judgment_list, "?format=json&gain=exp&missing=skip&measures=AP(missing='skip')&sort=run")
    )

    assert response["Content-Type"] == "application/json"
    found = response.json()
    assert found["formula"]["text"] == "DCG(gain='exp', missing='skip')@10"
    assert found["formula"]["words"].startswith("Exponential gain")
    assert found["measures"] == ["AP(missing='skip')"]
    assert found["list"]["name"] == "First pass"
    assert (found["list"]["id"], found["list"]["version"], found["list"]["grades"]) == (
        judgment_list.pk,
        "live",
        6,
    )
    rows = {row["run"]: row for row in found["runs"]}
    assert list(rows) == ["all right", "nothing", "some"]
    assert rows["nothing"]["id"] == nothing.pk
    assert set(rows["nothing"]["values"].values()) == {None}
    stored = Evaluation.objects.get(run__name="some", formula=found["formula"]["text"])
    assert rows["some"]["values"]["nDCG(gain='exp', missing='skip')@10"] == stored.ndcg_global
    assert rows["some"]["measure_queries"] == {"AP(missing='skip')": 2}
    assert rows["some"]["counts"]["counted"] == 2
    assert rows["some"]["counts"]["judged_queries"] == 3
    assert sum(rows["some"]["dcg_points"].values()) == pytest.approx(
        2 * 7 * sum(1 / log2(rank + 1) for rank in range(1, 11)), abs=1e-9
    )


def test_without_runs_the_files_are_empty(client, engineer, judgment_list):
    _, rows = download(client, address(judgment_list, "?format=csv"))
    found = client.get(address(judgment_list, "?format=json")).json()

    assert len(rows) == 1
    assert (found["runs"], found["list"]["computed"]) == ([], None)
