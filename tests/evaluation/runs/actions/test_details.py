"""What people say about runs: names, tags, origin, and the baseline."""

import pytest
from django.db import IntegrityError, transaction

from evaluation.base.errors import TooManyTagsError
from evaluation.models import Run
from evaluation.runs.actions.details import MOST_TAGS, change_run, pin_baseline, tag_runs
from judgments.base.names import NameTakenError
from judgments.models import Act
from tests import factories as make

pytestmark = pytest.mark.django_db

DETAILS = {"name": "bm25", "notes": "", "tags": [], "commit": "", "link": ""}


def test_a_change_is_saved_and_the_log_has_what_differs(query_set):
    run = make.make_run(query_set, name="bm25", tags=["old"])

    change_run(run=run, **DETAILS | {"tags": ["nightly"], "commit": "a1b2c3", "link": "https://ci.example/7"})

    run.refresh_from_db()
    assert (run.tags, run.commit, run.link) == (["nightly"], "a1b2c3", "https://ci.example/7")
    act = Act.objects.get()
    assert act.before == {"tags": ["old"], "commit": "", "link": ""}
    assert act.after == {"tags": ["nightly"], "commit": "a1b2c3", "link": "https://ci.example/7"}


def test_saving_without_a_change_leaves_no_line_in_the_log(query_set):
    change_run(run=make.make_run(query_set, name="bm25"), **DETAILS)

    assert not Act.objects.exists()


def test_a_name_of_another_run_is_refused_whatever_its_case(query_set):
    make.make_run(query_set, name="bm25")
    run = make.make_run(query_set, name="dense")

    with pytest.raises(NameTakenError):
        change_run(run=run, **DETAILS | {"name": "BM25", "notes": "not kept"})

    run.refresh_from_db()
    assert (run.name, run.notes) == ("dense", "")


def test_tags_of_many_runs_change_with_one_line_in_the_log(query_set):
    tagged = make.make_run(query_set, name="a", tags=["old", "kept"])
    plain = make.make_run(query_set, name="b")
    untouched = make.make_run(query_set, name="c", tags=["new"])

    changed = tag_runs(query_set=query_set, runs=[tagged, plain, untouched], add=["new"], remove=["old"])

    assert changed == 2
    assert list(Run.objects.order_by("name").values_list("tags", flat=True)) == [
        ["kept", "new"],
        ["new"],
        ["new"],
    ]
    act = Act.objects.get()
    assert act.after == {"runs": ["a", "b"], "tags added": ["new"], "tags removed": ["old"]}


def test_nothing_to_change_is_no_line_in_the_log(query_set):
    run = make.make_run(query_set, tags=["new"])

    assert tag_runs(query_set=query_set, runs=[run], add=["new"], remove=["other"]) == 0
    assert not Act.objects.exists()


def test_more_tags_than_a_run_may_have_change_no_run(query_set):
    some = make.make_run(query_set)
    full = make.make_run(query_set, name="full", tags=[f"tag {number}" for number in range(MOST_TAGS)])

    with pytest.raises(TooManyTagsError, match="“full”"):
        tag_runs(query_set=query_set, runs=[some, full], add=["one more"])

    assert Run.objects.get(pk=some.pk).tags == []


def test_runs_of_another_query_set_get_no_tags(query_set):
    foreign = make.make_run(make.make_query_set())

    assert tag_runs(query_set=query_set, runs=[foreign], add=["new"]) == 0
    assert Run.objects.get(pk=foreign.pk).tags == []


def test_a_query_set_has_one_baseline_at_most(query_set):
    first, second = make.make_run(query_set, name="first"), make.make_run(query_set, name="second")

    pin_baseline(query_set=query_set, run=first)
    pin_baseline(query_set=query_set, run=second)

    assert Run.objects.get(is_baseline=True) == second
    act = Act.objects.latest("pk")
    assert (act.before, act.after) == ({"baseline": "first"}, {"baseline": "second"})

    pin_baseline(query_set=query_set, run=None)

    assert not Run.objects.filter(is_baseline=True).exists()


def test_a_run_of_another_query_set_is_no_baseline(query_set):
    foreign = make.make_run(make.make_query_set())

    pin_baseline(query_set=query_set, run=foreign)

    assert not Run.objects.filter(is_baseline=True).exists()


def test_the_database_refuses_two_baselines(query_set):
    make.make_run(query_set, is_baseline=True)

    with pytest.raises(IntegrityError, match="run_one_baseline"), transaction.atomic():
        make.make_run(query_set, is_baseline=True)


@pytest.mark.parametrize("link", ["javascript:alert(1)", "ftp://example.com", " https://example.com"])
def test_the_database_refuses_links_to_anything_but_web_pages(query_set, link):
    with pytest.raises(IntegrityError, match="run_link_is_a_web_address"), transaction.atomic():
        make.make_run(query_set, link=link)


def test_a_server_of_the_version_before_can_still_store_runs(query_set):
    """It names none of the new columns."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO evaluation_run (query_set_id, name, notes, "order", file_name, sha256, row_count, query_count,'
            " report, created_at) VALUES (%s, 'old', '', 'score', '', '', 0, 0, '{}', now())",
            [query_set.pk],
        )

    run = Run.objects.get()
    assert (run.tags, run.commit, run.link, run.is_baseline) == ([], "", "", False)
