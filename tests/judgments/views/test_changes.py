"""Changing query sets, members, scales and lists through their pages."""

import pytest
from django.urls import reverse

from judgments.actions.imports import import_judgments
from judgments.actions.lists import ScaleFixedError, change_list
from judgments.actions.scales import GradeSpec, ScaleError, change_scale, create_scale
from judgments.formats.judgments import JudgmentRecord
from judgments.models import ConsensusGrade, JudgmentList, Membership, QuerySet, Role, Scale, Slot
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set():
    return make.make_query_set(name="Shop")


@pytest.fixture
def admin(client, query_set):
    user = make.make_member(query_set, Role.ADMIN, username="ada")
    client.force_login(user)
    return user


def judge(judgment_list, *values, at=make.NOW):
    """Every value by another rater, for one pair."""
    records = [
        JudgmentRecord(line, "q1", "d1", f"{value}", float(value), rater=f"rater {line}")
        for line, value in enumerate(values)
    ]
    import_judgments(
        judgment_list=judgment_list, records=records, rater_name=None, create_missing=True, at=at
    )


def test_who_makes_a_query_set_becomes_its_admin(client, query_set):
    engineer = make.make_member(query_set, Role.ENGINEER)
    client.force_login(engineer)

    response = client.post(reverse("query-set-new"), {"name": "Second", "description": "x"})

    made = QuerySet.objects.get(name="Second")
    assert response["Location"] == reverse("query-set", args=[made.pk])
    assert made.memberships.get().role == Role.ADMIN
    assert made.created_by == engineer


def test_a_name_that_is_taken_is_refused_whatever_its_case(client, admin):
    response = client.post(reverse("query-set-new"), {"name": "SHOP"})

    assert response.status_code == 422
    assert QuerySet.objects.count() == 1


def test_a_query_set_is_changed(client, admin, query_set):
    client.post(reverse("query-set-edit", args=[query_set.pk]), {"name": "Store", "show_images": "on"})

    query_set.refresh_from_db()
    assert (query_set.name, query_set.show_images) == ("Store", True)


def members(client, query_set, **data):
    return client.post(reverse("query-set-members", args=[query_set.pk]), data)


def test_an_account_becomes_member_by_its_user_name(client, admin, query_set):
    make.make_user("rita")

    assert members(client, query_set, action="add", username="rita", role="rater").status_code == 302
    assert query_set.memberships.get(user__username="rita").role == "rater"


@pytest.mark.parametrize(
    ("username", "sentence"),
    [("nobody", "There is no account with the user name"), ("ada", "ada is a member already")],
)
def test_unknown_accounts_and_members_are_not_added(client, admin, query_set, username, sentence):
    response = members(client, query_set, action="add", username=username, role="rater")

    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_roles_are_changed_and_members_removed(client, admin, query_set):
    rita = make.make_member(query_set, Role.RATER)
    membership = Membership.objects.get(user=rita)

    members(client, query_set, action="change", membership=membership.pk, role="engineer")
    membership.refresh_from_db()
    assert membership.role == "engineer"
    members(client, query_set, action="remove", membership=membership.pk)
    assert not Membership.objects.filter(user=rita).exists()


@pytest.mark.parametrize("data", [{"action": "remove"}, {"action": "change", "role": "rater"}])
def test_the_last_admin_stays(client, admin, query_set, data):
    membership = Membership.objects.get(user=admin)

    response = members(client, query_set, membership=membership.pk, **data)

    assert response.status_code == 422
    assert b"ada is the last admin of this query set" in response.content
    assert Membership.objects.get(user=admin).role == Role.ADMIN


def test_an_admin_who_leaves_is_led_home(client, admin, query_set):
    make.make_member(query_set, Role.ADMIN)

    response = members(client, query_set, action="remove", membership=Membership.objects.get(user=admin).pk)

    assert response["Location"] == reverse("home")


def test_odd_member_forms_change_nothing(client, admin, query_set):
    own = Membership.objects.get(user=admin).pk
    foreign = make.make_member(make.make_query_set(), Role.RATER).memberships.get().pk

    assert members(client, query_set, action="change", membership=own, role="king").status_code == 422
    assert members(client, query_set, action="change", membership=foreign, role="admin").status_code == 404
    assert members(client, query_set, action="remove", membership="x").status_code == 404


def test_engineers_see_members_and_cannot_change_them(client, query_set):
    make.make_member(query_set, Role.ADMIN)
    client.force_login(make.make_member(query_set, Role.ENGINEER))

    assert members(client, query_set, action="add", username="x", role="rater").status_code == 404


def scale_data(query_set, *rows, **more):
    data = {
        **{"query_set": query_set.pk, "name": "Mine", "level": "ordinal", "threshold": "1"},
        **{"grades-TOTAL_FORMS": len(rows), "grades-INITIAL_FORMS": 0},
    }
    for at, (value, label, key) in enumerate(rows):
        data |= {f"grades-{at}-value": value, f"grades-{at}-label": label, f"grades-{at}-key": key}
    return data | more


def test_a_scale_is_made_with_gains_from_its_values(client, admin, query_set):
    rows = [(0, "No", "0"), (1.5, "Some", "j"), ("", "", ""), (4, "Yes", "k")]

    response = client.post(reverse("scale-new"), scale_data(query_set, *rows, **{"grades-3-gain": "7"}))

    made = Scale.objects.get(name="Mine")
    assert response["Location"] == reverse("scale", args=[made.pk])
    assert list(made.grades.values_list("value", "gain", "key")) == [
        (0, 0, "0"),
        (1.5, 1.5, "j"),
        (4, 7, "k"),
    ]
    assert (made.minimum, made.maximum) == (0, 4)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([(0, "No", "0")], "at least two grades"),
        ([(0, "No", "0"), (0, "Yes", "1")], "a value of its own"),
        ([(0, "No", "0"), (1, "Yes", "0")], "a key of its own"),
        ([(0, "No", "0"), (1, "Yes", "u")], "One digit or one small letter"),
        ([(0, "No", "0"), (1, "", "1")], "This is needed."),
        ([(0, "No", "0"), (-1, "Harmful", "1")], "the value is negative"),
    ],
)
def test_scales_that_raters_could_not_use_are_refused(client, admin, query_set, rows, sentence):
    response = client.post(reverse("scale-new"), scale_data(query_set, *rows))

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert not Scale.objects.filter(name="Mine").exists()


def test_a_name_of_a_scale_is_used_once_per_query_set(client, admin, query_set):
    rows = [(0, "No", "0"), (1, "Yes", "1")]
    client.post(reverse("scale-new"), scale_data(query_set, *rows))

    response = client.post(reverse("scale-new"), scale_data(query_set, *rows))

    assert b"has a scale of this name already" in response.content


def test_add_a_level_keeps_the_input_and_gives_another_row(client, admin, query_set):
    data = scale_data(query_set, (0, "No", "0"), (1, "", ""), name="", add="level")

    page = client.post(reverse("scale-new"), data)

    assert page.status_code == 200
    assert b'name="grades-2-value"' in page.content
    assert b'value="No"' in page.content
    assert b"This is needed" not in page.content
    assert b"errorlist" not in page.content


@pytest.fixture
def own_scale(query_set):
    return create_scale(
        query_set=query_set,
        name="Mine",
        description="",
        level="ordinal",
        threshold=1,
        grades=[GradeSpec(0, "No", "0"), GradeSpec(1, "Yes", "1")],
    )


def test_a_scale_that_is_not_in_use_may_be_revalued(client, admin, query_set, own_scale):
    data = scale_data(query_set, (0, "No", "0"), (1, "Some", "1"), (2, "Yes", "2"))

    client.post(reverse("scale-edit", args=[own_scale.pk]), data | {"grades-INITIAL_FORMS": 2})

    assert list(own_scale.grades.values_list("value", flat=True)) == [0, 1, 2]


def test_a_scale_in_use_is_relabelled_and_not_revalued(client, admin, query_set, own_scale):
    judge(make.make_list(query_set, scale=own_scale), 1)
    data = scale_data(query_set, (5, "Never", "1"), (6, "Always", "0")) | {"grades-INITIAL_FORMS": 2}

    page = client.get(reverse("scale-edit", args=[own_scale.pk])).content
    client.post(reverse("scale-edit", args=[own_scale.pk]), data)

    assert b"In use." in page
    assert list(own_scale.grades.values_list("value", "label", "key")) == [
        (0, "Never", "1"),
        (1, "Always", "0"),
    ]


def test_the_action_refuses_to_revalue_a_scale_in_use(query_set, own_scale):
    judge(make.make_list(query_set, scale=own_scale), 1)

    with pytest.raises(ScaleError, match="relabelled, not revalued"):
        change_scale(
            scale=own_scale,
            name="Mine",
            description="",
            level="ordinal",
            threshold=1,
            grades=[GradeSpec(0, "No", "0"), GradeSpec(2, "Yes", "1")],
        )


def test_presets_cannot_be_changed(client, admin):
    assert client.get(reverse("scale-edit", args=[make.preset().pk])).status_code == 404


def list_data(**more):
    defaults = {"name": "First pass", "overlap": 2, "rule": "median", "tie": "lower", "guidelines": "Be fair"}
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

    assert b"has a list of this name already" in response.content


def test_new_settings_reach_guidelines_slots_and_grades(client, admin, query_set):
    judgment_list = make.make_list(query_set, overlap=3, rule="median", tie="lower", guidelines="Be fair")
    judge(judgment_list, 1, 2)
    assert ConsensusGrade.objects.get().value == 1

    client.post(
        reverse("list-edit", args=[judgment_list.pk]),
        list_data(overlap=5, tie="higher", guidelines="Be stern"),
    )

    judgment_list.refresh_from_db()
    assert judgment_list.guidelines_version == 2
    assert Slot.objects.filter(state="open").count() == 3
    assert ConsensusGrade.objects.get().value == 2


def test_guidelines_that_stay_keep_their_version(client, admin, query_set):
    judgment_list = make.make_list(query_set, guidelines="Be fair")

    client.post(reverse("list-edit", args=[judgment_list.pk]), list_data(name="Renamed"))

    judgment_list.refresh_from_db()
    assert (judgment_list.name, judgment_list.guidelines_version) == ("Renamed", 1)


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


def test_a_member_becomes_admin(client, admin, query_set):
    membership = make.make_member(query_set, Role.RATER).memberships.get()

    members(client, query_set, action="change", membership=membership.pk, role="admin")

    membership.refresh_from_db()
    assert membership.role == Role.ADMIN


@pytest.mark.parametrize(
    ("grades", "sentence"),
    [
        ([GradeSpec(0, "No", "0")], "at least two grades"),
        ([GradeSpec(0, "No", "0"), GradeSpec(0, "Yes", "1")], "a value of its own"),
        ([GradeSpec(0, "No", "0"), GradeSpec(1, "Yes", "0")], "a key of its own"),
    ],
)
def test_the_action_refuses_scales_that_raters_could_not_use(query_set, grades, sentence):
    with pytest.raises(ScaleError, match=sentence):
        create_scale(
            query_set=query_set, name="x", description="", level="ordinal", threshold=1, grades=grades
        )


def test_a_level_is_added_to_a_scale_that_exists(client, admin, query_set, own_scale):
    data = scale_data(query_set, (0, "No", "0"), (1, "Yes", "1"), add="level")

    page = client.post(reverse("scale-edit", args=[own_scale.pk]), data | {"grades-INITIAL_FORMS": 2})

    assert b'name="grades-2-value"' in page.content
    assert own_scale.grades.count() == 2


def test_relabelling_may_keep_a_key(client, admin, query_set, own_scale):
    judge(make.make_list(query_set, scale=own_scale), 1)
    data = scale_data(query_set, (0, "Never", "0"), (1, "Always", "k")) | {"grades-INITIAL_FORMS": 2}

    client.post(reverse("scale-edit", args=[own_scale.pk]), data)

    assert list(own_scale.grades.values_list("label", "key")) == [("Never", "0"), ("Always", "k")]


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
