"""The page of formulas."""

import re
from html import unescape

import pytest
from django.urls import reverse

from evaluation.guide.views.formulas import CHAPTERS
from evaluation.scores.reports.state import list_state
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking, make_scale, text_of
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.presets import PRESETS

pytestmark = pytest.mark.django_db

URL = "/formulas/"


@pytest.fixture
def query(judgment_list):
    query = make.make_query(judgment_list.query_set, "q1", text="lamp")
    make_grades(judgment_list, query, {"a": 3, "b": 2, "c": 0, "d": 1, "e": 3, "waits": None})
    return query


@pytest.fixture
def run(query):
    run = make.make_run(query.query_set, name="web")
    make_ranking(run, query, ["b", "x", "d", "a", "c", "y"])
    return run


def ndcgs(response):
    return {ideal["name"]: round(ideal["ndcg"], 6) for ideal in response.context["page"].ideals()}


def chapter(client, key, more=""):
    return client.get(f"{URL}?chapter={key}{more}")


def own(judgment_list, query, run=None, more=""):
    return f"{URL}?list={judgment_list.pk}&query={query.pk}" + (f"&run={run.pk}" if run else "") + more


def test_zoolander_is_worked_out(client, engineer):
    response = chapter(client, "sums")

    assert ndcgs(response) == {"local": 0.571429, "recall": 0.444444, "global": 0.413793, "max": 0.4}
    html = text_of(response)
    for text in ("0.6000 / 1.0500", "0.6000 / 1.3500", "0.6000 / 1.4500", "0.6000 / 1.5000"):
        assert text in html


def test_everything_that_is_defined_stands_on_the_page(client, engineer):
    presets = unescape(text_of(chapter(client, "presets")))
    for preset in PRESETS.values():
        assert str(preset.measure(2)) in presets
        assert preset.source in presets
    measures = unescape(text_of(chapter(client, "measures")))
    for definition in DEFINITIONS.values():
        assert definition.line in measures


def test_the_wrong_claims_are_refuted_by_computed_numbers(client, engineer):
    html = text_of(chapter(client, "claims"))

    for figure in ("1.0000", "0.6309", "0.8597", "0.7602", "0.7967", "0.8262"):
        assert figure in html


def test_the_policies_change_the_mean(client, engineer):
    outcomes = {
        policy["name"]: [round(value.number, 4) for _, value in policy["outcomes"]]
        for policy in chapter(client, "policies").context["policies"]()
    }

    alone = outcomes["missing"][1]
    assert outcomes["missing"] == [round(alone / 2, 4), alone]
    assert outcomes["zero"] == [round(alone / 2, 4), round((alone + 1) / 2, 4), alone]
    assert outcomes["unjudged"][1] == alone
    assert outcomes["unjudged"][0] < alone


def test_an_own_example_says_which_state_of_the_list_it_was_computed_against(
    client, engineer, judgment_list, query
):
    response = client.get(own(judgment_list, query))

    assert f"state {list_state(judgment_list).short}, computed now" in text_of(response)


def test_an_own_query_of_a_run_is_worked_out(client, engineer, judgment_list, query, run):
    """metrics.md, d2 X d4 d1 d3 Y."""
    at_3 = client.get(own(judgment_list, query, run, "&k=3"))
    exponential = client.get(own(judgment_list, query, run, "&gain=exp"))

    assert ndcgs(at_3) == {"local": 0.950234, "recall": 0.525005, "global": 0.424247, "max": 0.391066}
    assert ndcgs(exponential)["global"] == 0.488098
    assert ndcgs(exponential)["max"] == 0.204834
    assert "lamp" in text_of(at_3)


def test_each_gain_and_discount_is_tried_on_the_example(client, engineer):
    page = client.get(URL).context["page"]

    gains = {choice.name: (choice.dcg.text, choice.ndcg.text) for choice in page.gains()}
    discounts = {choice.name: (choice.dcg.text, choice.ndcg.text) for choice in page.discounts()}
    assert gains["linear"] == discounts["reciprocal"] == ("0.6000", "0.4138")
    assert gains["table"] == ("–", "–")
    assert discounts["none"] == ("1.1000", "0.5789")
    assert discounts["log2"] == ("0.7309", "0.4662")


def test_a_cutoff_far_beyond_every_list_costs_no_long_page(client, engineer, judgment_list, query, run):
    response = client.get(own(judgment_list, query, run, "&k=100000"))

    assert response.status_code == 200
    assert len(response.content) < 200_000


def test_without_a_run_the_graded_documents_stand_by_id(client, engineer, judgment_list, query):
    response = client.get(own(judgment_list, query))

    assert [place.title for place in response.context["page"].ranking] == [
        f"Title of {name}" for name in "abcde"
    ]
    assert "names no run" in text_of(response)


def test_a_run_that_does_not_answer_has_an_empty_ranking(client, engineer, judgment_list, query):
    silent = make.make_run(judgment_list.query_set)

    response = client.get(own(judgment_list, query, silent, "&chapter=dcg"))

    assert response.status_code == 200
    assert "The ranking is empty." in text_of(response)


def test_a_query_without_grades_says_so(client, engineer, judgment_list):
    bare = make.make_query(judgment_list.query_set, "bare")

    response = client.get(own(judgment_list, bare))

    assert response.status_code == 200
    assert "No grades:" in text_of(response)


def test_grades_too_great_for_exponential_gain_are_said(client, engineer, judgment_list):
    great = make.make_list(judgment_list.query_set, scale=make_scale(0, 1000))
    query = make.make_query(judgment_list.query_set)
    make_grades(great, query, {"a": 1000, "b": 0})

    response = client.get(own(great, query, more="&chapter=gains"))

    assert response.status_code == 200
    assert "Exponential gain needs a top grade" in text_of(response)


@pytest.mark.parametrize(
    "parameters",
    [
        "?list=1",
        "?query=1",
        "?list=x&query=1",
        "?list=-1&query=1",
        "?list=0&query=0",
        "?list=99999999999999999999&query=1",
        "?list=1%00&query=1",
        "?run=x",
    ],
)
def test_a_query_that_there_is_not_is_not_found(client, engineer, parameters):
    assert client.get(URL + parameters).status_code == 404


@pytest.mark.parametrize("parameters", ["?k=0", "?gain=cubic", "?discount=jk&base=1", "?k=1e9", "?gain=%00"])
def test_what_is_no_formula_is_refused(client, engineer, parameters):
    response = client.get(f"{URL}{parameters}&chapter=sums")

    assert response.status_code == 422
    assert "this isn’t a valid formula" in text_of(response)


def test_each_chapter_leads_to_the_next_and_keeps_the_formula(client, engineer, judgment_list, query):
    seen, address = [], own(judgment_list, query, more="&gain=exp&chapter=ideals")
    while address:
        page = client.get(address)
        assert page.status_code == 200
        seen.append(page.context["chapter"].key)
        assert page.context["form"].data["gain"] == "exp"
        found = re.search(r'href="([^"]*)">Next: ', page.content.decode())
        address = found and URL + unescape(found[1])

    assert seen == [chapter.key for chapter in CHAPTERS]
    assert len(seen) == 10


def test_the_page_begins_with_a_picture_of_the_four_ideals(client, engineer, judgment_list, query):
    assert "Four ideals, each taken from more documents" in text_of(client.get(URL))
    assert "Four ideals, each taken" not in text_of(client.get(own(judgment_list, query)))


def test_an_unknown_chapter_is_not_found(client, engineer):
    assert chapter(client, "cats").status_code == 404


def test_others_data_is_not_shown(client, engineer, judgment_list, query, run):
    other_list = make.make_list(make.make_query_set())
    other_query = make.make_query(other_list.query_set)
    other_run = make.make_run(other_list.query_set)

    for address in (
        own(other_list, query),
        own(judgment_list, other_query),
        own(judgment_list, query, other_run),
    ):
        assert client.get(address).status_code == 404


def test_raters_meet_no_formulas(client, judgment_list):
    client.force_login(make.make_member(judgment_list.query_set, Role.RATER))

    assert client.get(URL).status_code == 404
    assert URL not in text_of(client.get(reverse("home")))


def test_the_top_bar_and_the_drill_down_lead_here(client, engineer, judgment_list, query, run):
    html = text_of(client.get(reverse("run-query", args=[judgment_list.pk, run.pk, query.pk])))

    assert f'href="{URL}"' in html
    link = own(judgment_list, query, run, "&k=10").replace("&", "&amp;")
    assert f'href="{link}"' in html


def test_ties_are_explained_by_an_example_that_is_computed(client, engineer):
    """0.1 + 0.7/2 as ordered, since photo is the greater ID; 0.1 + 1/2 at best; their mean expected."""
    response = chapter(client, "ties")

    dcg, local, recall, total, top = response.context["tie_example"]()["rows"]
    numbers = [cell.number for cell in (dcg.ordered, dcg.expected, dcg.least, dcg.greatest)]
    assert numbers == pytest.approx([0.45, 0.525, 0.45, 0.6])
    assert (local.expected.text, recall.expected.text) == ("–", f"{0.525 / 1.35:.4f}")
    assert total.greatest.number == pytest.approx(0.6 / 1.45)
    assert top.least.number == pytest.approx(0.3)
    assert "A photo (score 1, grade 0.7), The movie (score 1, grade 1)" in text_of(response)


def test_the_example_is_worked_out_under_a_formula_chosen_by_name(
    client, engineer, judgment_list, query, run
):
    chosen = client.get(own(judgment_list, query, run, "&choice=lightgbm&k=3&was="))

    assert chosen["Location"] == own(judgment_list, query, run, "&k=3&gain=exp&zero=1")
    shown = client.get(chosen["Location"])
    assert shown.context["names"].first.key == "lightgbm"
    assert ndcgs(shown)["recall"] == 0.372626
    assert '<option value="lightgbm" selected>' in text_of(shown)
    plain = client.get(f"{URL}?choice=trec-eval&chapter=sums")
    assert client.get(plain["Location"]).context["formula"].key == "DCG@10"


def test_a_policy_that_leaves_the_example_out_shows_a_dash(client, engineer, judgment_list):
    query = make.make_query(judgment_list.query_set, "nothing")
    make_grades(judgment_list, query, {"a": 0})

    response = client.get(own(judgment_list, query, more="&zero=skip"))

    assert response.status_code == 200
    assert "NDCG –" in text_of(response)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("depth=NaN", "Recall depth:</strong> Enter a whole number, such as 10."),
        ("zero=2", "Where the ideal is 0:</strong> “2” isn’t one of the choices."),
        ("missing=1", "Missing queries:</strong> “1” isn’t one of the choices."),
        ("unjudged=x", "Unjudged documents:</strong> “x” isn’t one of the choices."),
        ("measures=XX", "Further measures:</strong> “XX” can’t be read as a measure. At character 1"),
        ("base=x", "Base:</strong> Enter a number, such as 0.5."),
        ("k=0", "0 is too small. Enter 1 or more."),
    ],
)
def test_a_bad_choice_says_what_is_wrong_even_if_its_field_is_not_here(client, engineer, query, says):
    response = client.get(f"{URL}?{query}&chapter=sums")

    assert response.status_code == 422
    assert unescape(text_of(response)).count(says) == 1
