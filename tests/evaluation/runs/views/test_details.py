"""The pages that change runs: one at a time, or several at once."""

import pytest
from django.urls import reverse

from evaluation.models import Run
from tests import factories as make
from tests.evaluation.runs.views.uploading import engineer, query_set
from tests.html import html_of

__all__ = ["engineer", "query_set"]  # fixtures

pytestmark = pytest.mark.django_db

TABLE = "/lists/1/runs/?q=nightly"


def edit(run):
    return reverse("run-edit", args=[run.pk])


def test_the_form_shows_what_is_stored_and_saves_what_is_sent(client, query_set, engineer):
    run = make.make_run(query_set, name="bm25", tags=["a", "b"], commit="a1b2", notes="First try")

    form = client.get(edit(run)).context["form"]
    assert [form[name].value() for name in ("name", "tags", "commit", "notes")] == [
        "bm25",
        "a, b",
        "a1b2",
        "First try",
    ]
    assert 'value="a, b"' in html_of(client.get(edit(run)))

    sent = {"name": "bm25 v2", "tags": "b, c;b", "commit": "", "link": "https://ci.example/7", "notes": ""}
    response = client.post(edit(run), sent | {"next": TABLE})

    assert response["Location"] == TABLE
    run.refresh_from_db()
    assert (run.name, run.tags, run.commit, run.link) == ("bm25 v2", ["b", "c"], "", "https://ci.example/7")


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("name", "", "Fill in this field."),
        ("name", "DENSE", "taken already"),
        ("link", "javascript:alert(1)", "Enter a whole address"),
        ("link", "foo", "Enter a whole address"),
        ("link", "ftp://example.com/x", "Enter a whole address"),
        ("tags", "x" * 61, "60 at most"),
        ("tags", ",".join(map(str, range(21))), "more than 20 tags"),
        ("commit", "x" * 101, "at most 100"),
        ("notes", "a\x00b", "Remove the character NUL"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(client, query_set, engineer, field, value, says):
    make.make_run(query_set, name="dense")
    run = make.make_run(query_set, name="bm25")

    response = client.post(edit(run), {"name": "bm25", field: value})

    assert response.status_code == 422
    assert len(response.context["form"].errors[field]) == 1
    assert says in response.context["form"].errors[field][0]
    run.refresh_from_db()
    assert (run.name, run.tags, run.link) == ("bm25", [], "")


@pytest.mark.parametrize(
    "next_page", ["https://elsewhere.example/", "javascript:alert(1)", "//elsewhere.example"]
)
def test_nothing_leads_to_another_site(client, query_set, engineer, next_page):
    run = make.make_run(query_set)

    html = client.get(edit(run), {"next": next_page}).content.decode()

    assert next_page not in html


def test_tags_are_added_to_the_selected_runs_and_removed_from_them(client, query_set, engineer):
    first, second, other = (make.make_run(query_set, tags=["old"]) for _ in range(3))
    address = reverse("runs-tag", args=[query_set.pk])
    selection = {"run": [first.pk, second.pk], "next": TABLE}

    page = client.get(address, selection)
    assert page.context["runs"] == [first, second]
    response = client.post(address, selection | {"add": "new, newer", "remove": "old"})

    assert response["Location"] == TABLE
    tags = {run.pk: run.tags for run in Run.objects.all()}
    assert tags == {first.pk: ["new", "newer"], second.pk: ["new", "newer"], other.pk: ["old"]}


def test_without_a_tag_to_add_or_remove_the_form_says_so(client, query_set, engineer):
    run = make.make_run(query_set)

    response = client.post(reverse("runs-tag", args=[query_set.pk]), {"run": run.pk})

    assert response.status_code == 422
    assert response.context["form"].errors["add"]


@pytest.mark.parametrize("name", ["runs-tag", "runs-delete"])
def test_an_empty_selection_leads_back_to_the_table(client, query_set, engineer, name):
    html = html_of(client.get(reverse(name, args=[query_set.pk]), {"next": TABLE}))

    assert "No runs selected" in html
    assert "0 runs" not in html
    assert f'href="{TABLE}"' in html


@pytest.mark.parametrize("name", ["runs-tag", "runs-delete", "runs-export"])
@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (["999"], "The run that you selected was deleted, or it isn’t in this query set."),
        (["998", "999"], "The 2 runs that you selected were deleted, or they aren’t in this query set."),
    ],
)
def test_a_selection_that_somebody_deleted_meanwhile_is_said(client, query_set, engineer, name, runs, words):
    html = html_of(client.get(reverse(name, args=[query_set.pk]), {"run": runs, "next": TABLE}))

    assert words in html
    assert "No runs selected" not in html


def test_deletion_asks_first_and_deletes_the_selected_runs_only(client, query_set):
    client.force_login(make.make_member(query_set, "admin"))
    first, second, other = (make.make_run(query_set, query_count=1000) for _ in range(3))
    address = reverse("runs-delete", args=[query_set.pk])
    selection = {"run": [first.pk, second.pk], "next": TABLE}

    html = html_of(client.get(address, selection))
    assert "2,000 rankings" in html
    assert Run.objects.count() == 3
    response = client.post(address, selection)

    assert response["Location"] == TABLE
    assert list(Run.objects.all()) == [other]


def test_an_engineer_deletes_own_runs_only_and_sees_which_stay(client, query_set, engineer):
    own, foreign = make.make_run(query_set, uploaded_by=engineer), make.make_run(query_set, name="theirs")
    address = reverse("runs-delete", args=[query_set.pk])

    page = client.get(address, {"run": [own.pk, foreign.pk]})
    client.post(address, {"run": [own.pk, foreign.pk]})

    assert (page.context["runs"], page.context["others"]) == ([own], [foreign])
    assert list(Run.objects.all()) == [foreign]


def test_the_baseline_is_pinned_and_removed(client, query_set, engineer):
    run = make.make_run(query_set)
    address = reverse("run-baseline", args=[query_set.pk])

    client.post(address, {"run": run.pk})
    assert Run.objects.get(is_baseline=True) == run
    client.post(address, {"run": ""})
    assert not Run.objects.filter(is_baseline=True).exists()


@pytest.mark.parametrize("key", ["nothing", "9" * 30, "-1"])
def test_a_baseline_that_is_no_run_is_not_found(client, query_set, engineer, key):
    run = make.make_run(query_set, is_baseline=True)

    assert client.post(reverse("run-baseline", args=[query_set.pk]), {"run": key}).status_code == 404
    assert Run.objects.get(is_baseline=True) == run


def test_the_page_of_a_run_shows_what_is_said_about_it(client, query_set, engineer):
    judgment_list = make.make_list(query_set)
    run = make.make_run(
        query_set,
        tags=["night & day"],
        commit="a1b2c3",
        link="https://ci.example/7",
        notes="With synonyms",
        is_baseline=True,
    )

    html = html_of(client.get(reverse("run", args=[judgment_list.pk, run.pk])))

    for part in (
        "a1b2c3",
        'href="https://ci.example/7"',
        "With synonyms",
        "?tag=night%20%26%20day",
        "baseline",
    ):
        assert part in html
