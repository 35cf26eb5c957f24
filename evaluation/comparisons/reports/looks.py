"""How often people looked at pairs of runs."""

from collections.abc import Sequence

from django.db.models import Count, Max, Min, Q

from evaluation.models import ComparisonLook, Run
from judgments.models import JudgmentList
from touchstone_core.comparison.ruling import Looks


def read_looks(
    judgment_list: JudgmentList, runs: Sequence[Run], measure: str, *, held_out: bool
) -> tuple[list[Looks], int]:
    """At each run but the first beside the first, and how many pairs of runs were compared on the query set, each once for
    each list and measure.

    Under one measure; the look at what is shown now counts. One statement, a row for each pair.
    """
    baseline, *candidates = runs
    with_state = ~Q(state="")
    every = (
        ComparisonLook.objects.filter(query_set=judgment_list.query_set_id)
        .order_by()
        .values_list("judgment_list", "measure", "held_out", "first", "second")
        .annotate(count=Count("pk", filter=with_state), least=Min("queries"), most=Max("queries"))
    )
    by_pair = {tuple(pair): Looks(max(count, 1), least != most) for *pair, count, least, most in every}
    of_runs = [
        by_pair.get((judgment_list.pk, measure, held_out, *sorted((baseline.pk, run.pk))), Looks())
        for run in candidates
    ]
    return of_runs, len(by_pair)
