"""Making and changing scales through their pages."""

import pytest
from django.urls import reverse

from judgments.lists.actions.scales import GradeSpec, ScaleError, change_scale, create_scale
from judgments.lists.actions.versions import freeze_version
from judgments.models import Scale
from tests import factories as make
from tests.judgments.files.views.shop import judge

pytestmark = pytest.mark.django_db


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


def test_a_key_that_is_left_empty_is_the_digit_of_the_value(client, admin, query_set):
    client.post(reverse("scale-new"), scale_data(query_set, (0, "No", ""), (1, "Some", "j"), (2, "Yes", "")))

    keys = Scale.objects.get(name="Mine").grades.values_list("value", "key")
    assert list(keys) == [(0, "0"), (1, "j"), (2, "2")]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([(0, "No", ""), (10, "Yes", "")], "Fill this in."),
        ([(0, "No", ""), (0.5, "Yes", "")], "Fill this in."),
        ([(0, "No", "1"), (1, "Yes", "")], "a key of its own"),
        ([(0, "No", "0")], "at least two grades"),
        ([(0, "No", "0"), (0, "Yes", "1")], "a value of its own"),
        ([(0, "No", "0"), (1, "Yes", "0")], "a key of its own"),
        ([(0, "No", "0"), (1, "Yes", "u")], "Use one digit, or one lowercase letter other than c, f"),
        ([(0, "No", "0"), (1, "", "1")], "Fill this in."),
        ([(0, "No", "0"), (-1, "Harmful", "1")], "The value is negative"),
        (
            [(0, "No", "0"), (1e300, "Yes", "1")],
            "Enter 0, or a number from 0.000000001 to 1,000,000,000,000.",
        ),
        ([(0, "No", "0"), (1e-300, "Yes", "1")], "Enter 0, or a number from 0.000000001 to"),
    ],
)
def test_scales_that_raters_could_not_use_are_refused(client, admin, query_set, rows, sentence):
    response = client.post(reverse("scale-new"), scale_data(query_set, *rows))

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert not Scale.objects.filter(name="Mine").exists()


def test_a_threshold_that_no_grade_reaches_is_refused_at_its_field(client, admin, query_set, own_scale):
    rows = [(0, "No", "0"), (1, "Yes", "1")]
    data = scale_data(query_set, *rows, name="Other", threshold="5")

    for url in (reverse("scale-new"), reverse("scale-edit", args=[own_scale.pk])):
        response = client.post(url, data)

        assert response.status_code == 422
        assert response.context["form"].errors == {
            "threshold": ["No grade reaches this threshold: the top grade is 1."]
        }
    assert not Scale.objects.filter(threshold=5).exists()


@pytest.mark.parametrize("name", ["Mine", "mINE"])
def test_a_name_of_a_scale_is_used_once_per_query_set(client, admin, query_set, name):
    rows = [(0, "No", "0"), (1, "Yes", "1")]
    client.post(reverse("scale-new"), scale_data(query_set, *rows))

    response = client.post(reverse("scale-new"), scale_data(query_set, *rows, name=name))

    assert b"already has a scale of this name" in response.content


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


def refuse_other_values(own_scale):
    grades = [GradeSpec(0, "No", "0"), GradeSpec(2, "Yes", "1")]
    with pytest.raises(ScaleError, match="you can change labels, but not values"):
        change_scale(
            scale=own_scale, name="Mine", description="", level="ordinal", threshold=1, grades=grades
        )


def test_the_action_refuses_to_revalue_a_scale_in_use(query_set, own_scale):
    judge(make.make_list(query_set, scale=own_scale), 1)

    refuse_other_values(own_scale)


def test_a_scale_of_a_version_without_judgments_is_in_use_too(query_set, own_scale):
    judgment_list = make.make_list(query_set, scale=own_scale)
    pair = make.make_pair(judgment_list, make.make_query(query_set), make.make_document(query_set))
    make.make_consensus(pair, 1)
    freeze_version(judgment_list=judgment_list)

    refuse_other_values(own_scale)


def test_presets_cannot_be_changed(client, admin):
    assert client.get(reverse("scale-edit", args=[make.preset().pk])).status_code == 404


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


def test_the_form_of_a_scale_shows_every_digit_so_that_saving_it_changes_nothing(client, admin, query_set):
    scale = create_scale(
        query_set=query_set,
        name="Fine",
        description="",
        level="ordinal",
        threshold=0.12345678,
        grades=[GradeSpec(0, "No", "0"), GradeSpec(1.23456789, "Yes", "1", gain=2.3456789)],
    )

    html = client.get(reverse("scale-edit", args=[scale.pk])).content.decode()

    for written in ("0.12345678", "1.23456789", "2.3456789"):
        assert f'value="{written}"' in html
