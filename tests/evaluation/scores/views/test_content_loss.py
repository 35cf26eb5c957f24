"""A run's page says how much of the content loss more judging could fill, and how much are low grades."""

import itertools
import math
import re

import pytest
from django.urls import reverse

from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.api import Api
from tests.evaluation.scored import make_grades, make_ranking
from tests.html import html_of

pytestmark = pytest.mark.django_db

SECOND, THIRD = 0.6309297535714575, 0.5  # 1/log2(3) and 1/log2(4)


@pytest.fixture
def run(judgment_list):
    """Of the scale 0 to 3: one query has one judged document, the other three, and a third isn't answered."""
    query_set = judgment_list.query_set
    run = make.make_run(query_set)
    few, enough, missing = (make.make_query(query_set, name) for name in ("few", "enough", "missing"))
    make_grades(judgment_list, few, {"a": 1, "later": None})
    make_grades(judgment_list, enough, {"a": 3, "b": 3, "c": 2})
    make_grades(judgment_list, missing, {"a": 3, "b": 3})
    make_ranking(run, few, ["a"])
    make_ranking(run, enough, ["c", "unjudged", "a", "b"])
    return run


def page(client, judgment_list, run, **parameters):
    return client.get(reverse("run", args=[judgment_list.pk, run.pk]), {"k": 3} | parameters)


def parts(found):
    return {part.name: part for part in found.context["content_parts"]}


def test_both_parts_stand_below_the_content_loss_as_shares_of_the_same_whole(
    client, engineer, judgment_list, run
):
    found = parts(page(client, judgment_list, run))

    whole = 3 * 3 * (1 + SECOND + THIRD)
    too_few = 3 * (SECOND + THIRD) + 3 * THIRD
    assert found["too few judged"].value == pytest.approx(too_few)
    assert found["too few judged"].width == pytest.approx(100 * too_few / whole)
    assert found["too few judged"].fix == "judge more: 2 queries have fewer than 3 judged documents"
    assert found["low grades"].value == pytest.approx(2 + THIRD)


def test_a_query_that_the_formula_leaves_out_loses_nothing(client, engineer, judgment_list, run):
    found = parts(page(client, judgment_list, run, missing="skip"))

    assert found["too few judged"].value == pytest.approx(3 * (SECOND + THIRD))
    assert found["low grades"].value == pytest.approx(2 + THIRD)


def test_programs_get_them_with_all_digits(client, engineer, judgment_list, run):
    of_file = page(client, judgment_list, run, format="json").json()
    of_api = Api(engineer).get(f"lists/{judgment_list.pk}/runs/{run.pk}?k=3").json()

    assert of_file["content_loss"] == of_api["content_loss"]
    assert of_api["content_loss"]["queries"] == 2
    found = of_api["content_loss"]
    assert found["too_few"] + found["low_grades"] == pytest.approx(of_api["dcg_points"]["content"])


def test_in_a_version_its_own_grades_count(client, engineer, judgment_list, run):
    freeze_version(judgment_list=judgment_list)
    before = page(client, judgment_list, run, version=1, format="json").json()["content_loss"]
    few = judgment_list.query_set.queries.get(external_id="few")
    make_grades(judgment_list, few, {"b": 1, "c": 1})

    assert page(client, judgment_list, run, version=1, format="json").json()["content_loss"] == before
    assert before["queries"] == 2


DCG = 1 + 2 + 3 * THIRD
IDEALS = [4 + 2 * SECOND, 4 + 3 * SECOND + 2 * THIRD, 7 + 6 * SECOND + 2 * THIRD, 9 * (1 + SECOND + THIRD)]


def test_programs_get_what_each_step_keeps_and_it_multiplies_to_the_mean_of_ndcg_max(
    client, engineer, judgment_list, run
):
    """The missing query counts, as it does in the mean."""
    shown = page(client, judgment_list, run, format="json").json()
    of_api = Api(engineer).get(f"lists/{judgment_list.pk}/runs/{run.pk}?k=3").json()

    shares = shown["kept"]
    assert shares == of_api["kept"]
    steps = [below / above for below, above in itertools.pairwise([DCG, *IDEALS])]
    assert list(shares) == ["order", "depth", "recall", "content"]
    assert list(shares.values()) == pytest.approx(steps)
    assert math.prod(shares.values()) == pytest.approx(shown["averages"]["nDCG(ideal='max')@3"]["mean"])


def test_the_table_of_losses_shows_what_each_step_keeps(client, engineer, judgment_list, run):
    rows = losses(page(client, judgment_list, run))

    assert rows["DCG"] == "–"
    assert rows["order"] == f"{100 * DCG / IDEALS[0]:.1f} %"
    assert rows["recall"] == f"{100 * IDEALS[1] / IDEALS[2]:.1f} %"
    assert rows["too few judged"] == ""


def losses(response):
    """What stands in the column "Kept", by the name of the row."""
    table = html_of(response).split("DCG and losses of the run</caption>")[1].split("</table>")[0]
    rows = re.findall(r'<tr.*?><th scope="row">(.*?)</th>(.*?)</tr>', table)
    return {name: re.findall(r"<td[^>]*>(.*?)</td>", cells)[1] for name, cells in rows}
