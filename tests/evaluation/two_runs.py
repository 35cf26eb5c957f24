"""Two runs to compare."""

from django.urls import reverse

from evaluation.models import Run
from judgments.models import JudgmentList
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking


def make_two_runs(judgment_list: JudgmentList, *, queries: int = 20, same: int = 0) -> tuple[Run, Run]:
    """“old” puts the good document second; “new” puts it first but for `same` queries."""
    query_set = judgment_list.query_set
    baseline, candidate = make.make_run(query_set, name="old"), make.make_run(query_set, name="new")
    for place in range(queries):
        query = make.make_query(query_set)
        make_grades(judgment_list, query, {f"{place}-good": 3, f"{place}-bad": 0})
        page = [f"{place}-bad", f"{place}-good"]
        make_ranking(baseline, query, page)
        make_ranking(candidate, query, page if place < same else page[::-1])
    return baseline, candidate


def comparison_address(
    judgment_list: JudgmentList, *runs: Run, page: str = "comparison", **others: object
) -> str:
    chosen = {"runs": "-".join(str(run.pk) for run in runs)} if runs else {}
    return reverse(page, args=[judgment_list.pk], query=chosen | others)
