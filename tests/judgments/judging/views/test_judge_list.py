import re

import pytest

from judgments.judging.views import judge_list
from judgments.models import Judgment, JudgmentList, Slot
from tests import factories as make
from tests.judgments.judging.views.judge_pages import SCRIPT, address, answer, found, make_pairs

pytestmark = pytest.mark.django_db


def forms(html):
    """The hidden fields of every document's form."""
    parts = html.split("data-row ")[1:]
    names = ("pair", "query", "request_id", "view", "place", "known")
    found = [{name: re.search(rf'name="{name}" value="([^"]*)"', part) for name in names} for part in parts]
    return [{name: match.group(1) for name, match in one.items() if match} for one in found]


def test_all_documents_of_a_query_are_judged_on_one_page_without_a_script(client, query_set, rater):
    judgment_list = make_pairs(query_set, 2, 3, view="list")
    first = forms(client.get(address(judgment_list)).content.decode())
    assert len(first) == 3

    response = answer(client, judgment_list, first[1])

    assert response.url == f"{address(judgment_list)}?query={first[1]['query']}#pair-{first[1]['pair']}"
    page = client.get(response.url).content.decode()
    after = forms(page)
    assert [form["pair"] for form in after] == [form["pair"] for form in first]
    assert [form.get("known") for form in after] == [None, "1", None]
    assert "data-next hidden" in page
    for form in (after[0], after[2]):
        answer(client, judgment_list, form)
    done = client.get(response.url).content.decode()
    assert "data-next>" in done
    following = forms(client.get(address(judgment_list)).content.decode())
    assert {form["query"] for form in following} != {first[0]["query"]}
    assert set(Judgment.objects.values_list("view", flat=True)) == {"list"}
    assert sorted(Judgment.objects.values_list("place", flat=True)) == [1, 2, 3]


def test_the_script_of_a_list_asks_for_no_further_cards(client, query_set, rater):
    judgment_list = make_pairs(query_set, 2, 3, view="list")
    form = forms(client.get(address(judgment_list)).content.decode())[0]

    content = answer(client, judgment_list, form, data={"rows": "1"}, **SCRIPT).json()

    assert content["saved"]["pair"] == int(form["pair"])
    assert "cards" not in content


def test_the_rater_chooses_the_view_where_the_list_leaves_it_open(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 2, view="choice")

    assert "judge-list" not in client.get(address(judgment_list)).content.decode()
    assert forms(client.get(address(judgment_list), {"view": "list"}).content.decode())
    assert forms(client.get(address(judgment_list)).content.decode())
    assert not forms(client.get(address(judgment_list), {"view": "document"}).content.decode())


def test_a_list_with_nothing_to_judge_says_why(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1, view="list")
    assert "No pairs yet" in client.get(address(make.make_list(query_set, view="list"))).content.decode()
    assert "All done" not in client.get(address(judgment_list)).content.decode()
    form = forms(client.get(address(judgment_list)).content.decode())[0]
    answer(client, judgment_list, form)

    assert "All done" in client.get(address(judgment_list)).content.decode()
    assert "All done" in client.get(address(judgment_list), {"query": "99999"}).content.decode()
    JudgmentList.objects.update(paused=True)
    assert "is paused" in client.get(address(judgment_list)).content.decode()


def test_only_the_documents_of_one_query_are_kept_for_the_rater(client, query_set, rater):
    judgment_list = make_pairs(query_set, 3, 4, view="list")

    client.get(address(judgment_list))

    assert Slot.objects.filter(rater__isnull=False).count() == 4


def test_later_leaves_the_row_for_the_end_and_a_second_time_the_query(client, query_set, rater):
    judgment_list = make_pairs(query_set, 2, 1, view="list")
    page = address(judgment_list)
    first = forms(client.get(page).content.decode())[0]

    response = client.post(address(judgment_list, "judge-skip"), first)

    assert response.url == f"{page}?query={first['query']}#pair-{first['pair']}"
    html = client.get(response.url, follow=True).content.decode()
    assert "put off before" in html
    again = forms(html)[0] | {"put_off": found('name="put_off" value="([^"]+)"', html)}
    response = client.post(address(judgment_list, "judge-skip"), again)
    after = forms(client.get(response.url, follow=True).content.decode())
    assert [form["query"] for form in after] != [first["query"]]


def test_many_documents_come_by_pages_those_to_judge_first(client, query_set, rater, monkeypatch):
    monkeypatch.setattr(judge_list, "MOST_ROWS", 2)
    judgment_list = make_pairs(query_set, 1, 5, view="list")
    page = address(judgment_list)
    first = forms(client.get(page).content.decode())
    assert len(first) == 2
    for form in first:
        answer(client, judgment_list, form)

    html = client.get(page).content.decode()
    assert "Documents 1 to 2 of 4" in html
    assert not {form["pair"] for form in forms(html)} & {form["pair"] for form in first}
    second = client.get(page, {"query": first[0]["query"], "part": "2"}).content.decode()
    assert {form["pair"] for form in forms(second)} == {form["pair"] for form in first}
    assert 'rel="prev"' in second
