"""The tabs of lists and query sets: a few groups, and the pages of the current one."""

import re

import pytest
from django.urls import reverse

from judgments.models import Role
from judgments.pages.tabs import LIST, QUERY_SET, rows_of_tabs
from tests import factories as make

OF_ENGINEERS = {"runs", "compare", "trend", "overview", "judge", "pairs", "agreement", "versions", "export"}


def labels(groups, **changes):
    values = {"current": "overview", "role": Role.ADMIN, "is_archived": False} | changes
    return [[link.label for link in row] for row in rows_of_tabs(groups, 1, **values)]


def test_a_list_has_five_groups():
    assert labels(LIST)[0] == ["Results", "Judging", "Quality", "Data", "Settings"]
    assert labels(QUERY_SET)[0] == ["Overview", "Content", "Lists", "Results", "People"]


def test_the_second_row_has_the_pages_of_the_current_group():
    assert labels(LIST, current="gold")[1] == ["Agreement", "Disagreements", "Raters", "Gold"]


def test_a_group_of_one_page_has_no_second_row():
    rows = rows_of_tabs(LIST, 1, current="settings", role=Role.ADMIN, is_archived=False)
    assert len(rows) == 1
    assert [link.current for link in rows[0]] == ["", "", "", "", "page"]


def test_a_group_leads_to_its_first_page_and_the_current_page_is_marked_once():
    top, below = rows_of_tabs(LIST, 7, current="compare", role=Role.ADMIN, is_archived=False)
    assert top[0] == ("Results", reverse("run-table", args=[7]), "true")
    assert [link.current for link in below if link.current] == ["page"]
    assert all(link.url == reverse("comparison", args=[7]) for link in below if link.current)


@pytest.mark.parametrize("groups", [LIST, QUERY_SET])
def test_each_page_stands_in_one_group(groups):
    keys = [tab.key for _, tabs in groups for tab in tabs]
    assert len(keys) == len(set(keys))


def test_engineers_see_no_page_of_admins():
    for _, tabs in LIST:
        assert {tab.key for tab in tabs if not tab.admin} <= OF_ENGINEERS
    assert "Settings" not in labels(LIST, role=Role.ENGINEER)[0]
    assert labels(LIST, role=Role.ENGINEER)[1] == ["Progress", "Judge", "Pairs"]


def test_an_archived_list_offers_nothing_that_changes_it():
    assert labels(LIST, is_archived=True) == [["Results", "Judging", "Quality", "Data", "Settings"]]


@pytest.mark.django_db
def test_the_page_marks_its_group_and_itself(client):
    judgment_list = make.make_list(make.make_query_set(), name="Main")
    client.force_login(make.make_user(is_superuser=True))
    page = client.get(reverse("list-gold", args=[judgment_list.pk])).content.decode()
    tabs = re.search(r'<nav class="tabs" aria-label="Judgment list">(.*?)</nav>', page, re.DOTALL)[1]
    assert re.findall(r'aria-current="(\w+)">(\w+)<', tabs) == [("true", "Quality"), ("page", "Gold")]
