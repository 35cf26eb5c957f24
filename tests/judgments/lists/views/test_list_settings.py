"""How raters judge a list: the settings' page, what it says before it saves, and pausing."""

import pytest
from django.urls import reverse

from judgments.lists.actions.lists import (
    CONDUCT,
    SETTINGS,
    Conduct,
    change_list,
    create_list,
    set_assignment,
)
from judgments.lists.api.lists import ListSettings
from judgments.lists.forms.lists import GROUPS, ListForm
from judgments.models import Act, AssignmentMode, ConsensusGrade, JudgmentList, Level, Scale, Slot
from tests import factories as make
from tests.api import Api
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.lists.views.test_list_changes import list_data

pytestmark = pytest.mark.django_db

EVERYTHING = {
    "assignment": "named",
    "view": "choice",
    "evidence": "required",
    "confidence": "on",
    "gold_rate": 5,
    "onboarding": 10,
    "repeat_rate": 3,
}


@pytest.fixture
def scene(client):
    scene = Scene(queries=1, documents=4, overlap=2)
    client.force_login(make.make_member(scene.query_set, "admin", username="ada"))
    return scene


def address(judgment_list, name="list-edit"):
    return reverse(name, args=[judgment_list.pk])


def data_of(scene, **more):
    scene.list.refresh_from_db()
    return list_data(name=scene.list.name, overlap=scene.list.overlap, **more)


def test_how_raters_judge_is_set_by_page(client, scene):
    response = client.post(address(scene.list), data_of(scene, **EVERYTHING, evidence_grades=["3.0", "2.0"]))

    assert response.status_code == 302
    scene.list.refresh_from_db()
    assert (scene.list.assignment, scene.list.view, scene.list.evidence) == ("named", "choice", "required")
    assert scene.list.evidence_grades == [2, 3]
    assert (scene.list.confidence, scene.list.gold_rate, scene.list.onboarding) == (True, 5, 10)
    assert scene.list.repeat_rate == 3
    assert Act.objects.latest("pk").after["repeat_rate"] == 3


def test_every_setting_has_its_places():
    """What the form lacks can’t be set, and what `EVERYTHING` lacks isn’t tested."""
    on_form = {name for _, _, names in GROUPS for name in names}
    by_program = {*ListSettings.model_fields, "name", "scale", "rule", "tie"}

    assert on_form == {*SETTINGS} - {"guidelines_version"}, "SETTINGS in actions, GROUPS in forms"
    assert by_program == on_form, "ListSettings in the API, GROUPS in forms"
    assert {*EVERYTHING, "evidence_grades"} == {*CONDUCT}, "EVERYTHING in this file, Conduct in actions"


def test_a_new_list_can_be_made_with_all_of_it(client, admin, query_set):
    data = list_data(adaptive_step=1, overlap_most=4, **EVERYTHING)

    assert client.post(reverse("list-new", args=[query_set.pk]), data).status_code == 302

    made = JudgmentList.objects.get()
    assert (made.overlap, made.adaptive_step, made.overlap_most) == (2, 1, 4)
    assert (made.view, made.gold_rate) == ("choice", 5)


def test_the_page_shows_what_is_set(client, scene):
    client.post(address(scene.list), data_of(scene, **EVERYTHING, evidence_grades=["3.0"]))

    html = client.get(address(scene.list)).content.decode()

    assert 'value="3.0" id="id_evidence_grades_3" checked' in html or 'value="3.0" checked' in html
    assert html[html.index("<main") : html.index("</main>")].count("<h2") == 8


def test_a_rule_that_another_page_changes_is_a_sentence_with_a_link(client, scene):
    fresh = client.get(address(scene.list)).content.decode()
    make.make_judgment(scene.list.pairs.first(), make.make_rater(scene.query_set), value=1)

    judged = client.get(address(scene.list)).content.decode()

    assert 'name="rule"' in fresh
    assert 'name="rule"' not in judged
    assert 'name="tie"' not in judged
    assert "The grade of a pair is the median of its judgments" in judged
    assert f'href="{reverse("list-rule", args=[scene.list.pk])}"' in judged


def test_an_admin_starts_the_first_list_where_the_page_says_that_there_is_none(client):
    query_set = make.make_query_set()
    client.force_login(make.make_member(query_set, "admin"))

    for page in ("query-set-lists", "comparisons"):
        empty = (
            client.get(reverse(page, args=[query_set.pk]))
            .content.decode()
            .split('<section class="empty">')[1]
        )
        assert f'href="{reverse("list-new", args=[query_set.pk])}"' in empty, page


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"adaptive_step": 1}, "Enter more than 2 and at most 30 raters."),
        ({"adaptive_step": 1, "overlap_most": 2}, "Enter more than 2 and at most 30 raters."),
        ({"adaptive_step": 1, "overlap_most": 31}, "Enter more than 2 and at most 30 raters."),
        ({"adaptive_step": 0, "overlap_most": 3}, "The difference must be more than 0."),
        ({"adaptive_step": 3.5, "overlap_most": 3}, "differ by 3 at most. Enter no more than that."),
        ({"overlap_most": 3}, "Enter by how much grades must differ, or leave both fields empty."),
        ({"gold_rate": 51}, "The gold share must be between 0 and 50."),
        ({"onboarding": 101}, "The practice pairs must be between 0 and 100."),
        ({"repeat_rate": 21}, "The repeats must be between 0 and 20."),
        ({"view": "x"}, "isn’t one of the choices"),
        ({"evidence_grades": ["7.0"]}, "isn’t one of the choices"),
    ],
)
def test_what_makes_no_sense_is_refused_beside_its_field(client, scene, bad, words):
    before = JudgmentList.objects.values().get()

    response = client.post(address(scene.list), data_of(scene) | bad)

    assert response.status_code == 422
    assert words in response.content.decode()
    assert "Constraint" not in response.content.decode()
    assert JudgmentList.objects.values().get() == before


def test_the_largest_difference_of_a_scale_is_taken(client, scene):
    """Its grades are 0 to 3. Of a nominal scale any two differ, whatever the number."""
    asked = data_of(scene, adaptive_step=3, overlap_most=4)
    assert client.post(address(scene.list), asked).status_code == 302
    Scale.objects.update(level=Level.NOMINAL)

    assert client.post(address(scene.list), asked | {"adaptive_step": 4}).status_code == 302


def test_a_larger_difference_that_was_saved_before_stands_in_the_way_of_nothing(client, scene):
    JudgmentList.objects.update(adaptive_step=5, overlap_most=4)

    asked = data_of(scene, adaptive_step=5, overlap_most=4, description="New")

    assert client.post(address(scene.list), asked).status_code == 302


def test_raising_says_how_many_judgments_more_before_it_saves(client, scene):
    asked = data_of(scene) | {"overlap": 3}

    page = client.post(address(scene.list), asked)

    assert page.status_code == 200
    assert "4 more judgments are required." in page.content.decode()
    assert Slot.objects.count() == 8
    client.post(address(scene.list), asked | {"confirmed": "3--"})
    assert Slot.objects.count() == 12


def test_lowering_says_what_goes_at_once_and_what_raters_hold(client, scene):
    from django.utils import timezone

    rater, other = scene.rater(), scene.rater()
    now = timezone.now()
    held = scene.claim(rater, at=now)
    scene.claim(other, at=now)
    scene.judge(rater, held[0], at=now)
    asked = data_of(scene) | {"overlap": 1}

    html = client.post(address(scene.list), asked).content.decode()

    assert "4 that raters hold right now stay with them" in html
    assert "no longer required" not in html
    client.post(address(scene.list), asked | {"confirmed": "1--"})
    assert Slot.objects.filter(surplus=True).count() == 4


def test_lowering_what_nobody_holds_takes_it_back_at_once(client, scene):
    html = client.post(address(scene.list), data_of(scene) | {"overlap": 1}).content.decode()

    assert "4 judgments are no longer required. No rater holds them." in " ".join(html.split())


def test_another_number_than_was_confirmed_is_asked_again(client, scene):
    response = client.post(address(scene.list), data_of(scene) | {"overlap": 4, "confirmed": "3--"})

    assert response.status_code == 200
    assert "8 more judgments" in response.content.decode()
    assert JudgmentList.objects.get().overlap == 2


def test_what_another_admin_changed_is_said_before_what_the_change_would_do(client, scene):
    seen = client.get(address(scene.list)).context["seen"]
    JudgmentList.objects.update(gold_rate=7)

    response = client.post(address(scene.list), data_of(scene) | {"overlap": 4, "seen": seen})

    assert (response.status_code, response.context["effect"]) == (422, None)
    assert "Gold share (%)" in {difference.label for difference in response.context["both"]}


def test_a_rule_that_asks_nobody_more_for_now_is_saved_at_once(client, scene):
    asked = data_of(scene) | {"adaptive_step": 1, "overlap_most": 4}

    assert client.post(address(scene.list), asked).status_code == 302
    assert JudgmentList.objects.get().overlap_most == 4
    assert client.post(address(scene.list), data_of(scene)).status_code == 302
    assert JudgmentList.objects.get().adaptive_step is None


def test_a_rule_for_further_raters_counts_those_of_answers_given_before(client, scene):
    first, second = scene.rater(), scene.rater()
    pair = scene.claim(first)[0]
    scene.judge(first, pair, 0.0)
    scene.judge(second, pair, 3.0)
    asked = data_of(scene) | {"adaptive_step": 2, "overlap_most": 3}

    html = client.post(address(scene.list), asked).content.decode()

    assert "1 more judgment is required." in html


def test_evidence_is_never_required_for_grades_that_the_scale_lacks():
    query_set = make.make_query_set()
    conduct = Conduct(evidence="required", evidence_grades=(1.0, 7.0))

    made = create_list(
        query_set=query_set,
        user=make.make_user(),
        name="x",
        description="",
        scale=make.preset(),
        conduct=conduct,
    )

    assert made.evidence_grades == [1.0]


def test_a_change_that_does_not_speak_of_how_raters_judge_leaves_it():
    judgment_list = make.make_list(
        make.make_query_set(), view="list", gold_rate=5, adaptive_step=1.0, overlap_most=3
    )

    change_list(
        judgment_list=judgment_list,
        name="Renamed",
        description="",
        guidelines="",
        scale=judgment_list.scale,
        overlap=1,
        rule="median",
        tie="lower",
    )

    judgment_list.refresh_from_db()
    assert (judgment_list.name, judgment_list.view, judgment_list.gold_rate) == ("Renamed", "list", 5)
    assert (judgment_list.adaptive_step, judgment_list.overlap_most) == (1.0, 3)


def test_another_rule_makes_the_grades_anew(scene):
    rater, other = scene.rater(), scene.rater()
    pair = scene.claim(rater)[0]
    for who, value in ((rater, 0.0), (other, 3.0)):
        scene.judge(who, pair, value)
    grade = ConsensusGrade.objects.get(pair=pair)
    assert grade.value == 0.0

    change_list(
        judgment_list=scene.list,
        name="Renamed",
        description="",
        guidelines="",
        scale=scene.list.scale,
        overlap=scene.list.overlap,
        rule="median",
        tie="higher",
    )

    grade.refresh_from_db()
    assert grade.value == 3.0


def test_a_name_that_somebody_took_a_moment_ago_is_refused(client, scene, monkeypatch):
    make.make_list(scene.query_set, name="Taken")
    monkeypatch.setattr(ListForm, "clean_name", lambda form: form.cleaned_data["name"])
    monkeypatch.setattr(JudgmentList, "validate_constraints", lambda row, exclude=None: None)

    response = client.post(address(scene.list), data_of(scene) | {"name": "Taken"})

    assert response.status_code == 422
    assert "“Taken” is taken already" in response.content.decode()


def test_assignment_is_set_alone():
    judgment_list = make.make_list(make.make_query_set())

    set_assignment(judgment_list=judgment_list, mode=AssignmentMode.NAMED)

    assert JudgmentList.objects.get().assignment == "named"


def test_on_a_scale_without_levels_no_grade_can_be_named_for_evidence(client, admin, query_set):
    scale = query_set.scales.create(name="0–1", level=Level.INTERVAL, continuous=True, maximum=1, step=0.1)
    judgment_list = make.make_list(query_set, scale=scale)

    assert "Grades that need evidence" not in client.get(address(judgment_list)).content.decode()


def test_a_pause_tells_who_when_and_why(client, scene):
    client.post(address(scene.list, "list-pause"), {"paused": "yes", "note": "New guidelines on Monday."})

    html = client.get(address(scene.list, "list")).content.decode()
    assert "Paused by ada" in html
    assert "New guidelines on Monday." in html
    client.post(address(scene.list, "list-pause"), {"paused": "no"})
    assert "New guidelines on Monday." not in client.get(address(scene.list, "list")).content.decode()


def test_a_note_that_is_too_long_pauses_nothing(client, scene):
    response = client.post(address(scene.list, "list-pause"), {"note": "x" * 301}, follow=True)

    assert "Not paused. The note is too long. Use at most 300 characters." in response.content.decode()
    assert not JudgmentList.objects.get().paused


def test_grades_that_need_evidence_are_those_of_the_scale_that_is_sent_with_them(query_set):
    """The list has grades 0 to 3 before, and 0 to 4 afterwards."""
    judgment_list = make.make_list(query_set)
    api, path = Api(make.make_member(query_set, "admin")), f"lists/{judgment_list.pk}"
    five, binary = (make.preset(name).pk for name in ("Five grades 0–4", "Binary"))

    refused = api.patch(path, {"scale": binary, "evidence_grades": [3.0]})
    changed = api.patch(path, {"scale": five, "evidence": "required", "evidence_grades": [4.0]})
    back = api.patch(path, {"scale": judgment_list.scale_id})

    assert [one["field"] for one in refused.json()["errors"]] == ["evidence_grades"]
    assert changed.json()["evidence_grades"] == [4.0]
    assert back.json()["evidence_grades"] == [], "this scale has no 4"
