"""Scales made by command, and who can open what an import made."""

import pytest

from judgments.models import Act, Membership, Scale
from tests import factories as make
from tests.judgments.management.importing import refused, run, write

pytestmark = pytest.mark.django_db


def make_scale(*grades, **options):
    more = [part for name, value in options.items() for part in (f"--{name}", value)]
    return ("add_scale", "Shop scale", "--query-set", "shop", *(f"--grade={one}" for one in grades), *more)


@pytest.fixture(autouse=True)
def query_set():
    return make.make_query_set(name="Shop")


def test_a_scale_is_made_and_an_import_uses_it(tmp_path, query_set):
    out, _ = run(*make_scale("3=Exact: brand, too:7", "0=Irrelevant", "1=Related:0.5", threshold="3"))
    run(
        *("import_judgments", write(tmp_path, "q1 0 d1 3\n"), "--query-set", "Shop", "--list", "A"),
        *("--scale", "shop scale", "--create", "--create-missing"),
    )

    assert out == (
        "Shop scale is a scale of Shop: 0 Irrelevant (key 0, gain 0), 1 Related (key 1, gain 0.5), "
        "3 Exact: brand, too (key 3, gain 7).\n"
    )
    scale = Scale.objects.get(query_set=query_set)
    assert (scale.threshold, scale.level, scale.minimum, scale.maximum) == (3, "ordinal", 0, 3)
    assert scale.judgment_lists.get().name == "A"
    assert Act.objects.filter(query_set=query_set, subject="scale Shop scale").exists()


@pytest.mark.parametrize("name", ["TREC 0–3", "My 0–3"])
def test_a_scale_of_exactly_the_name_is_taken_before_one_that_is_alike(tmp_path, query_set, name):
    for own in ("trec 0-3", "My 0-3", "My 0–3"):
        run("add_scale", own, "--query-set", "Shop", "--grade", "0=No", "--grade", "1=Yes")
    new = ("--list", "L", "--create", "--create-missing", "--scale", name)

    run("import_judgments", write(tmp_path, "q1 0 d1 1\n"), "--query-set", "Shop", *new)

    assert query_set.judgment_lists.get().scale.name == name


def test_grades_whose_values_are_no_digits_are_numbered():
    run(*make_scale("-1=Harmful:0", "0.5=Fair", "12=Best"))

    grades = Scale.objects.get(name="Shop scale").grades.order_by("value")
    assert list(grades.values_list("value", "key", "gain")) == [(-1, "1", 0), (0.5, "2", 0.5), (12, "3", 12)]


@pytest.mark.parametrize(
    ("grades", "sentence"),
    [
        (["0=No"], "A scale needs at least two grades."),
        (["0=No", "0=Yes"], "Every grade needs a value of its own."),
        (["0=No", "Yes"], "--grade Yes is not VALUE=LABEL or VALUE=LABEL:GAIN."),
        (["0=No", "x=Yes"], "x=Yes, value: Enter a number, such as 0.5."),
        (["0=No", "=Yes"], "=Yes, value: Fill this in."),
        (["0=No", "1="], "1=, label: Fill this in."),
        (["-1=No", "1=Yes"], "-1=No, gain: The value is negative, so enter a gain of at least 0."),
        (["0=No", "0.5=Maybe"], "No grade reaches this threshold: the top grade is 0.5."),
        ([f"{value}=Grade" for value in range(40)], "A scale has at most 28 grades."),
    ],
)
def test_a_scale_that_cannot_be_is_refused(grades, sentence, query_set):
    message, status, _ = refused(*make_scale(*grades))

    assert (message, status) == (sentence, 2)
    assert not Scale.objects.filter(query_set=query_set).exists()


def test_a_name_is_given_once():
    run(*make_scale("0=No", "1=Yes"))

    message, status, _ = refused(*make_scale("0=No", "1=Yes"))

    assert status == 2
    assert "Shop scale" in message


def test_an_import_makes_the_account_an_admin_of_the_query_set(tmp_path):
    make.make_user("ann")
    import_ = ("import_queries", write(tmp_path, "query\nboots\n"), "--query-set", "New", "--create")

    for _ in range(2):
        _, err = run(*import_, "--admin", "ann")
    message, status, _ = refused(*import_, "--admin", "nobody")

    assert err == ""
    assert Membership.objects.get(query_set__name="New").role == "admin"
    assert (message, status) == ("There is no active account named “nobody”.", 2)
