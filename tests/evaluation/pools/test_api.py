"""What decides between two runs, asked by a program."""

import pytest

from evaluation.models import Contest
from judgments.models import Pair, Role
from tests import factories as make
from tests.api import Api
from tests.evaluation.pools.deciding import judge_all, make_deciding

pytestmark = pytest.mark.django_db


def test_a_program_judges_until_it_is_decided():
    judgment_list, runs = make_deciding()
    api = Api(make.make_member(judgment_list.query_set, Role.ADMIN))
    path = f"/api/v1/lists/{judgment_list.pk}/pairs"
    body = {
        "runs": [run.pk for run in runs],
        "depth": 4,
        "documents": "deciding",
        "judgments": 25,
        "formula": "DCG@4",
    }
    asked = f"{path}/preview?runs={runs[0].pk}-{runs[1].pk}&depth=4&documents=deciding&judgments=25"

    first = api.get(asked).json()
    assert (first["new"], first["deciding"]["targeted"], first["deciding"]["random"]) == (25, 22, 3)
    assert (first["deciding"]["standard_errors"], first["deciding"]["judged"]) == (0, 0)
    assert not Pair.objects.exists()
    while api.post(path, body).json()["added"]:
        judge_all(judgment_list)

    told = api.get(asked).json()
    assert told["new"] == 0
    assert told["deciding"]["decided"]
    assert told["deciding"]["expected"] > 0
    assert told["deciding"]["judged"] < told["deciding"]["documents"]
    assert api.get(f"{path}/preview?runs={runs[0].pk}-{runs[1].pk}").json()["deciding"] is None


@pytest.mark.parametrize("runs", ["9999999", "", "1-x"])
def test_runs_that_there_are_not_are_refused_by_the_name_of_the_parameter(runs):
    judgment_list, _ = make_deciding()
    api = Api(make.make_member(judgment_list.query_set, Role.ADMIN))

    answer = api.get(f"/api/v1/lists/{judgment_list.pk}/pairs/preview?runs={runs}")

    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == ["runs"]


def test_one_run_is_refused():
    judgment_list, runs = make_deciding()
    api = Api(make.make_member(judgment_list.query_set, Role.ADMIN))

    answer = api.post(
        f"/api/v1/lists/{judgment_list.pk}/pairs", {"runs": [runs[0].pk], "documents": "deciding"}
    )

    assert answer.status_code == 422
    assert "Choose the two runs to decide between." in answer.json()["detail"]


def test_a_program_lets_it_go_on_until_it_is_decided_and_stops_it():
    judgment_list, runs = make_deciding()
    api = Api(make.make_member(judgment_list.query_set, Role.ADMIN))
    path = f"/api/v1/lists/{judgment_list.pk}/contests"
    body = {
        "runs": [run.pk for run in runs],
        "depth": 4,
        "judgments": 25,
        "budget": 100,
        "formula": "DCG@4",
        "priority": "first",
    }

    started = api.post(path, body)
    again = api.post(path, body)

    assert started.status_code == 201
    told = started.json()
    assert (told["baseline"], told["run"], told["judgments"]) == (runs[0].pk, runs[1].pk, 25)
    assert (told["judgments_requested"], told["budget"], told["outcome"], told["ended_at"]) == (
        25,
        100,
        "",
        None,
    )
    assert told["standing"]["waiting"] == 25
    assert again.status_code == 422
    assert "already being added to this list" in again.json()["detail"]
    assert set(Pair.objects.values_list("priority", flat=True)) == {10}
    assert Contest.objects.get().token_id is not None  # which the log names at each batch
    stopped = api.post(f"/api/v1/contests/{told['id']}/stop", {}).json()
    assert (stopped["outcome"], stopped["judgments_requested"]) == ("stopped", 25)
    assert [one["id"] for one in api.get(path).json()["items"]] == [told["id"]]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"budget": 5}, "Enter 100 or more"),
        ({"runs": [10**9, 10**9 + 1]}, "One of the runs"),
        ({"depth": 0}, "depth"),
    ],
)
def test_what_can_not_be_decided_is_refused(wrong, sentence):
    judgment_list, runs = make_deciding()
    api = Api(make.make_member(judgment_list.query_set, Role.ADMIN))

    body = {"runs": [run.pk for run in runs]} | wrong
    answer = api.post(f"/api/v1/lists/{judgment_list.pk}/contests", body)

    assert answer.status_code == 422
    assert sentence in str(answer.json())
    assert not Pair.objects.exists()
