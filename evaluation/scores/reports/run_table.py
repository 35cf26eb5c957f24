"""The rows of the run table: every run of a query set against one judgment list under one formula."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from django.db.models import Count, F, FilteredRelation, Max, Q

from evaluation.models import Evaluation, Run
from evaluation.scores.reports.run_averages import PREFIX
from evaluation.scores.reports.run_columns import TableChoice
from judgments.models import JudgmentList, Version
from judgments.models.access import MemberQuerySet


class RunFilter(NamedTuple):
    """Which runs the table lists: those with the text in their name, tags or commit, and with the tag."""

    text: str = ""
    tag: str = ""

    @property
    def condition(self) -> Q:
        """Of evaluations."""
        condition = Q()
        if self.text:
            for column in ("name", "tags", "commit"):
                condition |= Q(**{f"run__{column}__icontains": self.text})
        return condition & Q(run__tags__contains=[self.tag]) if self.tag else condition


ALL_RUNS: Final = RunFilter()


def evaluations(
    judgment_list: JudgmentList, choice: TableChoice, version: Version | None = None
) -> MemberQuerySet[Evaluation]:
    """The evaluations of all runs, with their runs and the averages of the further measures, in no order."""
    rows = _of_table(judgment_list, choice, version)
    for place, (measure, digits) in enumerate(choice.measures):
        of_measure = Q(
            run__measures__judgment_list=judgment_list,
            run__measures__version=version,
            run__measures__measure=str(measure),
            run__measures__digits=-1 if digits is None else digits,
        )
        relation = f"evaluated_{place}"
        rows = rows.annotate(**{relation: FilteredRelation("run__measures", condition=of_measure)}).annotate(
            **{
                f"measure_{place}": F(f"{relation}__{choice.average}"),
                f"counted_{place}": F(f"{relation}__counted"),
            }
        )
    return rows.select_related("run").defer("run__report")


def _of_table(
    judgment_list: JudgmentList, choice: TableChoice, version: Version | None
) -> MemberQuerySet[Evaluation]:
    return Evaluation.objects.filter(judgment_list=judgment_list, version=version, formula=choice.formula.key)


def count_and_best(
    judgment_list: JudgmentList,
    choice: TableChoice,
    version: Version | None,
    listed: RunFilter,
) -> tuple[int, dict[str, float | None]]:
    """The number of listed runs, and the best global and max of all runs. One query.

    Local and recall have no best, because their ideal depends on the run.
    """
    prefix = PREFIX[choice.average]
    best = {ideal: Max(f"{prefix}ndcg_{ideal}") for ideal in ("global", "max")}
    rows = Count("pk", filter=listed.condition) if listed.condition else Count("pk")
    figures = _of_table(judgment_list, choice, version).aggregate(runs=rows, **best)
    return figures.pop("runs"), figures


def runs_of(judgment_list: JudgmentList) -> list[Run]:
    fields = ["name", "tags", "is_baseline", "commit", "created_at"]
    fields += [f"uploaded_by__{name}" for name in ("username", "first_name", "last_name")]
    runs = Run.objects.filter(query_set=judgment_list.query_set_id).select_related("uploaded_by")
    return list(runs.only(*fields))


def baseline_of(evaluations: MemberQuerySet[Evaluation], runs: Iterable[Run]) -> Evaluation | None:
    """No query where none of the runs is the baseline."""
    return evaluations.filter(run__is_baseline=True).first() if any(run.is_baseline for run in runs) else None


def tags_of(runs: Iterable[Run]) -> list[str]:
    return sorted({tag for run in runs for tag in run.tags}, key=str.casefold)
