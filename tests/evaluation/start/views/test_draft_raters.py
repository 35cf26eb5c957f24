"""Raters of a new evaluation: names that differ only in case, and pairs that two files have judged."""

import pytest
from django.db.models import Count

from judgments.models import Judgment, Rater, User
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import address_of, drop, press, signed_in
from tests.html import html_of

pytestmark = pytest.mark.django_db
QUERIES = "query_id,query\nq1,red\nq2,boots\n"
ONE = "query,document,rater,grade\nq1,d1,ann,1\nq1,d2,Ann,0\nq2,d1,ann,1\n"


@pytest.mark.parametrize("good_lines", [None, "on"])
def test_names_that_differ_only_in_case_wait_for_an_answer(client, good_lines):
    draft = drop(signed_in(client), {"queries.csv": QUERIES, "judgments.csv": ONE})
    page = html_of(client.get(address_of(draft)))

    refused = press(client, draft, good_lines=good_lines)

    assert "Choose whether “Ann” is “ann” or another rater." in page
    assert 'name="rater-as"' in page
    assert refused.status_code == 422
    assert not Rater.objects.exists()


@pytest.mark.parametrize(
    ("answer", "raters"), [("same:ann", ["ann", "ann", "ann"]), ("external", ["Ann", "ann", "ann"])]
)
def test_the_answer_says_whose_the_judgments_are(client, answer, raters):
    draft = drop(signed_in(client), {"queries.csv": QUERIES, "judgments.csv": ONE})

    press(client, draft, "preview", **{"rater-name": "Ann", "rater-as": answer})
    page = client.get(address_of(draft))
    made = press(client, draft, **{"rater-name": "Ann", "rater-as": answer})

    assert not page.context["reading"].obstacle
    assert f'value="{answer}" selected' in html_of(page)
    assert made.status_code == 302
    assert sorted(Judgment.objects.values_list("rater__name", flat=True)) == raters


def test_a_machine_is_no_answer_because_its_grades_would_not_count(client):
    draft = drop(signed_in(client), {"queries.csv": QUERIES, "judgments.csv": ONE})

    refused = press(client, draft, **{"rater-name": "Ann", "rater-as": "machine"})

    assert refused.status_code == 422
    assert "a machine" not in html_of(client.get(address_of(draft)))


@pytest.mark.parametrize("answer", ["same:bob", "external"])
def test_names_of_two_files_and_of_the_account_are_compared(client, answer):
    signed_in(client)
    user = client.get("/").wsgi_request.user
    shout = user.username.upper()
    head = "query,document,rater,grade\n"
    first, second = f"{head}q1,d1,{shout},1\nq1,d1,BOB,1\n", f"{head}q1,d2,bob,1\nq1,d3,bob,1\n"
    draft = drop(client, {"queries.csv": QUERIES, "one.csv": first, "two.csv": second})

    asked = client.get(address_of(draft)).context["reading"].raters
    made = press(
        client, draft, **{"rater-name": ["BOB", shout], "rater-as": [answer, f"same:{user.username}"]}
    )

    assert {one.name: one.alike for one in asked} == {"BOB": "bob", shout: user.username}
    assert made.status_code == 302
    assert set(Rater.objects.values_list("name", flat=True)) == (
        {"bob", user.username} if answer == "same:bob" else {"BOB", "bob", user.username}
    )


def test_the_email_of_the_account_means_the_account(client):
    signed_in(client)
    user = client.get("/").wsgi_request.user
    User.objects.filter(pk=user.pk).update(email="kim@example.org")
    contents = "query,document,rater,grade\nq1,d1,Kim@Example.org,1\nq2,d2,lee@example.org,0\n"
    draft = drop(client, {"queries.csv": QUERIES, "judgments.csv": contents})

    made = press(client, draft)

    assert made.status_code == 302
    assert set(Rater.objects.values_list("user", "name")) == {
        (user.pk, user.username),
        (None, "lee@example.org"),
    }


def test_an_answer_stays_when_the_page_shows_other_names(client):
    contents = f"{ONE}q1,d1,BOB,1\nq2,d3,bob,1\nq2,d4,bob,1\n"
    draft = drop(signed_in(client), {"queries.csv": QUERIES, "judgments.csv": contents})

    press(client, draft, "preview", **{"rater-name": "Ann", "rater-as": "same:ann"})
    press(client, draft, "preview", **{"rater-name": "BOB", "rater-as": "external"})

    asked = client.get(address_of(draft)).context["reading"].raters
    assert {one.name: one.decision for one in asked} == {"Ann": "same:ann", "BOB": "external"}
    press(client, draft, "preview", **{"rater-name": "Ann", "rater-as": ""})
    assert [one.name for one in client.get(address_of(draft)).context["reading"].raters] == ["Ann", "BOB"]


def test_judgments_that_contradict_each_other_under_one_name_are_shown_before(client):
    contents = "query,document,rater,grade\nq1,d1,ann,1\nq1,d1,Ann,0\n"
    draft = drop(signed_in(client), {"queries.csv": QUERIES, "judgments.csv": contents})

    press(client, draft, "preview", **{"rater-name": "Ann", "rater-as": "same:ann"})

    assert client.get(address_of(draft)).context["reading"].problem_count == 1


def test_another_grade_than_an_earlier_file_is_told_by_its_number(client):
    earlier = "query,document,grade\nq1,d1,3.0\nq1,d2,1\nq2,d1,0.0\nq2,d3,\n"
    later = "q1 0 d1 3\nq1 0 d2 0\nq2 0 d1 0\nq2 0 d4 2\n"
    draft = drop(signed_in(client), {"queries.csv": QUERIES, "one.csv": earlier, "two.txt": later})

    page = text_of(client.get(address_of(draft)))
    press(client, draft)

    assert (
        "3 judgments of pairs that an earlier file has, 1 with another grade (q1 / d2: 1 and 0): "
        "they count as another rater’s, and the list takes the median."
    ) in page
    assert Judgment.objects.values("pair").annotate(raters=Count("rater")).filter(raters=2).count() == 3


@pytest.mark.parametrize("grade", ["E", "1.0"])
def test_the_same_grade_of_another_file_is_told_without_a_difference(client, grade):
    earlier = "query,document,grade\nq1,d1,1\n"
    later = f"query,document,grade\nq1,d1,{grade}\n"
    draft = drop(signed_in(client), {"queries.csv": QUERIES, "one.csv": earlier, "two.csv": later})

    page = text_of(client.get(address_of(draft)))

    assert "1 judgment of pairs that an earlier file has: it counts as another rater’s" in page
