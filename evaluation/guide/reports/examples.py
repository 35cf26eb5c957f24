"""The example of the page of formulas: zoolander, or one of the reader's own queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from evaluation.base.reports import scale_info
from evaluation.base.sql import unpack_documents
from evaluation.explain.reports.tied_ranking import as_array, tie_rows
from evaluation.models import Ranking, Run
from judgments.base.cleaning import plain
from judgments.models import ConsensusGrade, JudgmentList, Query
from touchstone_core.metrics.arrays import JudgedRun, join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.order import order
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.ties import ranking_spreads
from touchstone_core.metrics.worked_query import WorkedQuery, work_out


@dataclass(frozen=True, slots=True)
class Example:
    """One query: grades and titles by document, and a ranking, best rank first."""

    grades: Mapping[str, float]
    ranking: Sequence[str]
    scale: ScaleInfo
    titles: Mapping[str, str]

    @property
    def judgments(self) -> list[tuple[str, str]]:
        """Title and grade, best first."""
        best = sorted(self.grades, key=lambda document: -self.grades[document])
        return [(self.title(document), f"{self.grades[document]:g}") for document in best]

    @property
    def ranking_grades(self) -> list[float | None]:
        return [self.grades.get(document) for document in self.ranking]

    def title(self, document: str) -> str:
        return self.titles.get(document) or document

    def work_out(self, formula: Formula) -> WorkedQuery:
        return work_out(self.ranking_grades, list(self.grades.values()), formula, self.scale)

    def judged_run(self) -> JudgedRun:
        """The same query as the measures read it."""
        return join({"q": self.grades}, {"q": self.ranking}, self.scale)[1]


ZOOLANDER: Final = Example(
    grades={"movie": 1.0, "sequel": 0.9, "photo": 0.7, "helicopter": 0.1, "dog": 0.1},
    ranking=("helicopter", "movie", "photo"),
    scale=ScaleInfo(top_grade=1.0, threshold=0.5, bottom=0.0),
    titles={
        "movie": "The movie",
        "sequel": "The sequel",
        "photo": "A photo",
        "helicopter": "A helicopter landing next to giraffes",
        "dog": "A dog of that name",
    },
)
ZOOLANDER_FORMULA: Final = Formula(discount="reciprocal", cutoff=2)


def own_example(judgment_list: JudgmentList, query: Query, run: Run | None) -> Example | None:
    """The query as this run answers it, or without a run the graded documents by ID. None without a grade.

    Costs two queries. `judgment_list` comes with its scale and grades.
    """
    consensus = ConsensusGrade.objects.filter(judgment_list=judgment_list, query=query, value__isnull=False)
    rows = consensus.order_by("document__external_id").values_list(
        "document__external_id", "document__title", "value"
    )
    grades = {name: value for name, _, value in rows if value is not None}
    if not grades:
        return None
    return Example(
        grades=grades,
        ranking=list(grades) if run is None else _ranking(run, query),
        scale=scale_info(judgment_list.scale),
        titles={name: plain(title) for name, title, _ in rows},
    )


def _ranking(run: Run, query: Query) -> Sequence[str]:
    ranking = Ranking.objects.filter(query_set=run.query_set_id, query=query, run=run).first()
    return unpack_documents(ranking.documents) if ranking else ()


def tie_example() -> dict[str, Any]:
    """The zoolander example with equal scores on both sides of the cutoff: its documents in order, and its table."""
    scores = {"helicopter": 2.0, "movie": 1.0, "photo": 1.0}
    names = [list(scores)[place] for place in order(np.array(list(scores.values())), list(scores))]
    example, formula = replace(ZOOLANDER, ranking=names), ZOOLANDER_FORMULA
    numbers, judged = np.array([scores[name] for name in names]), list(example.grades.values())
    spreads = ranking_spreads(numbers, as_array(example.ranking_grades), judged, formula, example.scale)
    return {
        "documents": [(example.title(name), scores[name], f"{example.grades[name]:g}") for name in names],
        "rows": tie_rows(spreads, example.work_out(formula), formula),
    }
