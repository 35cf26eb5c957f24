"""The page of a query set's own formulas."""

import pytest
from django.urls import reverse

from evaluation.models import SavedFormula
from judgments.models import Role
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def engineer(client, query_set):
    user = make.make_member(query_set, Role.ENGINEER)
    client.force_login(user)
    return user


def address(query_set):
    return reverse("saved-formulas", args=[query_set.pk])


def post(client, query_set, **fields):
    given = {"name": "Ours", "formula": "DCG(gain='exp')@5", "measures": "AP RR@10"} | fields
    return client.post(address(query_set), given)


def test_without_formulas_the_page_says_what_to_do(client, engineer, query_set):
    assert b"No formulas yet" in client.get(address(query_set)).content


def test_a_formula_is_saved_and_leads_back_to_where_it_was_seen(client, engineer, query_set):
    back = "/lists/1/runs/?gain=exp"

    response = post(client, query_set, next=back, is_default="on")

    assert (response.status_code, response["Location"]) == (302, back)
    saved = SavedFormula.objects.get()
    assert (saved.formula, saved.measures, saved.is_default) == ("DCG(gain='exp')@5", "AP RR@10", True)
    assert saved.created_by == engineer


@pytest.mark.parametrize("elsewhere", ["https://example.com/", "//example.com", "javascript:alert(1)", ""])
def test_it_leads_nowhere_else(client, engineer, query_set, elsewhere):
    response = post(client, query_set, next=elsewhere)

    assert response["Location"] == address(query_set)


def test_a_double_click_saves_once(client, engineer, query_set):
    first, second = post(client, query_set), post(client, query_set)

    assert first.status_code == second.status_code == 302
    assert SavedFormula.objects.count() == 1


def test_the_list_shows_texts_words_tools_and_a_link(client, engineer, query_set):
    judgment_list = make.make_list(query_set)
    make.make_saved_formula(query_set, name="Burges", formula="DCG(gain='exp')@10", is_default=True)
    make.make_saved_formula(query_set, name="Plain", formula="DCG@10", measures="AP")

    html = client.get(address(query_set)).content.decode()

    for text in ("Burges", "default", "Exponential gain", "RankLib NDCG (NDCG-recall)", "beside"):
        assert text in html
    assert f'href="{reverse("run-table", args=[judgment_list.pk])}?gain=exp"' in html
    assert f'href="{reverse("run-table", args=[judgment_list.pk])}?measures=AP"' in html


def test_the_plain_formula_is_linked_by_its_cutoff(client, engineer, query_set):
    judgment_list = make.make_list(query_set)
    make.make_saved_formula(query_set, formula="DCG@10")

    html = client.get(address(query_set)).content.decode()

    assert f'href="{reverse("run-table", args=[judgment_list.pk])}?k=10"' in html


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, "Fill in this field."),
        ({"name": "x" * 81}, "at most 80"),
        ({"formula": "nDCG@10"}, "can’t be read as a formula"),
        ({"formula": "DCG(gain='cubic')@10"}, "Use one of"),
        ({"measures": "AP RR@@10"}, "At character 7"),
        ({"formula": ""}, "required"),
    ],
)
def test_what_is_no_formula_is_refused_with_a_sentence(client, engineer, query_set, fields, message):
    response = post(client, query_set, next="/lists/1/runs/", **fields)

    assert response.status_code == 422
    assert message in response.content.decode()
    assert b'value="/lists/1/runs/"' in response.content
    assert not SavedFormula.objects.exists()


def test_a_name_that_is_taken_is_refused(client, engineer, query_set):
    make.make_saved_formula(query_set, name="ours", formula="DCG@3")

    response = post(client, query_set)

    assert response.status_code == 422
    assert "is taken already" in response.content.decode()


def test_a_formula_is_renamed(client, engineer, query_set):
    saved = make.make_saved_formula(query_set)

    response = client.post(reverse("saved-formula-rename", args=[saved.pk]), {"name": "New name"})

    assert response["Location"] == address(query_set)
    saved.refresh_from_db()
    assert saved.name == "New name"


@pytest.mark.parametrize(("name", "message"), [("", "required"), ("other", "taken already")])
def test_a_bad_new_name_is_refused_where_it_was_typed(client, engineer, query_set, name, message):
    saved = make.make_saved_formula(query_set, name="Ours")
    make.make_saved_formula(query_set, name="Other")

    response = client.post(reverse("saved-formula-rename", args=[saved.pk]), {"name": name})

    assert response.status_code == 422
    assert message in response.content.decode()
    assert b'<details class="fold" open>' in response.content
    saved.refresh_from_db()
    assert saved.name == "Ours"


def test_a_formula_becomes_the_default_and_ceases_to_be(client, engineer, query_set):
    saved = make.make_saved_formula(query_set)
    default = reverse("saved-formula-default", args=[saved.pk])

    client.post(default)
    assert SavedFormula.objects.get().is_default
    client.post(default, {"end": "1"})
    assert not SavedFormula.objects.get().is_default


def test_a_formula_is_deleted(client, engineer, query_set):
    saved = make.make_saved_formula(query_set)

    response = client.post(reverse("saved-formula-delete", args=[saved.pk]), follow=True)

    assert b"deleted" in response.content
    assert not SavedFormula.objects.exists()


@pytest.mark.parametrize("action", ["rename", "default", "delete"])
def test_nothing_changes_by_a_link_or_for_others(client, query_set, action):
    saved = make.make_saved_formula(query_set)
    change = reverse(f"saved-formula-{action}", args=[saved.pk])
    client.force_login(make.make_member(query_set, Role.ENGINEER))
    assert client.get(change).status_code == 405

    for user in (
        make.make_member(query_set, Role.RATER),
        make.make_member(make.make_query_set(), Role.ADMIN),
    ):
        client.force_login(user)
        assert client.post(change, {"name": "Mine"}).status_code == 404
        assert client.post(address(query_set), {"name": "Mine", "formula": "DCG@10"}).status_code == 404

    unchanged = SavedFormula.objects.get()
    assert (unchanged.name, unchanged.is_default) == (saved.name, False)


def test_an_admin_may_do_all_of_it(client, query_set):
    client.force_login(make.make_member(query_set, Role.ADMIN))

    assert post(client, query_set).status_code == 302
    saved = SavedFormula.objects.get()
    assert client.post(reverse("saved-formula-delete", args=[saved.pk])).status_code == 302


def test_a_query_set_keeps_so_many_formulas_and_no_more(client, engineer, query_set, monkeypatch):
    monkeypatch.setattr("evaluation.formulas.actions.MOST_FORMULAS", 1)
    post(client, query_set)

    again, more = post(client, query_set), post(client, query_set, name="One more")

    assert (again.status_code, more.status_code) == (302, 422)
    assert "Delete one that nobody uses" in more.content.decode()
    assert SavedFormula.objects.count() == 1
