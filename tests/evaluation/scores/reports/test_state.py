from datetime import datetime, timedelta, timezone

import pytest

from evaluation.scores.reports.state import State, list_state
from tests import factories as make
from tests.evaluation.scored import change_grade, evaluate, make_grades, make_ranking

KATHMANDU = timezone(timedelta(hours=5, minutes=45))
STATE = State("First pass", 7, 1234, 0x5F3A9C2E, datetime(2026, 11, 21, 9, 25, tzinfo=KATHMANDU))


def test_a_state_is_a_line_to_read_and_compare():
    assert str(STATE) == "live, 1,234 grades, state 5f3a9c2e, computed Nov 21, 2026, 03:40 UTC"
    assert str(State("L", 1, 1, 2**61 + 15)) == "live, 1 grade, state 0000000f, computed now"


def test_a_state_goes_into_files_whole():
    assert STATE.cells == {
        "list version": "live",
        "grades": 1234,
        "state": "000000005f3a9c2e",
        "computed": "2026-11-21 03:40 UTC",
    }
    assert STATE.as_json == {
        "id": 7,
        "name": "First pass",
        "version": "live",
        "grades": 1234,
        "state": "000000005f3a9c2e",
        "computed": "2026-11-21T03:40:00+00:00",
    }
    assert State("L", 1, 1, 2).as_json["computed"] is None


@pytest.mark.django_db
def test_a_changed_grade_is_another_state():
    judgment_list = make.make_list(make.make_query_set())
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"a": 1, "b": 2, "undecided": None})
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, query, ["a"])

    before = list_state(judgment_list).of(evaluate(run, judgment_list))
    assert before.key == list_state(judgment_list).key
    assert (before.grades, list_state(judgment_list).grades) == (2, 2)
    assert before.computed_text

    change_grade(judgment_list, query, "a", 3)

    assert list_state(judgment_list).key != before.key
    assert list_state(judgment_list).of(evaluate(run, judgment_list)).key == list_state(judgment_list).key
