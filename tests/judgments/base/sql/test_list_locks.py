"""Changes of a whole list wait for the list before they take its row, in the order of all who judge in it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.grades.actions.consensus import change_rule
from judgments.lists.actions.lists import change_list
from tests import factories as make

pytestmark = pytest.mark.django_db


def other_rule(judgment_list):
    change_rule(judgment_list=judgment_list, rule="mean", tie="lower")


def other_name(judgment_list):
    names = ("description", "guidelines", "scale", "overlap", "rule", "tie")
    stays = {name: getattr(judgment_list, name) for name in names}
    change_list(judgment_list=judgment_list, name="Second pass", **stays)


@pytest.mark.parametrize("change", [other_rule, other_name])
def test_the_list_is_waited_for_before_its_row_is_locked(change):
    judgment_list = make.make_list(make.make_query_set())

    with CaptureQueriesContext(connection) as captured:
        change(judgment_list)

    locks = [one["sql"] for one in captured if "advisory" in one["sql"] or " FOR " in one["sql"]]
    assert "touchstone list change" in locks[0]
    assert "touchstone judgment list" in locks[1]
    assert "FOR NO KEY UPDATE" in locks[2]  # rows that refer to the list may come meanwhile
