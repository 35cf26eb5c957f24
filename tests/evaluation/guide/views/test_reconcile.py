"""One run under every formula at once."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from django.conf import settings
from django.core.management import call_command
from django.urls import reverse

from evaluation.base.reports import scale_info
from evaluation.models import Run
from evaluation.scores.reports.state import list_state
from judgments.content.actions.query_sets import archive_query_set
from judgments.models import ConsensusGrade, JudgmentList, User
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.presets import PRESETS

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(judgment_list):
    query = make.make_query(judgment_list.query_set, "q1")
    make_grades(judgment_list, query, {"a": 3, "b": 2, "c": 0, "d": 1, "e": 3})
    run = make.make_run(judgment_list.query_set, name="web")
    make_ranking(run, query, ["b", "x", "d", "a", "c", "y"])
    return run


def words_of(page) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.content.decode())).split())


def address(judgment_list, run, parameters=""):
    return reverse("reconcile", args=[judgment_list.pk, run.pk]) + parameters


def grades_of(judgment_list) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    found = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    for query, document, value in found.values_list("query__external_id", "document__external_id", "value"):
        assert value is not None
        grades.setdefault(query, {})[document] = value
    return grades


def scores_of(path: Path) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        scores.setdefault(query, {})[document] = float(score)
    return scores


@pytest.mark.parametrize("name", ["bm25", "postgres-fts", "title-trigram"])
def test_the_presets_of_the_example_shop_are_those_of_the_measures_and_of_trec_eval(client, name):
    call_command("load_example")
    judgment_list = JudgmentList.objects.get(name="First pass")
    client.force_login(User.objects.get(username="engineer"))
    grades = grades_of(judgment_list)
    scores = scores_of(settings.BASE_DIR / "examples" / "shop" / "runs" / f"{name}.trec")
    rankings = {
        query: sorted(found, key=lambda document: (found[document], document), reverse=True)
        for query, found in scores.items()
    }
    _, judged = join(grades, rankings, scale_info(judgment_list.scale))

    response = client.get(address(judgment_list, Run.objects.get(name=name), "?k=5"))

    assert response.status_code == 200
    values = {row.preset.key: row.value for row, _ in response.context["presets"]}
    for key, preset in PRESETS.items():
        assert values[key] == pytest.approx(np.nanmean(preset.values(judged, 5)), abs=1e-12), key
    whole = {query: {d: int(g) for d, g in found.items()} for query, found in grades.items()}
    per_query = pytrec_eval.RelevanceEvaluator(whole, {"ndcg_cut.5"}).evaluate(scores)
    total = sum(found["ndcg_cut_5"] for found in per_query.values())
    assert all(grade == int(grade) for found in grades.values() for grade in found.values())
    assert values["trec-eval"] == pytest.approx(total / len(grades), abs=1e-9)


def test_the_published_values_stand_on_the_page(client, engineer, judgment_list, run):
    """metrics.md, d2 X d4 d1 d3 Y at 10: exponential global .488098."""
    response = client.get(address(judgment_list, run))

    html = unescape(response.content.decode())
    assert "0.4881" in html
    assert "nDCG(gain='exp', ideal='global-uncut')@10" in html
    for preset in PRESETS.values():
        assert preset.words in html
        assert preset.trap in html


def test_the_page_says_which_state_of_the_list_it_computed_against(client, engineer, judgment_list, run):
    response = client.get(address(judgment_list, run))

    state = list_state(judgment_list)
    assert f"live, 5 grades, state {state.short}, computed now" in response.content.decode()


def test_a_number_is_found_and_said_in_words(client, engineer, judgment_list, run):
    response = client.get(address(judgment_list, run, "?number=NDCG%4010+%3D+.488"))

    html = response.content.decode()
    assert response.status_code == 200
    assert "<strong>Found:</strong>" in html
    assert "<b>matches</b>" in html
    assert "nDCG(gain='exp')@10" in [
        candidate.text for candidate in response.context["answer"].rows[0].candidates
    ]


def test_that_nothing_matches_is_said(client, engineer, judgment_list, run):
    html = client.get(address(judgment_list, run, "?number=0.99871")).content.decode()

    assert "<strong>Nothing matches:</strong>" in html
    assert "<b>matches</b>" not in html


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("?number=a+lot", "Enter one number"),
        ("?number=%00", "Remove the character NUL"),
        ("?number=-1", "between 0 and 1"),
        ("?number=" + "9" * 5000, "Use at most 100."),
        ("?k=0", "0 is too small. Enter 1 or more."),
        ("?k=99999999999999999999", "is too large. Enter 100,000 or less."),
        ("?k=x&number=.5", "whole number"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(
    client, engineer, judgment_list, run, parameters, sentence
):
    response = client.get(address(judgment_list, run, parameters))

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert "presets" not in response.context


def test_markup_in_the_number_stays_text(client, engineer, judgment_list, run):
    response = client.get(address(judgment_list, run, "?number=%3Cscript%3E0.5"))

    assert b"<script>0.5" not in response.content


def test_a_list_without_grades_leads_on(client, engineer, judgment_list):
    run = make.make_run(judgment_list.query_set)

    response = client.get(address(judgment_list, run, "?number=.5"))

    assert response.status_code == 200
    assert "No grades yet" in response.content.decode()


def test_a_run_of_another_query_set_is_not_found(client, engineer, judgment_list):
    other = make.make_run(make.make_query_set())

    assert client.get(address(judgment_list, other)).status_code == 404


def test_values_of_queries_are_compared(client, engineer, judgment_list, run):
    other = make.make_query(judgment_list.query_set, "q2")
    make_grades(judgment_list, other, {"a": 1})

    same = client.post(address(judgment_list, run, "?k=3"), {"values": "q1 0.4242"})
    differs = client.post(address(judgment_list, run, "?k=3"), {"values": "q1\t0.9"})

    assert "Identical: the one query agrees with nDCG@3" in words_of(same)
    assert "Your numbers leave out one query of this list that the run doesn’t answer." in words_of(same)
    assert "The first query that differs is" in words_of(differs)
    assert f"/queries/{run.query_set.queries.get(external_id='q1').pk}/?" in differs.content.decode()


def test_values_of_other_queries_say_so(client, engineer, judgment_list, run):
    page = client.post(address(judgment_list, run), {"values": "x 1"})

    assert page.status_code == 200
    assert "Nothing to compare" in words_of(page)


@pytest.mark.parametrize(("sent", "says"), [("", "Paste at least one line"), ("q1 0.5\nq1 0.6", "Line 2:")])
def test_values_that_cannot_be_read_say_why(client, engineer, judgment_list, run, sent, says):
    page = client.post(address(judgment_list, run), {"values": sent})

    assert page.status_code == 422
    assert says in words_of(page)


def test_values_are_compared_in_the_archive_too_and_change_nothing(client, engineer, judgment_list, run):
    archive_query_set(query_set=judgment_list.query_set, user=None, at=make.NOW)

    assert client.post(address(judgment_list, run), {"values": "q1 0.5"}).status_code == 200


def test_what_a_number_does_is_said_in_words(client, engineer, judgment_list, run):
    page = client.get(address(judgment_list, run, "?k=3&number=0.270971"))

    assert "Your number: It uses exponential gain, 2^grade − 1." in words_of(page)


def test_a_preset_with_the_formula_of_another_is_said_to_be_identical(client, engineer, judgment_list, run):
    assert "Identical to LightGBM ndcg" in words_of(client.get(address(judgment_list, run)))
