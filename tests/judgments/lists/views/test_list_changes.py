"""Making and changing judgment lists through their pages."""

import pytest
from django.urls import reverse

from judgments.lists.actions.lists import ScaleFixedError, change_list
from judgments.lists.actions.scales import GradeSpec, create_scale
from judgments.models import ConsensusGrade, JudgmentList, Slot
from tests import factories as make
from tests.judgments.files.views.shop import judge

pytestmark = pytest.mark.django_db


HOW = {
    "assignment": "open",
    "view": "document",
    "evidence": "off",
    "gold_rate": 0,
    "onboarding": 0,
    "repeat_rate": 0,
}


def list_data(**more):
    defaults = HOW | {
        "name": "First pass",
        "overlap": 2,
        "rule": "median",
        "tie": "lower",
        "guidelines": "Be fair",
    }
    return {"scale": make.preset().pk} | defaults | more


def test_a_list_is_made(client, admin, query_set):
    response = client.post(reverse("list-new", args=[query_set.pk]), list_data())

    made = JudgmentList.objects.get()
    assert response["Location"] == reverse("list", args=[made.pk])
    assert (made.name, made.overlap, made.created_by) == ("First pass", 2, admin)


@pytest.mark.parametrize("bad", [{"overlap": 0}, {"overlap": 31}, {"name": ""}, {"rule": "x"}])
def test_settings_that_make_no_sense_are_refused(client, admin, query_set, bad):
    assert client.post(reverse("list-new", args=[query_set.pk]), list_data(**bad)).status_code == 422
    assert not JudgmentList.objects.exists()


def test_a_scale_of_another_query_set_cannot_be_taken(client, admin, query_set):
    foreign = create_scale(
        query_set=make.make_query_set(),
        name="Theirs",
        description="",
        level="ordinal",
        threshold=1,
        grades=[GradeSpec(0, "No", "0"), GradeSpec(1, "Yes", "1")],
    )

    response = client.post(reverse("list-new", args=[query_set.pk]), list_data(scale=foreign.pk))

    assert response.status_code == 422


def test_a_name_of_a_list_is_used_once_per_query_set(client, admin, query_set):
    make.make_list(query_set, name="FIRST PASS")

    response = client.post(reverse("list-new", args=[query_set.pk]), list_data())

    assert b"already has a list of this name" in response.content


def test_new_settings_reach_guidelines_and_slots_but_not_the_rule_of_a_judged_list(client, admin, query_set):
    judgment_list = make.make_list(query_set, overlap=3, rule="median", tie="lower", guidelines="Be fair")
    judge(judgment_list, 1, 2)
    assert ConsensusGrade.objects.get().value == 1

    client.post(
        reverse("list-edit", args=[judgment_list.pk]),
        list_data(overlap=5, tie="higher", guidelines="Be stern", confirmed="5--"),
    )

    judgment_list.refresh_from_db()
    assert judgment_list.guidelines_version == 2
    assert Slot.objects.filter(state="open").count() == 3
    assert ConsensusGrade.objects.get().value == 1


def test_another_name_alone_moves_no_slot_and_no_grade(client, admin, query_set):
    judgment_list = make.make_list(query_set, overlap=2, guidelines="Be fair")
    judge(judgment_list, 1)
    before = list(Slot.objects.order_by("pk").values()), ConsensusGrade.objects.get().value

    client.post(reverse("list-edit", args=[judgment_list.pk]), list_data(name="Other"))

    assert JudgmentList.objects.get().name == "Other"
    assert (list(Slot.objects.order_by("pk").values()), ConsensusGrade.objects.get().value) == before


def test_guidelines_that_stay_keep_their_version(client, admin, query_set):
    judgment_list = make.make_list(query_set, guidelines="Be fair")

    client.post(reverse("list-edit", args=[judgment_list.pk]), list_data(name="Renamed"))

    judgment_list.refresh_from_db()
    assert (judgment_list.name, judgment_list.guidelines_version) == ("Renamed", 1)


@pytest.mark.parametrize("stored", ["Be fair\n\nBe quick\n", "Be fair\r\n\r\nBe quick"])
def test_guidelines_keep_their_version_whatever_their_line_ends(client, admin, query_set, stored):
    judgment_list = make.make_list(query_set, guidelines=stored)

    client.post(
        reverse("list-edit", args=[judgment_list.pk]), list_data(guidelines="Be fair\r\n\r\nBe quick\r\n")
    )

    judgment_list.refresh_from_db()
    assert (judgment_list.guidelines, judgment_list.guidelines_version) == ("Be fair\n\nBe quick", 1)


def test_a_form_that_is_out_of_date_shows_no_texts_that_differ_in_line_ends_only(client, admin, query_set):
    texts = {"description": "For\nall", "guidelines": "Be fair\n\nBe quick"}
    judgment_list = make.make_list(query_set, **texts)
    address = reverse("list-edit", args=[judgment_list.pk])
    seen = client.get(address).context["seen"]
    JudgmentList.objects.update(name="Of another admin")

    answer = client.post(
        address, list_data(seen=seen, **{name: text.replace("\n", "\r\n") for name, text in texts.items()})
    )

    assert answer.status_code == 422
    labels = {difference.label for difference in answer.context["both"]}
    assert {"Name", "Raters per pair"} <= labels
    assert not {"Description", "Guidelines"} & labels


def test_the_scale_of_a_judged_list_is_fixed(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    judge(judgment_list, 1)

    client.post(reverse("list-edit", args=[judgment_list.pk]), list_data(scale=make.preset("Binary").pk))
    judgment_list.refresh_from_db()
    assert judgment_list.scale == make.preset()

    with pytest.raises(ScaleFixedError):
        change_list(
            judgment_list=judgment_list,
            name="x",
            description="",
            guidelines="",
            scale=make.preset("Binary"),
            overlap=1,
            rule="median",
            tie="lower",
        )


def test_a_list_is_paused_and_goes_on(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = reverse("list-pause", args=[judgment_list.pk])

    client.post(url)
    judgment_list.refresh_from_db()
    assert judgment_list.paused
    assert b"state-paused" in client.get(reverse("list", args=[judgment_list.pk])).content
    client.post(url, {"paused": "no"})
    judgment_list.refresh_from_db()
    assert not judgment_list.paused
    assert client.get(url).status_code == 405


def test_settings_that_are_refused_leave_the_name_above_the_form(client, admin, query_set):
    judgment_list = make.make_list(query_set, name="First")

    page = client.post(reverse("list-edit", args=[judgment_list.pk]), list_data(name="New", overlap=99))

    assert page.status_code == 422
    assert b"<h1>First</h1>" in page.content


@pytest.mark.parametrize(
    ("rule", "tie", "words"),
    [
        ("mean", "lower", "The grade of a pair is the mean of its judgments."),
        ("majority", "adjudicate", "most raters gave; between two grades, none until an admin decides."),
    ],
)
def test_the_rule_is_said_in_words(client, admin, query_set, rule, tie, words):
    judgment_list = make.make_list(query_set, rule=rule, tie=tie)

    assert words in client.get(reverse("list", args=[judgment_list.pk])).content.decode()
