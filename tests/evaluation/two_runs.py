"""Two runs to compare."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.urls import reverse

from evaluation.models import Run
from judgments.models import JudgmentList
from tests import factories as make
from tests.evaluation.scored import make_all_grades, make_rankings, make_scale


def make_two_runs(judgment_list: JudgmentList, *, queries: int = 20, same: int = 0) -> tuple[Run, Run]:
    """“old” puts the good document second; “new” puts it first but for `same` queries."""
    query_set = judgment_list.query_set
    baseline, candidate = make.make_run(query_set, name="old"), make.make_run(query_set, name="new")
    made = make.make_queries(query_set, queries)
    pages = [[f"{place}-bad", f"{place}-good"] for place in range(queries)]
    make_all_grades(
        judgment_list, {query: {good: 3, bad: 0} for query, (bad, good) in zip(made, pages, strict=True)}
    )
    make_rankings(baseline, dict(zip(made, pages, strict=True)))
    changed = pages[:same] + [page[::-1] for page in pages[same:]]
    make_rankings(candidate, dict(zip(made, changed, strict=True)))
    return baseline, candidate


def comparison_address(
    judgment_list: JudgmentList, *runs: Run, page: str = "comparison", **others: object
) -> str:
    chosen = {"runs": "-".join(str(run.pk) for run in runs)} if runs else {}
    return reverse(page, args=[judgment_list.pk], query=chosen | others)


@contextmanager
def committed_list(*, queries: int = 5) -> Iterator[JudgmentList]:
    """A list with two runs for tests that commit. Gone at the end with its versions, since no table with a version can be emptied."""
    judgment_list = make.make_list(make.make_query_set(), scale=make_scale(0, 3))
    make_two_runs(judgment_list, queries=queries)
    yield judgment_list
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL touchstone.deleting = 'yes'")
        judgment_list.query_set.delete()
