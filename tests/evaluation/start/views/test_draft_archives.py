"""Archives among the files of a new evaluation."""

import pytest

from evaluation.models import Run
from judgments.models import Judgment, Query
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import (
    GOOD_RUN,
    POOR_RUN,
    QRELS,
    SHOP,
    address_of,
    drop,
    press,
    signed_in,
    zipped,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Archives would be read by another process, which doesn't see what the test wrote."""
    monkeypatch.setattr("judgments.files.limited_process.SMALL", 1 << 24)


def names(draft):
    return sorted(draft.uploads.values_list("name", flat=True))


def test_files_of_several_kinds_in_an_archive_become_files_of_the_draft(client):
    draft = drop(
        signed_in(client), {"all.zip": zipped({f"shop/{name}": text for name, text in SHOP.items()})}
    )

    assert names(draft) == sorted(SHOP)
    response = press(client, draft)
    assert response.status_code == 302
    counts = [model.objects.count() for model in (Query, Judgment, Run)]
    assert counts == [2, 3, 2]


def test_an_archive_that_is_added_later_is_unpacked_too(client):
    draft = drop(signed_in(client), {"good.trec": GOOD_RUN})
    drop(client, {"more.zip": zipped({"qrels.txt": QRELS, "poor.trec": POOR_RUN})}, draft)

    assert names(draft) == ["good.trec", "poor.trec", "qrels.txt"]


def test_what_nobody_can_tell_the_kind_of_is_left_out_until_somebody_says_otherwise(client):
    packed = zipped(
        {"good.trec": GOOD_RUN, "README.md": "# About\n\nSome words.\n", "logo.png": b"\x89PNG\x00\x01"}
    )
    draft = drop(signed_in(client), {"all.zip": packed})

    rows = client.get(address_of(draft)).context["files"]

    left_out = {row["reading"].name: row["reading"].is_left_out for row in rows}
    assert left_out == {"good.trec": False, "README.md": True, "logo.png": True}
    assert press(client, draft).status_code == 302


def test_an_archive_of_runs_and_a_packed_file_stay_what_they_are(client):
    runs = zipped({"good.trec": GOOD_RUN, "poor.trec": POOR_RUN})
    draft = drop(signed_in(client), {"runs.zip": runs, "qrels.zip": zipped({"qrels.txt": QRELS})})

    assert names(draft) == ["qrels.zip", "runs.zip"]
    page = text_of(client.get(address_of(draft)))
    assert "2 runs" in page
    assert "Names of the 2 runs" in page


def test_more_files_than_a_draft_takes_stay_in_their_archive(client):
    files = {f"judgments{number}.qrels": QRELS for number in range(40)} | {"good.trec": GOOD_RUN}
    draft = drop(signed_in(client), {"all.zip": zipped(files)})

    assert names(draft) == ["all.zip"]
    assert "drop up to 40 of its files" in text_of(client.get(address_of(draft)))


def test_several_files_of_one_kind_other_than_runs_are_unpacked(client):
    packed = zipped({"ann.qrels": QRELS, "ben.qrels": QRELS.replace(" 2", " 1")})

    assert names(drop(signed_in(client), {"judgments.zip": packed})) == ["ann.qrels", "ben.qrels"]
