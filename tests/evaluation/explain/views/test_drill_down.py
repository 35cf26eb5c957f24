"""One query of a run: every figure can be checked by hand."""

import csv
import io
import re

import pytest
from django.urls import reverse

from judgments.models import ConsensusGrade, JudgmentList, Role
from tests import factories as make
from tests.evaluation.scored import (
    evaluate,
    make_grades,
    make_ranking,
    make_scale,
    queries_of,
    score_of,
    text_of,
)
from touchstone_core.metrics.formula import IDEALS, Formula

pytestmark = pytest.mark.django_db

ZOOLANDER = {"movie": 1.0, "sequel": 0.9, "photo": 0.7, "helicopter": 0.1, "dog": 0.1}
FORMULA = "?k=2&discount=reciprocal"


@pytest.fixture
def judgment_list():
    return make.make_list(make.make_query_set(), scale=make_scale(0, 0.1, 0.7, 0.9, 1), name="Films")


@pytest.fixture
def query(judgment_list):
    query = make.make_query(judgment_list.query_set, "q1", text="zoolander", information_need="The film.")
    make_grades(judgment_list, query, ZOOLANDER)
    return query


@pytest.fixture
def run(query):
    run = make.make_run(query.query_set, name="web")
    make_ranking(run, query, ["helicopter", "movie", "photo", "unknown"], [9.5, 8, 7, 6])
    return run


def address(judgment_list, run, query, parameters=""):
    return reverse("run-query", args=[judgment_list.pk, run.pk, query.pk]) + parameters


def judge(judgment_list, document, *values):
    """What the grade of the document is said to come from."""
    pair = judgment_list.pairs.get(document__external_id=document)
    for value in values:
        make.make_judgment(pair, make.make_rater(judgment_list.query_set), value)


def ranks(response):
    return [*response.context["first"], *response.context["rest"]]


def test_zoolander_can_be_checked_by_hand(client, engineer, judgment_list, run, query):
    judge(judgment_list, "helicopter", 0.1, 0.1)
    response = client.get(address(judgment_list, run, query, FORMULA))

    html = text_of(response)
    for figure in (
        "0.5714",
        "0.4444",
        "0.4138",
        "0.4000",
        "= 0.6000 / 1.0500",
        "= 0.6000 / 1.4500",
        "cutoff 2",
    ):
        assert figure in html
    assert "Grade from 0.1, 0.1: median 0.1" in html
    assert "The film." in html
    ideals = {ideal.name: [row.external_id for row in ideal.rows] for ideal in response.context["ideals"]}
    assert ideals == {
        "local": ["movie", "helicopter"],
        "recall": ["movie", "photo"],
        "global": ["movie", "sequel"],
        "max": ["", ""],
    }
    rows = ranks(response)
    assert [row.grade.text for row in rows] == ["0.1", "1", "0.7", ""]
    assert [row.worked.inside for row in rows] == [True, True, False, False]
    assert [row.retrieval_score for row in rows] == [9.5, 8, 7, 6]
    assert "No text imported for this document." in html


def test_the_first_ten_are_shown_and_the_others_are_folded(client, engineer, judgment_list, query):
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, query, [f"x{place}" for place in range(12)])

    page = client.get(address(judgment_list, run, query))

    assert [row.worked.rank for row in page.context["first"]] == list(range(1, 11))
    assert "Ranks 11 to 12" in text_of(page)


def test_a_document_has_its_first_words_and_its_image_only_where_the_query_set_allows_it(
    client, engineer, judgment_list, run, query
):
    query_set = judgment_list.query_set
    body, image = "<p>It   runs for president.</p>", "https://images.example/movie.png"
    query_set.documents.filter(external_id="movie").update(body=body, image=image)

    without = client.get(address(judgment_list, run, query))
    query_set.show_images = True
    query_set.save()
    with_images = client.get(address(judgment_list, run, query))

    assert "It runs for president." in text_of(without)
    assert image not in text_of(without)
    assert "https:" not in without["Content-Security-Policy"].partition("img-src")[2].partition(";")[0]
    assert f'src="{image}"' in text_of(with_images)
    assert "https:" in with_images["Content-Security-Policy"].partition("img-src")[2].partition(";")[0]


def test_where_nothing_on_the_page_is_judged_the_values_are_unknown(client, engineer, judgment_list, query):
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, query, ["unheard", "unseen", "movie"])

    html = text_of(client.get(address(judgment_list, run, query, "?k=2")))
    data = client.get(address(judgment_list, run, query, "?k=2&format=json")).json()

    assert len(re.findall(r"<dd title=\"\"> unknown", html)) == 5
    assert "Where points are lost" not in html
    assert set(data["values"].values()) == {0.0}


@pytest.mark.parametrize(
    "formula", [Formula(), Formula(gain="exp", cutoff=1), Formula(gain="table", depth=2, cutoff=2)]
)
def test_the_page_says_what_was_stored(client, engineer, judgment_list, run, query, formula):
    score = score_of(evaluate(run, judgment_list, formula), query)

    from evaluation.formulas.forms import formula_parameters

    response = client.get(address(judgment_list, run, query), formula_parameters(formula))

    assert response.context["worked"].dcg == pytest.approx(score.dcg, rel=1e-12)
    for ideal in response.context["ideals"]:
        assert ideal.total == pytest.approx(getattr(score, f"ideal_{ideal.name}"), rel=1e-12)
        assert sum(row.worked.contribution for row in ideal.rows) == pytest.approx(ideal.total)


def test_an_undecided_pair_is_not_a_grade(client, engineer, judgment_list, run, query):
    ConsensusGrade.objects.filter(document__external_id="movie").update(value=None, undecided=True)
    JudgmentList.objects.update(tie="adjudicate")
    judge(judgment_list, "movie", 0.7, 1)

    html = text_of(client.get(address(judgment_list, run, query, FORMULA)))

    assert "undecided" in html
    assert "Grade from 0.7, 1: median between 0.7 and 1, waits for an admin to decide" in html


@pytest.mark.parametrize(
    ("documents", "sentence"), [(None, "has no ranking for this query"), ([], "has an empty ranking")]
)
def test_a_query_without_documents_is_told_in_a_sentence(
    client, engineer, judgment_list, query, documents, sentence
):
    run = make.make_run(judgment_list.query_set)
    if documents is not None:
        make_ranking(run, query, documents)

    html = text_of(client.get(address(judgment_list, run, query)))

    assert sentence in html
    assert "= 0.0000 / 0.0000: ideal 0, counts as 0" in html


@pytest.mark.parametrize(
    ("documents", "policy", "words"),
    [
        (None, "missing=skip", ["leaves such queries out of every average", "left out of the average"]),
        (None, "zero=1", ["so it counts as 0", "ideal 0, counts as 0"]),
        ([], "zero=1", ["ideal 0, counts as 1"]),
        ([], "zero=skip", ["= 0.0000 / 0.0000: left out of the average"]),
        (["movie"], "missing=skip&zero=skip", ["= 1.0000 / 1.0000</small>"]),
    ],
)
def test_what_a_policy_makes_of_the_query_is_told(
    client, engineer, judgment_list, query, documents, policy, words
):
    run = make.make_run(judgment_list.query_set)
    if documents is not None:
        make_ranking(run, query, documents)

    html = text_of(client.get(address(judgment_list, run, query, f"?{policy}")))

    for sentence in words:
        assert sentence in html


def test_a_condensed_ranking_is_shown_whole_with_the_ranks_that_count(client, engineer, judgment_list, query):
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, query, ["X", "movie", "Y", "photo", "Z", "dog"])

    page = client.get(address(judgment_list, run, query, FORMULA + "&unjudged=condensed"))

    assert [row.worked.place for row in ranks(page)] == [None, 1, None, 2, None, 3]
    assert page.context["drill_down"].cut == 4
    assert page.context["worked"].dcg == pytest.approx(1.35)
    assert (page.context["drill_down"].holes, page.context["drill_down"].removed) == (1, 2)
    html = text_of(page)
    assert "2 without a grade are removed" in html
    assert "Counts as" in html
    assert html.count("removed</td>") == 3


def test_further_measures_of_the_query_are_tiles(client, engineer, judgment_list, run, query):
    page = client.get(address(judgment_list, run, query, "?measures=RR(rel=0.7)+Holes@10+nDCG@10~1"))

    further = {text: value.text for text, value in page.context["further"].items()}
    assert further == {"RR(rel=0.7)": "0.5000", "Holes@10": "1.0000", "nDCG@10~1": "0.5000"}
    assert "RR(rel=0.7)" in text_of(page)


def test_a_further_measure_that_leaves_the_query_out_says_so(client, engineer, judgment_list, query):
    run = make.make_run(judgment_list.query_set)

    page = client.get(address(judgment_list, run, query, "?measures=RR(missing='skip')"))

    assert page.context["further"]["RR(missing='skip')"].text == "–"


def test_a_query_without_grades_has_no_further_measures(client, engineer, judgment_list, run):
    query = make.make_query(judgment_list.query_set)

    assert client.get(address(judgment_list, run, query, "?measures=RR")).context["further"] == {}


def test_a_measure_that_the_grades_do_not_allow_gives_a_message(client, engineer, judgment_list, run, query):
    page = client.get(address(judgment_list, run, query, "?measures=ERR(max=0.5)&format=csv"))

    assert page.status_code == 422
    assert "lies above the top" in text_of(page)


def test_the_page_says_which_state_of_the_list_it_shows(client, engineer, judgment_list, run, query):
    html = text_of(client.get(address(judgment_list, run, query)))

    assert "live, 5 grades, state " in html


def test_the_json_holds_ranking_ideals_and_values(client, engineer, judgment_list, run, query):
    data = client.get(address(judgment_list, run, query, FORMULA + "&measures=Holes@2&format=json")).json()

    assert data["formula"]["text"] == "DCG(discount='reciprocal')@2"
    assert data["values"] == {
        "nDCG(discount='reciprocal', ideal='local')@2": pytest.approx(0.6 / 1.05),
        "nDCG(discount='reciprocal', ideal='recall')@2": pytest.approx(0.6 / 1.35),
        "nDCG(discount='reciprocal')@2": pytest.approx(0.6 / 1.45),
        "nDCG(discount='reciprocal', ideal='max')@2": pytest.approx(0.6 / 1.5),
        "DCG(discount='reciprocal')@2": pytest.approx(0.6),
        "Holes@2": 0,
    }
    assert data["counts"] == {"retrieved": 4, "judged": 5, "holes": 0}
    assert [row["document"] for row in data["ranking"]] == ["helicopter", "movie", "photo", "unknown"]
    assert data["ranking"][3]["grade"] is None
    assert [row["document"] for row in data["ideal_lists"]["global"]] == ["movie", "sequel"]
    assert data["ideal_lists"]["max"][0]["document"] is None
    assert (data["left_out"], data["list"]["grades"]) == (False, 5)


def test_the_json_of_a_query_that_is_left_out_has_no_values(client, engineer, judgment_list, query):
    run = make.make_run(judgment_list.query_set)

    data = client.get(address(judgment_list, run, query, "?missing=skip&format=json")).json()

    assert set(data["values"].values()) == {None}
    assert (data["left_out"], data["counts"]["retrieved"]) == (True, None)


def test_a_query_without_grades_is_told_in_a_sentence(client, engineer, judgment_list, run):
    query = make.make_query(judgment_list.query_set)
    make_ranking(run, query, ["movie"])

    html = text_of(client.get(address(judgment_list, run, query)))

    assert "counts in no mean" in html


def test_links_lead_to_the_queries_beside_it(client, engineer, judgment_list, run, query):
    last = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, last, {"movie": 1.0})

    html = text_of(client.get(address(judgment_list, run, query, "?k=5")))

    assert address(judgment_list, run, last, "?k=5") in html
    assert "Previous query" not in html
    assert "Next query" not in text_of(client.get(address(judgment_list, run, last)))


def test_only_web_addresses_become_links(client, engineer, judgment_list, run, query):
    query.query_set.documents.filter(external_id="movie").update(url="javascript:alert(1)")
    query.query_set.documents.filter(external_id="photo").update(url="https://example.com/photo")

    html = text_of(client.get(address(judgment_list, run, query)))

    assert "javascript:alert" not in html
    assert "https://example.com/photo" in html


def test_a_long_ranking_comes_in_pages(client, engineer, judgment_list, query):
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, query, [f"x{place}" for place in range(249)] + ["movie"])

    response = client.get(address(judgment_list, run, query, "?page=3"))

    assert [row.worked.rank for row in ranks(response)] == list(range(201, 251))
    assert ranks(response)[-1].grade.value == 1
    assert len(ranks(client.get(address(judgment_list, run, query, "?k=150")))) == 150
    assert len(ranks(client.get(address(judgment_list, run, query, "?k=100000")))) == 250


def test_the_csv_holds_ranking_and_ideals(client, engineer, judgment_list, run, query):
    response = client.get(address(judgment_list, run, query, FORMULA + "&format=csv"))
    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))

    assert [row["of"] for row in rows] == ["ranking"] * 4 + [
        f"ideal {name}" for name in IDEALS for _ in range(2)
    ]
    assert float(rows[1]["cumulative DCG"]) == pytest.approx(0.6)
    assert float(rows[5]["cumulative DCG"]) == pytest.approx(1.05)
    assert (rows[3]["document"], rows[3]["grade"], rows[3]["retrieval score"]) == ("unknown", "", "6.0")


def test_a_bad_formula_gives_no_numbers(client, engineer, judgment_list, run, query):
    response = client.get(address(judgment_list, run, query, "?k=-1"))

    assert response.status_code == 422
    assert b"IDCG" not in response.content


def test_only_staff_of_the_query_set_see_it(client, judgment_list, run, query):
    for user in (
        make.make_member(judgment_list.query_set, Role.RATER),
        make.make_member(make.make_query_set(), Role.ADMIN),
    ):
        client.force_login(user)
        assert client.get(address(judgment_list, run, query)).status_code == 404


def test_a_query_of_another_query_set_is_not_found(client, engineer, judgment_list, run):
    assert client.get(address(judgment_list, run, make.make_query(make.make_query_set()))).status_code == 404


def test_the_number_of_queries_is_small_and_constant(client, engineer, judgment_list, run, query):
    few = queries_of(client, address(judgment_list, run, query))
    other = make.make_query(judgment_list.query_set)
    names = [f"d{place}" for place in range(30)]
    make_grades(judgment_list, other, dict.fromkeys(names, 1.0))
    make_ranking(run, other, names)

    assert queries_of(client, address(judgment_list, run, other)) == few <= 15


def test_defaults_leave_the_url(client, judgment_list, run, query):
    client.force_login(make.make_user(is_superuser=True))

    response = client.get(address(judgment_list, run, query, "?k=10&gain=linear&sort="))

    assert response["Location"] == address(judgment_list, run, query, "?k=10")
    assert client.get(response["Location"]).status_code == 200
