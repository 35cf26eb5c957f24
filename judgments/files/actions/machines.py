"""Machines of imported judgments don't count in a list until an admin lets them (ADR 86)."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from django.db.models import Exists, OuterRef

from judgments.log.actions import who_acts
from judgments.models import Exclusion, Judgment, JudgmentList, Rater, RaterKind

NOTE: Final = "A machine: its grades are compared with people’s and don’t count."


def leave_machines_out(
    *, judgment_list: JudgmentList, rater_ids: Collection[int], origin: str, at: datetime
) -> int:
    """Excludes those of the raters that are machines and new in the list. Before their judgments are written, so that these change no grade.

    Returns how many machines among the raters don't count now. `origin` is what made their grades; an empty one leaves
    what was said before.
    """
    raters = Rater.objects.filter(pk__in=rater_ids, kind=RaterKind.MACHINE)
    judged = Judgment.objects.filter(judgment_list=judgment_list, rater=OuterRef("pk"))
    machines = dict(raters.annotate(judged=Exists(judged)).values_list("pk", "judged"))
    if not machines:
        return 0
    if origin:
        raters.update(origin=origin)
    Exclusion.objects.bulk_create(
        (
            Exclusion(
                query_set_id=judgment_list.query_set_id,
                judgment_list=judgment_list,
                rater_id=rater_id,
                note=NOTE,
                by=who_acts(),
                at=at,
            )
            for rater_id, has_judged in machines.items()
            if not has_judged
        ),
        ignore_conflicts=True,
    )
    return judgment_list.exclusions.standing().filter(rater__in=machines).count()


def lift_needless_exclusions(*, judgment_list: JudgmentList, at: datetime) -> None:
    """Ends those that an import made of machines that have no judgment in the list any more, because it was undone.

    Else a file that is imported again, and whose rater is no machine after all, wouldn't count either.
    """
    judged = Judgment.objects.filter(judgment_list=judgment_list, rater=OuterRef("rater"))
    made = judgment_list.exclusions.standing().filter(
        ~Exists(judged), note=NOTE, rater__kind=RaterKind.MACHINE
    )
    made.update(lifted_by=who_acts(), lifted_at=at)
