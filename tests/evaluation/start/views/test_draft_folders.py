"""Whole folders dropped as a new evaluation: many files, and some that are of no use."""

import re

import pytest

from evaluation.models import Run
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import GOOD_RUN, SHOP, address_of, drop, field_of, press, signed_in

pytestmark = pytest.mark.django_db
UNUSABLE = {
    "notes.md": "# Notes\n\nOf last week.\n",
    "report.pdf": b"%PDF-1.7\n\x00\x01",
    "empty.trec": "",
    "words.trec": "q1 Q0 d1 1 high words\nq2 Q0 d3 1 low words\n",
}


def test_everything_that_cannot_be_used_is_left_out_with_one_click(client):
    draft = drop(signed_in(client), SHOP | UNUSABLE)
    page = client.get(address_of(draft))
    button = re.search(
        r'<button[^>]*name="leave_out"[^>]*value="([^"]*)">(.*?)</button>', page.content.decode(), re.S
    )

    assert button is not None
    assert " ".join(button[2].split()) == "Leave out these 4 files"
    assert "4 files can’t be used, such as notes.md." in text_of(page)
    assert press(client, draft, action=None, leave_out=button[1]).status_code == 302
    assert 'name="leave_out"' not in client.get(address_of(draft)).content.decode()
    assert press(client, draft).status_code == 302
    assert Run.objects.count() == 2


def test_a_file_whose_columns_are_asked_for_is_not_left_out_with_the_others(client):
    nameless = "number,label,price\nd1,Red shoes,10\nd2,Blue shoes,20\nd3,Boots,30\n"
    draft = drop(signed_in(client), SHOP | {"products.csv": nameless, "notes.md": UNUSABLE["notes.md"]})
    page = client.get(address_of(draft)).content.decode()

    assert "Leave out notes.md" in " ".join(page.split())
    assert "which column is the" in page


def test_many_files_are_grouped_by_what_they_are_and_first_by_what_has_to_be_decided(client):
    runs = {f"run-{number}.trec": GOOD_RUN.replace("good", f"run{number}") for number in range(3)}
    draft = drop(signed_in(client), SHOP | runs | UNUSABLE)
    groups = client.get(address_of(draft)).context["groups"]

    assert {title: len(rows) for title, rows in groups.items()} == {
        "Can’t be used yet": 4,
        "Runs": 5,
        "Judgments": 1,
        "Queries": 1,
        "Documents": 1,
    }
    assert next(iter(groups)) == "Can’t be used yet"


def test_files_that_systems_put_into_folders_are_ignored(client):
    draft = drop(
        signed_in(client), SHOP | {".DS_Store": b"\0\0\0\1Bud1", "._good.trec": b"\0\5", "Thumbs.db": b"\0"}
    )

    assert {upload.name for upload in draft.uploads.all()} == set(SHOP)


def test_of_many_files_those_without_problems_are_folded_behind_the_others(client):
    """Also those that somebody just changed are in sight."""
    runs = {f"run-{n:02}.trec": GOOD_RUN.replace("good", f"run-{n:02}") for n in range(20)}
    doubtful = GOOD_RUN.replace(" d", " other-").replace("good", "doubtful")
    broken = GOOD_RUN.replace(" 9 ", " high ").replace("good", "broken")
    files = SHOP | runs | {"doubtful.trec": doubtful, "broken.trec": broken}
    draft = drop(signed_in(client), files)

    groups = client.get(address_of(draft)).context["groups"]

    assert next(iter(groups)) == "Can’t be used yet"
    shown = {
        title: [row["reading"].name for row in rows if not row["folded"]] for title, rows in groups.items()
    }
    assert shown["Can’t be used yet"] == ["broken.trec"]
    assert shown["Runs"] == ["doubtful.trec"]
    assert shown["Queries"] == ["queries.csv"]  # one or two fill no more space than a fold

    press(client, draft, "preview", **{field_of(draft, "run-07.trec", "encoding"): "utf-8"})
    page = client.get(address_of(draft))
    runs_group = page.context["groups"]["Runs"]
    assert {row["reading"].name for row in runs_group if not row["folded"]} == {
        "doubtful.trec",
        "run-07.trec",
    }
    html = " ".join(page.content.decode().split())
    assert "<summary>21 files without problems</summary>" in html
