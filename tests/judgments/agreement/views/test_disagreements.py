"""The pages of disagreements: which pairs, in which order, and what an admin decides about one."""

import csv
from io import StringIO

import pytest
from django.urls import reverse

from judgments.agreement.actions.adjudication import adjudicate, exclude_rater, withdraw_adjudication
from judgments.agreement.reports import disagreements as reports
from judgments.models import Adjudication, ConsensusGrade, GoldPair, Judgment, Rater
from tests import factories as make
from tests.html import html_of
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db

UNCLEAR = {"reason": "query_unclear"}


@pytest.fixture
def scene(client):
    """Pairs judged 0 and 3, 1 and 2 and 2, 2 and 2, and by a grade and “cannot judge”; an admin, signed in."""
    scene = Scene(queries=2, documents=2, overlap=3, tie="adjudicate")
    scene.wide, scene.near, scene.same, scene.unclear = scene.list.pairs.order_by("pk")
    scene.anna, scene.ben, scene.carl = scene.rater(), scene.rater(), scene.rater()
    for pair, *values in ((scene.wide, 0, 3), (scene.near, 1, 2, 2), (scene.same, 2, 2)):
        for user, value in zip((scene.anna, scene.ben, scene.carl), values, strict=False):
            scene.judge(user, pair.pk, value=value)
    scene.judge(scene.anna, scene.unclear.pk, value=1)
    scene.judge(scene.ben, scene.unclear.pk, **UNCLEAR)
    scene.admin = make.make_member(scene.query_set, "admin", username="ada")
    client.force_login(scene.admin)
    return scene


def decide(scene, pair, value=2, cause="slip", **more):
    return adjudicate(
        judgment_list=scene.list,
        pair_id=pair.pk,
        value=value,
        cause=cause,
        user=scene.admin,
        at=make.NOW,
        **more,
    )


def rater_of(user):
    return Rater.objects.get(user=user)


def address(scene, pair=None, query=""):
    name, keys = ("list-disagreements", []) if pair is None else ("disagreement", [pair.pk])
    return reverse(name, args=[scene.list.pk, *keys]) + query


def pairs_on_page(client, scene, query=""):
    response = client.get(address(scene, query=query))
    assert response.status_code == 200
    return [row.pair_id for row in response.context["page"].rows]


def page(client, scene, pair, query=""):
    response = client.get(address(scene, pair, query))
    assert response.status_code == 200
    return html_of(response)


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
        ("?state=nonsense&least=wide&rater=7x&after=here", "wide near unclear"),
        ("?rater=99999999", "wide near unclear"),
        ("?after=nan,1,2", "wide near unclear"),
        ("?q=nothing+like+this", ""),
    ],
)
def test_the_address_says_which(client, scene, query, names):
    assert pairs_on_page(client, scene, query) == [getattr(scene, name).pk for name in names.split()]


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
    withdraw_adjudication(judgment_list=scene.list, pair_id=scene.wide.pk, user=scene.admin, at=make.NOW)
    assert pairs_on_page(client, scene)[0] == scene.wide.pk


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


def test_all_that_was_said_stands_side_by_side_without_names(client, scene):
    document = scene.wide.document
    document.title, document.body = "A red tent", "<p>For two people.</p>"
    document.fields = {"color": "red or dark red"}
    document.save()
    Judgment.objects.filter(pair=scene.wide, rater__user=scene.anna).update(
        comment="Too small.",
        confidence=3,
        active_ms=12_500,
        evidence=[
            {"field": "body", "quote": "two people", "start": 4, "end": 14},
            {"field": "Color", "quote": "dark red", "start": 7, "end": 15},
        ],
    )
    Judgment.objects.filter(pair=scene.wide, rater__user=scene.ben).update(
        evidence=[{"field": "", "quote": "red tent", "start": None, "end": None}]
    )

    text = page(client, scene, scene.wide)

    for words in (
        "Rater A",
        "Rater B",
        "Too small.",
        "sure, 12.5 s, guidelines 1",
        '<span class="passage">two people</span><sup class="passage-by">A</sup>',
        '<span class="passage">dark red</span><sup class="passage-by">A</sup>',
        '<span class="passage">red tent</span><sup class="passage-by">B</sup>',
        "0, 3: median between 0 and 3, waits for an admin to decide",
    ):
        assert words in text
    assert scene.anna.username not in text
    shown = page(client, scene, scene.wide, "?names=shown")
    assert scene.anna.username in shown
    assert "Hide names" in shown


def test_letters_stay_when_raters_join(client, scene):
    make.make_rater(scene.query_set)

    assert [one.name for one in client.get(address(scene, scene.near)).context["details"].answers] == [
        "Rater A",
        "Rater B",
        "Rater C",
    ]


def test_a_decision_leads_to_the_next_disagreement_under_the_same_filter(client, scene):
    data = {"action": "decide", "value": "2.0", "cause": "guidelines", "note": "Sizes matter."}

    response = client.post(address(scene, scene.wide, "?least=1"), data)

    assert response["Location"] == address(scene, scene.near, "?least=1")
    gold = Adjudication.objects.get()
    assert (gold.value, gold.cause, gold.note, gold.by) == (2, "guidelines", "Sizes matter.", scene.admin)
    assert ConsensusGrade.objects.get(pair=scene.wide).value == 2
    last = client.post(address(scene, scene.near, "?least=1"), data, follow=True)
    assert last.redirect_chain == [(address(scene, query="?least=1"), 302)]
    assert "This was the last of these disagreements." in last.content.decode()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"cause": "slip"}, "Choose a grade."),
        ({"value": "2.0"}, "Choose a cause."),
        ({"value": "7", "cause": "slip"}, "Select a valid choice"),
    ],
)
def test_half_a_decision_is_refused_with_what_was_chosen(client, scene, data, text):
    response = client.post(address(scene, scene.wide), {"action": "decide", "note": "Kept."} | data)

    assert response.status_code == 422
    assert text in response.content.decode()
    assert "Kept." in response.content.decode()
    assert not Adjudication.objects.exists()


def test_a_decision_can_be_changed_and_withdrawn(client, scene):
    decide(scene, scene.wide, value=3, note="First thought.")
    text = page(client, scene, scene.wide)
    assert "ada decided on" in text
    assert 'value="3.0" data-key="3" checked' in text

    decide(scene, scene.wide, value=1)
    response = client.post(address(scene, scene.wide), {"action": "withdraw"}, follow=True)

    assert "Decision withdrawn." in response.content.decode()
    assert "Earlier decisions (2)" in response.content.decode()
    assert not Adjudication.objects.standing().exists()


def test_a_form_that_is_sent_twice_decides_once(client, scene):
    data = {"action": "decide", "value": "2.0", "cause": "slip", "note": " As it says. ", "seen": "0"}

    answers = [client.post(address(scene, scene.wide), data) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [302, 302]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Adjudication.objects.filter(pair=scene.wide).count() == 1


@pytest.mark.parametrize("by", ["other", "nobody"])
def test_of_two_admins_the_second_is_told_of_the_first(client, scene, by):
    other = make.make_member(scene.query_set, "admin", username="bert")
    first = decide(scene, scene.wide, value=1)
    Adjudication.objects.filter(pk=first.pk).update(by=other if by == "other" else None)
    data = {"action": "decide", "value": "2.0", "cause": "slip"}

    invalid = client.post(address(scene, scene.wide), {**data, "seen": "0"})
    again = client.post(address(scene, scene.wide), {**data, "seen": first.pk})

    message = invalid.content.decode()
    assert invalid.status_code == 422
    assert (
        f"{'bert' if by == 'other' else 'Somebody'} decided this pair after you opened this page." in message
    )
    assert f'<input type="hidden" name="seen" value="{first.pk}">' in message
    assert again.status_code == 302
    assert Adjudication.objects.standing().get(pair=scene.wide).value == 2


def test_a_pair_becomes_gold_with_its_grade(client, scene):
    invalid = client.post(address(scene, scene.wide), {"action": "gold"}, follow=True)
    assert "This pair has no grade yet." in invalid.content.decode()
    decide(scene, scene.wide, value=2, note="As the guidelines say.")

    response = client.post(address(scene, scene.wide), {"action": "gold"}, follow=True)

    gold = GoldPair.objects.get()
    assert (gold.pair, gold.value, gold.explanation) == (scene.wide, 2, "As the guidelines say.")
    assert "This is a gold pair." in response.content.decode()


def test_a_pair_that_a_colleague_made_gold_meanwhile_stays_as_it_is(client, scene):
    decide(scene, scene.wide, value=2)
    gold = make.make_gold_pair(scene.wide, 3, explanation="Ann says so")

    page = client.post(address(scene, scene.wide), {"action": "gold"}, follow=True)

    gold.refresh_from_db()
    assert (gold.value, gold.explanation) == (3, "Ann says so")
    assert "Nothing was changed" in page.content.decode()


def test_a_mean_between_two_grades_cannot_be_gold(client, scene):
    scene.list.rule = "mean"
    scene.list.save()
    refresh_consensus(judgment_list=scene.list)

    response = client.post(address(scene, scene.wide), {"action": "gold"}, follow=True)

    assert "lies between two grades" in response.content.decode()
    assert "1.5" in response.content.decode()
    assert not GoldPair.objects.exists()


def test_a_grade_on_a_continuous_scale_is_typed(client):
    scene = Scene(queries=1, documents=1, overlap=2, scale=make.preset("Continuous 0–1"))
    pair = scene.list.pairs.get()
    for value in (0.25, 0.75):
        scene.judge(scene.rater(), pair.pk, value=value)
    client.force_login(make.make_member(scene.query_set, "admin"))
    assert 'type="number" name="value"' in page(client, scene, pair)

    client.post(address(scene, pair), {"action": "decide", "value": "0.5", "cause": "difference"})

    assert Adjudication.objects.get().value == 0.5
    assert "0.5" in page(client, scene, pair)


def test_what_is_not_there_or_not_known_is_refused(client, scene):
    other = Scene(queries=1, documents=1)

    assert client.post(address(scene, scene.wide), {"action": "dance"}).status_code == 400
    assert client.get(address(scene, other.list.pairs.get())).status_code == 404
    assert client.get(reverse("disagreement", args=[scene.list.pk, 10**30])).status_code == 404


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
