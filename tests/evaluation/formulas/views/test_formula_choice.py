"""The choice of a formula by name or by its parts, and the address that it leads to."""

from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse

from judgments.models import Role, Scale
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from touchstone_core.metrics.presets import PRESETS

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="First pass")
    query = make.make_query(judgment_list.query_set, "q1")
    make_grades(judgment_list, query, {"a": 3, "b": 2, "c": 0})
    make_ranking(make.make_run(judgment_list.query_set, name="web"), query, ["b", "x", "a"])
    return judgment_list


@pytest.fixture
def pages(client, judgment_list):
    """The pages with a choice of formula."""
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
    run = judgment_list.query_set.runs.get()
    query = judgment_list.query_set.queries.get()
    return [
        reverse("run-table", args=[judgment_list.pk]),
        reverse("run", args=[judgment_list.pk, run.pk]),
        reverse("run-query", args=[judgment_list.pk, run.pk, query.pk]),
    ]


@pytest.fixture
def table(pages):
    return pages[0]


def chosen(response):
    """The parameters of the address that a choice leads to, by name."""
    assert response.status_code == 302, response.status_code
    return dict(parse_qsl(urlsplit(response["Location"]).query))


def own(saved):
    return f"own-{saved.pk}"


@pytest.mark.parametrize("key", PRESETS)
def test_every_preset_leads_on_every_page_to_an_address_that_says_it_all(client, pages, key):
    for page in pages:
        response = client.get(page, {"choice": key, "k": "5", "was": "", "was_k": "10"})

        assert not {"choice", "was", "was_k"} & chosen(response).keys()
        shown = client.get(response["Location"])
        assert shown.status_code == 200
        names = shown.context["names"]
        assert names.first.key == key
        html = unescape(shown.content.decode())
        for text in (PRESETS[key].name, "Source:"):
            assert text in html
        assert f'<option value="{key}" selected>' in html


@pytest.mark.parametrize(
    ("key", "parameters"),
    [
        ("trec-eval", {"k": "10"}),
        ("scikit-learn", {"k": "10", "as": "scikit-learn"}),
        ("lightgbm", {"gain": "exp", "zero": "1"}),
        ("quepid", {"gain": "exp", "measures": "nDCG(gain='exp', ideal='global-uncut')@10"}),
        ("opensearch", {"gain": "exp", "measures": "nDCG(gain='exp')@10~2"}),
        ("ms-marco", {"measures": "RR@10"}),
    ],
)
def test_the_address_holds_what_is_no_default(client, table, key, parameters):
    assert chosen(client.get(table, {"choice": key})) == parameters


def test_a_choice_that_was_there_before_leaves_the_fields_to_decide(client, table):
    fields = {
        "choice": "quepid",
        "was": "quepid",
        "was_k": "10",
        "k": "10",
        "gain": "linear",
        "measures": "AP",
    }

    assert chosen(client.get(table, fields)) == {"measures": "AP"}


def test_a_changed_cutoff_takes_the_preset_with_it(client, table):
    quepid = {"gain": "exp", "measures": "nDCG(gain='exp', ideal='global-uncut')@10"}

    moved = chosen(client.get(table, {"choice": "quepid", "was": "quepid", "was_k": "10", "k": "5"} | quepid))

    assert moved == {"k": "5", "gain": "exp", "measures": "nDCG(gain='exp', ideal='global-uncut')@5"}
    links = dict(client.get(table, quepid).context["cutoff_links"])
    assert dict(parse_qsl(links[5][1:])) == moved


def test_every_link_to_a_cutoff_is_the_canonical_address(client, table):
    for start in ({}, {"gain": "exp", "sort": "run"}, {"k": "10", "as": "scikit-learn"}, {"depth": "12"}):
        for cutoff, link in client.get(table, start).context["cutoff_links"]:
            response = client.get(table + link)
            assert response.status_code == 200, link
            assert response.context["formula"].cutoff == cutoff


def test_another_choice_keeps_sorting_and_average(client, table):
    response = client.get(table, {"choice": "lightgbm", "sort": "run", "average": "median"})

    assert chosen(response) == {"gain": "exp", "zero": "1", "sort": "run", "average": "median"}


def test_what_equals_no_name_is_an_own_choice_and_still_names_the_columns(client, table):
    response = client.get(table, {"gain": "exp", "measures": "AP"})

    names = response.context["names"]
    assert names.first is None
    assert [(one.column, one.name) for one in names.others] == [
        ("recall", "RankLib NDCG"),
        ("global", "RankLib NDCG with -qrel"),
        ("global", "Quepid nDCG@10 (before 8.1)"),
        ("global", "Quepid NDCG_CUT@10"),
    ]
    assert "custom formula</option>" in response.content.decode()


def test_a_name_that_the_parameters_do_not_equal_leaves_the_address(client, table):
    assert chosen(client.get(table, {"gain": "exp", "as": "scikit-learn"})) == {"gain": "exp"}


def test_an_unknown_choice_is_refused(client, table, judgment_list):
    elsewhere = make.make_saved_formula(make.make_query_set())

    for choice in ("nonsense", "own-0", own(elsewhere)):
        response = client.get(table, {"choice": choice})
        assert response.status_code == 422
        assert "Unknown formula" in response.content.decode()


def test_an_own_formula_is_chosen_and_recognized(client, pages, judgment_list):
    saved = make.make_saved_formula(
        judgment_list.query_set, name="House formula", formula="DCG(gain='exp')@5", measures="AP"
    )

    for page in pages:
        response = client.get(page, {"choice": own(saved), "k": "10", "was": "trec-eval"})
        assert chosen(response) == {"k": "5", "gain": "exp", "measures": "AP"}
        shown = client.get(response["Location"])
        assert shown.context["names"].first.name == "House formula"
        assert b"Of this query set" in shown.content


def test_of_equal_names_the_own_one_comes_first_and_the_chosen_one_stays(client, table, judgment_list):
    saved = make.make_saved_formula(judgment_list.query_set, name="House formula", formula="DCG@10")

    assert client.get(table).context["names"].first.key == own(saved)
    assert chosen(client.get(table, {"choice": "trec-eval"})) == {"k": "10", "as": "trec-eval"}
    first = client.get(table, {"k": "10", "as": "trec-eval"}).context["names"].first
    assert first.key == "trec-eval"


def test_an_address_without_a_formula_leads_to_the_default_of_the_query_set(client, pages, judgment_list):
    make.make_saved_formula(judgment_list.query_set, measures="AP", is_default=True)

    for page in pages:
        assert chosen(client.get(page)) == {"k": "5", "gain": "exp", "measures": "AP"}
    kept = chosen(client.get(pages[0], {"sort": "run", "average": "median"}))
    assert kept == {"k": "5", "gain": "exp", "measures": "AP", "sort": "run", "average": "median"}


def test_beside_a_default_the_plain_formula_keeps_an_address_of_its_own(client, table, judgment_list):
    plain = chosen(client.get(table, {"choice": "trec-eval"}))
    make.make_saved_formula(judgment_list.query_set, is_default=True)

    assert plain == {"k": "10"}
    response = client.get(table, plain)
    assert response.status_code == 200
    assert response.context["formula"].key == "DCG@10"
    assert response.context["formula_query"] == "?k=10"


def test_a_default_that_is_the_plain_formula_leads_to_its_cutoff(client, table, judgment_list):
    make.make_saved_formula(judgment_list.query_set, formula="DCG@10", is_default=True)

    assert chosen(client.get(table)) == {"k": "10"}


@pytest.mark.parametrize(
    ("formula", "measures"), [("DCG(gain='table')@5", ""), ("DCG@5", "nDCG(gain='table')@5")]
)
def test_a_default_that_a_scale_cannot_have_is_passed_over(client, pages, judgment_list, formula, measures):
    make.make_saved_formula(judgment_list.query_set, formula=formula, measures=measures, is_default=True)
    slider = Scale.objects.create(name="slider", continuous=True, maximum=100)
    other = make.make_list(judgment_list.query_set, scale=slider)

    response = client.get(reverse("run-table", args=[other.pk]))

    assert response.status_code == 302
    assert client.get(response["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("parameters", "message", "at"),
    [
        ({"measures": "AP RR@@10"}, "At character 7", ("AP RR@", "@", "10")),
        ({"measures": "AP  nDCG@"}, "At character 8", ("AP nDCG", "@", "")),
        ({"measures": "nDCG@10~99"}, "at most 15 decimals", ("nDCG@10~", "9", "9")),
        ({"measures": " ".join(f"P@{k}" for k in range(1, 14))}, "at most 12", None),
    ],
)
def test_a_bad_measure_is_pointed_at(client, pages, parameters, message, at):
    for page in pages:
        response = client.get(page, parameters)

        assert response.status_code == 422
        assert message in response.content.decode()
        if at:
            assert response.context["form"].fault == dict(zip(("before", "at", "after"), at, strict=True))
            assert f"<mark>{at[1]}</mark>" in response.content.decode()


def test_a_measure_that_the_scale_cannot_have_is_refused(client, judgment_list):
    slider = Scale.objects.create(name="slider", continuous=True, maximum=100)
    other = make.make_list(judgment_list.query_set, scale=slider)
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))

    response = client.get(reverse("run-table", args=[other.pk]), {"measures": "DCG(gain='table')@5"})

    assert response.status_code == 422
    assert "needs a scale whose levels have gains" in response.content.decode()


def test_a_measure_that_these_grades_cannot_have_is_refused_without_numbers(client, table):
    response = client.get(table, {"measures": "ERR(max=1)@5"})

    assert response.status_code == 422
    assert "heat-" not in response.content.decode()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"unjudged": "ignored"}, "“ignored” isn’t one of"),
        ({"zero": "2"}, "“2” isn’t one of"),
        ({"missing": "1"}, "“1” isn’t one of"),
        ({"average": "mode"}, "“mode” isn’t one of"),
    ],
)
def test_a_policy_that_there_is_not_is_refused(client, table, parameters, message):
    response = client.get(table, parameters)

    assert response.status_code == 422
    assert message in response.content.decode()


def test_policies_stand_in_the_address_and_in_words(client, pages):
    policies = {"unjudged": "condensed", "zero": "skip", "missing": "skip"}

    for page in pages:
        response = client.get(page, policies)
        assert response.status_code == 200
        html = response.content.decode()
        assert "unjudged documents are removed before anything else" in html
        key = "DCG(missing=&#x27;skip&#x27;, unjudged=&#x27;condensed&#x27;, zero=&#x27;skip&#x27;)@10"
        assert key in html


def test_the_formula_on_a_page_can_be_saved_from_it(client, pages, judgment_list):
    for place, page in enumerate(pages):
        response = client.get(page, {"gain": "exp", "measures": "AP"})
        html = response.content.decode()
        action = reverse("saved-formulas", args=[judgment_list.query_set.pk])
        assert f'action="{action}"' in html
        fields = {
            "formula": response.context["formula"].key,
            "measures": response.context["measures_text"],
            "next": response.wsgi_request.get_full_path(),
            "name": f"From page {place}",
        }
        saved = client.post(action, fields)
        assert saved["Location"] == fields["next"]
        assert client.get(saved["Location"]).context["names"].first.own
