"""Machines of imported judgments: compared with people, and not counted until an admin lets them count."""

import pytest

from judgments.agreement.actions.adjudication import exclude_rater, include_rater
from judgments.files.actions.imports import import_judgments
from judgments.files.actions.machines import NOTE
from judgments.files.actions.undoing import undo_batch
from judgments.files.reports.export_records import grades as grades_of
from judgments.files.reports.export_records import judgments, lone_grades
from judgments.files.reports.imports import OpenedFile
from judgments.files.reports.judgment_imports import Terms, compare_judgments
from judgments.lists.actions.pairs import settle
from judgments.lists.reports.lists import coverage
from judgments.models import (
    Act,
    Batch,
    ConsensusGrade,
    Exclusion,
    Judgment,
    ListQuery,
    Rater,
    RaterKind,
    Slot,
    SlotState,
    Verb,
)
from tests import factories as make
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db

MACHINE = {"gpt": "machine"}


@pytest.fixture
def judgment_list():
    query_set = make.make_query_set()
    make.make_query(query_set, "q1")
    for name in ("d1", "d2", "d3"):
        make.make_document(query_set, name)
    return make.make_list(query_set, overlap=1)


def said(rater, document="d1", grade=1.0, line=2):
    return JudgmentRecord(line, "q1", document, f"{grade:g}", grade, rater=rater)


def bring_in(judgment_list, *records, **terms):
    terms = Terms(**{"rater_name": "file"} | terms)
    return import_judgments(judgment_list=judgment_list, file=OpenedFile(records), at=make.NOW, terms=terms)


def grades():
    return dict(ConsensusGrade.objects.order_by("pk").values_list("document__external_id", "value"))


def open_slots():
    slots = Slot.objects.filter(state=SlotState.OPEN, surplus=False)
    return sorted(slots.values_list("pair__document__external_id", flat=True))


def left_out():
    return [*Exclusion.objects.standing().values_list("rater__name", flat=True)]


def test_a_new_machine_does_not_count(judgment_list):
    result = bring_in(judgment_list, said("ann"), said("gpt", grade=3.0), said("gpt", "d2"), raters=MACHINE)

    assert left_out() == ["gpt"]
    assert Exclusion.objects.get().note == NOTE
    assert result.machines_left_out == 1
    assert grades() == {"d1": 1.0}
    assert open_slots() == ["d2"]
    assert Act.objects.get(verb=Verb.IMPORTED).after["machines_left_out"] == 1


def test_what_a_machine_said_is_no_progress(judgment_list):
    bring_in(judgment_list, said("ann"), said("gpt"), said("gpt", "d2"), raters=MACHINE)

    counts = coverage(judgment_list)
    assert (counts["pairs"], counts["judgments"], counts["missing"], counts["graded"]) == (2, 1, 1, 1)


def test_somebody_lets_it_count_and_leaves_it_out_again(judgment_list):
    bring_in(judgment_list, said("ann"), said("gpt", grade=3.0), said("gpt", "d2"), raters=MACHINE)
    gpt, ada = Rater.objects.get(name="gpt"), make.make_user("ada")

    changes = include_rater(judgment_list=judgment_list, rater=gpt, user=ada, at=make.NOW)

    assert changes == 1  # d2; of 1 and 3 the lower one stays the grade of d1
    assert grades()["d2"] == 1.0
    assert open_slots() == []
    assert coverage(judgment_list)["judgments"] == 3

    exclude_rater(judgment_list=judgment_list, rater=gpt, user=ada, at=make.NOW)
    assert coverage(judgment_list)["judgments"] == 1
    assert open_slots() == ["d2"]


def test_a_second_import_leaves_a_machine_as_it_is(judgment_list):
    bring_in(judgment_list, said("gpt"), raters=MACHINE)
    second = bring_in(judgment_list, said("gpt", "d2"))
    assert (left_out(), second.machines_left_out) == (["gpt"], 1)
    assert Exclusion.objects.count() == 1

    gpt = Rater.objects.get(name="gpt")
    include_rater(judgment_list=judgment_list, rater=gpt, user=make.make_user("ada"), at=make.NOW)
    third = bring_in(judgment_list, said("gpt", "d3"))

    assert (left_out(), third.machines_left_out) == ([], 0)
    assert grades() == {"d1": 1.0, "d2": 1.0, "d3": 1.0}


def test_a_machine_that_counted_before_goes_on_counting(judgment_list):
    bring_in(judgment_list, said("gpt"))  # nobody said that it's a machine
    bring_in(judgment_list, said("gpt", "d2"), raters=MACHINE)

    assert Rater.objects.get().kind == RaterKind.MACHINE
    assert left_out() == []
    assert grades() == {"d1": 1.0, "d2": 1.0}


def test_a_machine_is_new_in_each_list(judgment_list):
    bring_in(judgment_list, said("gpt"))
    Rater.objects.update(kind=RaterKind.MACHINE)
    other = make.make_list(judgment_list.query_set, name="Other", overlap=1)

    bring_in(other, said("gpt"))

    assert [*Exclusion.objects.values_list("judgment_list", flat=True)] == [other.pk]


def test_undoing_the_import_leaves_nobody_out(judgment_list):
    """So that a file whose rater was taken for a machine by mistake can be imported again, and counts."""
    bring_in(judgment_list, said("ann", "d2"), said("gpt"), raters=MACHINE)

    undo_batch(batch=Batch.objects.get(), at=make.NOW)
    assert left_out() == []

    bring_in(judgment_list, said("gpt"), raters={"gpt": "external"})
    assert grades()["d1"] == 1.0


def test_undoing_one_of_two_imports_leaves_a_machine_left_out(judgment_list):
    bring_in(judgment_list, said("gpt"), raters=MACHINE)
    bring_in(judgment_list, said("gpt", "d2"), raters=MACHINE)

    undo_batch(batch=Batch.objects.order_by("-pk").first(), at=make.NOW)

    assert left_out() == ["gpt"]


def test_an_undo_does_not_touch_who_was_left_out_by_hand(judgment_list):
    bring_in(judgment_list, said("ann"))
    ann, ada = Rater.objects.get(name="ann"), make.make_user("ada")
    exclude_rater(judgment_list=judgment_list, rater=ann, note="At random.", user=ada, at=make.NOW)

    undo_batch(batch=Batch.objects.get(), at=make.NOW)

    assert left_out() == ["ann"]


def test_a_preview_names_the_machines_that_will_not_count_and_those_that_do(judgment_list):
    bring_in(judgment_list, said("old"))
    Rater.objects.update(kind=RaterKind.MACHINE)

    found = compare_judgments(
        judgment_list, OpenedFile([said("ann"), said("gpt"), said("old", "d2")]), Terms(raters=MACHINE)
    )

    assert found.machines == {"gpt": False, "old": True}
    # The list lacks the pair of old’s new judgment. Those of “gpt” would not count.
    assert found.rater_work == (1, 0)
    assert found.result.machines_left_out == 1
    assert not Exclusion.objects.exists()


def test_what_made_the_grades_is_kept_with_the_machine_only(judgment_list):
    origin = "gpt-4o, prompt “umbrela”, 2026-11-27"
    bring_in(judgment_list, said("ann"), said("gpt"), raters=MACHINE, origin=origin)
    assert dict(Rater.objects.values_list("name", "origin")) == {"ann": "", "gpt": origin}

    bring_in(judgment_list, said("gpt", "d2"))
    assert Rater.objects.get(name="gpt").origin == origin, "what isn't said again stays"
    bring_in(judgment_list, said("gpt", "d3"), origin="gpt-5")
    assert Rater.objects.get(name="gpt").origin == "gpt-5"


def test_a_recount_of_the_whole_list_counts_the_same(judgment_list):
    bring_in(judgment_list, said("ann"), said("gpt"), raters=MACHINE)

    settle(judgment_list)

    assert ListQuery.objects.get().judgment_count == 1
    assert Judgment.objects.count() == 2


def test_exports_have_what_a_machine_said_and_grades_are_those_of_people(judgment_list):
    bring_in(judgment_list, said("ann"), said("gpt", grade=3.0), raters=MACHINE)

    assert [(one.rater, one.grade) for one in judgments(judgment_list)] == [("ann", 1.0), ("gpt", 3.0)]
    assert [one.grade for one in grades_of(judgment_list)] == [1.0]
    assert [(one.rater, one.grade) for one in lone_grades(judgment_list)] == [("ann", 1.0)]
