"""The page of disagreements: which pairs, in which order, and the file of decisions."""

import csv
from io import StringIO

import pytest
from django.urls import reverse

from judgments.agreement.actions.adjudication import exclude_rater, withdraw_adjudication
from judgments.agreement.reports import disagreements as reports
from tests import factories as make
from tests.api import Api
from tests.judgments.agreement.decisions import decide
from tests.judgments.agreement.views.disputed import address, disputed, page, pairs_on_page, rater_of
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    return disputed(client)


def test_the_widest_come_first_and_pairs_that_agree_do_not_come(client, scene):
    assert pairs_on_page(client, scene) == [scene.wide.pk, scene.near.pk, scene.unclear.pk]
    rows = client.get(address(scene)).context["page"].rows
    assert [row.apart for row in rows] == ["3 apart", "1 apart", "no grade"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?state=any", "wide near unclear"),
        ("?show=undecided", "wide"),
        ("?show=cannot", "unclear"),
        ("?least=1", "wide near"),
        ("?least=1.5", "wide"),
        ("?state=decided", ""),
        ("?cause=slip", ""),
        ("?after=here", "wide near unclear"),
        ("?after=nan,1,2", "wide near unclear"),
        ("?q=nothing+like+this", ""),
    ],
)
def test_the_address_says_which(client, scene, query, names):
    assert pairs_on_page(client, scene, query) == [getattr(scene, name).pk for name in names.split()]


@pytest.mark.parametrize("query", ["?least=abc", "?cause=zzz", "?rater=99999999", "?state=nonsense&rater=7x"])
def test_a_filter_that_is_not_valid_lists_nothing_and_says_so(client, scene, query):
    response = client.get(address(scene, query=query))

    assert response.status_code == 422
    assert response.context["page"].rows == []
    assert "No disagreements are listed because this filter isn’t valid." in response.content.decode()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("after", "abc"), ("after", "1,2"), ("after", "nan,1,1"), ("rater", "99999999"), ("least", "-1")],
)
def test_a_program_is_told_what_is_wrong_with_a_place_or_a_filter(scene, parameter, value):
    response = Api(scene.admin).get(f"lists/{scene.list.pk}/disagreements?{parameter}={value}")

    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == parameter


def test_programs_get_the_number_of_disagreements(scene):
    assert Api(scene.admin).get(f"lists/{scene.list.pk}/disagreements").json()["total"] == 3


def test_a_query_is_found_by_its_id_and_by_its_words(client, scene):
    query = scene.near.query

    assert pairs_on_page(client, scene, f"?q={query.external_id}") == [scene.wide.pk, scene.near.pk]
    assert pairs_on_page(client, scene, f"?q=of+{query.external_id}") == [scene.wide.pk, scene.near.pk]


@pytest.mark.parametrize("many", [0, 20_000])
def test_of_one_rater_and_of_two_who_gave_different_answers(client, scene, monkeypatch, many):
    monkeypatch.setattr("judgments.agreement.sql.disagreements.BUSY", many)
    anna, ben, carl = (rater_of(user).pk for user in (scene.anna, scene.ben, scene.carl))

    assert pairs_on_page(client, scene, f"?rater={carl}") == [scene.near.pk]
    assert pairs_on_page(client, scene, f"?rater={ben}&other={carl}") == []
    assert pairs_on_page(client, scene, f"?rater={anna}&other={ben}") == [
        scene.wide.pk,
        scene.near.pk,
        scene.unclear.pk,
    ]
    assert pairs_on_page(client, scene, f"?rater={anna}&other={ben}&gave=1&other_gave=2") == [scene.near.pk]
    text = client.get(address(scene, query=f"?rater={anna}&other={ben}")).content.decode()
    assert "Rater A and Rater B" in text


def test_decided_pairs_leave_the_list_and_stand_under_their_cause(client, scene):
    decide(scene, scene.wide)
    decide(scene, scene.same, cause="document")

    assert pairs_on_page(client, scene) == [scene.near.pk, scene.unclear.pk]
    assert pairs_on_page(client, scene, "?cause=slip") == [scene.wide.pk]
    assert pairs_on_page(client, scene, "?state=decided") == [scene.wide.pk, scene.same.pk]
    assert [one["count"] for one in client.get(address(scene)).context["causes"]] == [0, 0, 1, 1, 0]
    assert "Close gaps in the guidelines" in client.get(address(scene)).content.decode()
    withdraw_adjudication(judgment_list=scene.list, pair_id=scene.wide.pk, user=scene.admin, at=make.NOW)
    assert pairs_on_page(client, scene)[0] == scene.wide.pk


def test_what_to_do_about_causes_is_said_once_there_are_some(client, scene):
    assert "Decisions by cause" not in client.get(address(scene)).content.decode()


def test_pages_follow_each_other_without_gaps(client, scene, monkeypatch):
    monkeypatch.setattr(reports, "PER_PAGE", 1)
    query, pair_ids = "", []
    while True:
        response = client.get(address(scene, query=query))
        pair_ids += [row.pair_id for row in response.context["page"].rows]
        if not response.context["next"]:
            break
        query = "?" + response.context["next"]

    assert pair_ids == [scene.wide.pk, scene.near.pk, scene.unclear.pk]


def test_counting_stops_somewhere(client, scene, monkeypatch):
    monkeypatch.setattr(reports, "MOST_COUNTED", 2)

    assert "More than 2 pairs" in client.get(address(scene)).content.decode()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("?show=undecided&q=no", "No matching disagreements"),
        ("?state=decided", "No matching disagreements"),
        ("", "All disagreements are decided"),
    ],
)
def test_an_empty_page_says_why(client, scene, query, text):
    if not query:
        for pair in (scene.wide, scene.near, scene.unclear):
            decide(scene, pair)

    assert text in client.get(address(scene, query=query)).content.decode()


def test_a_list_without_judgments_has_no_disagreements(client):
    scene = Scene(queries=1, documents=1)
    client.force_login(make.make_member(scene.query_set, "admin"))

    assert "No disagreements" in client.get(address(scene)).content.decode()


def test_an_excluded_raters_answers_make_no_disagreement(client, scene):
    exclude_rater(judgment_list=scene.list, rater=rater_of(scene.ben), user=scene.admin, at=make.NOW)

    assert pairs_on_page(client, scene) == [scene.near.pk]
    text = page(client, scene, scene.wide)
    assert "Does not count." in text
    assert "Let Rater B count again" in text


def test_kinds_without_an_order_differ_by_the_share_that_dissents(client):
    scene = Scene(queries=1, documents=2, overlap=3)
    nominal = scene.query_set.scales.create(name="Kinds", level="nominal", maximum=2)
    for value in range(3):
        nominal.grades.create(value=value, label=f"Kind {value}", gain=value, key=str(value))
    scene.list.scale = nominal
    scene.list.save()
    few, many = scene.list.pairs.order_by("pk")
    for pair, values in ((few, (0, 0, 2)), (many, (0, 1, 2))):
        for value in values:
            make.make_judgment(pair, make.make_rater(scene.query_set), value)
    refresh_consensus(judgment_list=scene.list)
    client.force_login(make.make_member(scene.query_set, "admin"))

    assert pairs_on_page(client, scene) == [many.pk, few.pk]
    response = client.get(address(scene))
    assert [row.apart for row in response.context["page"].rows] == ["67 % differ", "33 % differ"]
    assert "Share that differs" in response.content.decode()


def test_the_decisions_are_a_file(client, scene):
    decide(scene, scene.wide, value=3, note="=1+1")
    decide(scene, scene.wide, value=2)
    decide(scene, scene.unclear, value=1, cause="query")

    response = client.get(reverse("decisions-file", args=[scene.list.pk]))
    named = client.get(reverse("decisions-file", args=[scene.list.pk]) + "?names=shown")

    rows = list(csv.DictReader(StringIO(response.getvalue().decode())))
    assert [row["decided_grade"] for row in rows] == ["3.0", "2.0", "1.0"]
    assert rows[0] | {"withdrawn_at": ""} == {
        "query_id": scene.wide.query.external_id,
        "query": scene.wide.query.text,
        "document_id": scene.wide.document.external_id,
        "answers": "Rater A: 0; Rater B: 3",
        "decided_grade": "3.0",
        "label": "Perfectly relevant",
        "cause": "A slip",
        "note": "'=1+1",
        "decided_by": "ada",
        "decided_at": make.NOW.isoformat(),
        "withdrawn_by": "ada",
        "withdrawn_at": "",
    }
    assert rows[2]["answers"] == "Rater A: 1; Rater B: cannot judge (query_unclear)"
    assert rows[2]["withdrawn_at"] == ""
    assert f"{scene.anna.username}: 0" in named.getvalue().decode()
    assert response["Content-Disposition"].endswith('_decisions.csv"')
