"""Names of the runs of a new evaluation."""

import pytest

from evaluation.models import Run
from judgments.models import Draft
from tests.evaluation.start.views.drafting import (
    GOOD_RUN,
    POOR_RUN,
    QRELS,
    address_of,
    drop,
    field_of,
    press,
    signed_in,
    zipped,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Archives would be read by another process, which doesn't see what the test wrote."""
    monkeypatch.setattr("judgments.files.limited_process.SMALL", 1 << 24)


@pytest.fixture
def draft(client):
    return drop(signed_in(client), {"good.trec": GOOD_RUN, "poor.trec": POOR_RUN, "qrels.txt": QRELS})


def shown(client, draft):
    """The names that the preview proposes, and the suggestions that it sends along, by file."""
    rows = client.get(address_of(draft)).context["files"]
    return {row["reading"].name: row["runs"] for row in rows if row["runs"]}


def test_the_preview_shows_the_names_in_fields(client, draft):
    assert shown(client, draft) == {"good.trec": [("good", "good")], "poor.trec": [("poor", "poor")]}
    page = client.get(address_of(draft)).content.decode()
    assert f'name="{field_of(draft, "good.trec", "run-0")}" value="good"' in page


def test_a_chosen_name_is_kept_shown_and_given(client, draft):
    field = field_of(draft, "good.trec", "run-0")
    press(client, draft, action="preview", **{field: " Release 12 ", f"{field}-suggested": "good"})

    assert shown(client, draft)["good.trec"] == [("Release 12", "")]
    press(client, draft, **{field: "Release 12", f"{field}-suggested": ""})
    assert set(Run.objects.values_list("name", flat=True)) == {"Release 12", "poor"}


def test_a_name_that_is_left_as_suggested_is_no_choice(client, draft):
    field = field_of(draft, "good.trec", "run-0")
    press(client, draft, action="preview", **{field: "good", f"{field}-suggested": "good"})

    assert draft.uploads.get(name="good.trec").options["run_names"] == [""]


def test_an_emptied_name_means_the_suggestion_again(client, draft):
    field = field_of(draft, "good.trec", "run-0")
    press(client, draft, action="preview", **{field: "mine", f"{field}-suggested": "good"})
    press(client, draft, action="preview", **{field: "", f"{field}-suggested": ""})

    assert shown(client, draft)["good.trec"] == [("good", "good")]


def test_names_that_are_the_same_are_numbered(client, draft):
    field = field_of(draft, "poor.trec", "run-0")
    press(client, draft, action="preview", **{field: "GOOD", f"{field}-suggested": "poor"})

    press(client, draft, **{field: "GOOD", f"{field}-suggested": ""})

    assert set(Run.objects.values_list("name", flat=True)) == {"good", "GOOD 2"}


def test_more_runs_than_a_form_has_fields_for_are_named_by_their_files(client, draft, monkeypatch):
    monkeypatch.setattr("evaluation.start.views.drafts.MOST_NAMED", 1)

    assert shown(client, draft) == {}
    press(client, draft)
    assert set(Run.objects.values_list("name", flat=True)) == {"good", "poor"}


def test_runs_of_an_archive_have_names_one_by_one(client):
    packed = zipped({"a.trec": GOOD_RUN, "b.trec": POOR_RUN})
    draft = drop(signed_in(client), {"runs.zip": packed, "qrels.txt": QRELS})
    field = field_of(draft, "runs.zip", "run")
    names = {
        f"{field}-0": "good",
        f"{field}-0-suggested": "good",
        f"{field}-1": "new",
        f"{field}-1-suggested": "poor",
    }

    press(client, draft, **names)

    assert set(Run.objects.values_list("name", flat=True)) == {"good", "new"}
    assert Draft.objects.get().query_set is not None
