"""One query of a run in detail, so that every figure can be checked by hand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from evaluation.base.reports import scale_info
from evaluation.base.sql import unpack_documents, unpack_scores
from evaluation.explain.reports.shown_documents import ShownDocument, shown_documents
from evaluation.explain.reports.tied_ranking import ranking_ties, tied_ranks
from evaluation.models import Ranking, Run
from judgments.grades.reports import explain_grades, frozen_explanations
from judgments.models import ConsensusGrade, Document, JudgmentList, Query, Scale, Version, VersionGrades
from touchstone_core.comparison.values import (
    DASH,
    Segment,
    Value,
    heat,
    if_known,
    is_known,
    segments,
    short,
    value,
)
from touchstone_core.metrics.arrays import JudgedRun, judged_run
from touchstone_core.metrics.averages import round_half_up
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.worked_query import IdealRow, WorkedQuery, WorkedRow, work_out

MOST_ROWS = 100
UNJUDGED = "unjudged"
IDEAL_WORDS = {
    "local": "the retrieved documents within the cutoff, best first",
    "recall": "the retrieved documents down to the recall depth, best first",
    "global": "all judged documents of the query, best first",
    "max": "the scale’s best grade at every rank",
}


@dataclass(frozen=True, slots=True)
class GradeChip:
    """A grade, or why there is none. `label` is its name on the scale, `how` the judgments behind it."""

    value: float | None
    label: str = ""
    how: str = ""
    heat: int = 0

    @property
    def text(self) -> str:
        return "" if self.value is None else f"{self.value:g}"


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A rank of the ranking. `document` is None where nothing but the external ID is known.

    `tied` names the ranks that share the score of this one, as “3–5”; a dash where others on the page are tied.
    """

    worked: WorkedRow
    external_id: str
    document: ShownDocument | None
    grade: GradeChip
    retrieval_score: float | None
    tied: str

    @property
    def gain(self) -> str:
        return short(self.worked.gain)

    @property
    def removed(self) -> bool:
        """Whether the formula takes the document out of the ranking."""
        return self.worked.place is None


@dataclass(frozen=True, slots=True)
class IdealPlace:
    """A rank of an ideal list; the ideal max names no document."""

    worked: IdealRow
    name: str
    external_id: str
    grade: GradeChip

    @property
    def gain(self) -> str:
        return short(self.worked.gain)


@dataclass(frozen=True, slots=True)
class IdealList:
    """An ideal with its rows, and NDCG = DCG / total."""

    name: str
    words: str
    measure: str
    rows: list[IdealPlace]
    total: float
    ndcg: Value

    @property
    def shown(self) -> list[IdealPlace]:
        return self.rows[:MOST_ROWS]

    @property
    def more(self) -> int:
        return max(len(self.rows) - MOST_ROWS, 0)


class DrillDown:
    """A query's ranking joined to its grades, and all figures that follow. Costs three queries.

    `missing`: the run has no ranking for the query. A ranking may be long; `page` returns some of its ranks.
    `beside` is the same list and query in another run, whose grades are used again. `rankings` are the rankings by run if
    they've been read already; a run without the query is absent.
    """

    def __init__(
        self,
        judgment_list: JudgmentList,
        run: Run,
        query: Query,
        formula: Formula,
        version: Version | None = None,
        *,
        beside: "DrillDown | None" = None,
        rankings: Mapping[int, Ranking] | None = None,
    ) -> None:
        self.formula = formula
        self.run, self.query, self.judgment_list = run, query, judgment_list
        self._scale = (version or judgment_list).scale
        self._chips = Chips(self._scale)
        self._consensus: Mapping[str, ConsensusGrade]
        if beside is not None:
            self._consensus = beside._consensus
        else:
            self._consensus = _frozen(version, query) if version else _consensus(judgment_list, query)
        decided = [grade for grade in self._consensus.values() if grade.value is not None]
        self._judged = sorted(decided, key=lambda grade: grade.document.external_id)
        self._grades = [grade.value for grade in self._judged if grade.value is not None]
        if rankings is not None:
            ranking = rankings.get(run.pk)
        else:
            ranking = Ranking.objects.filter(query_set=run.query_set_id, query=query, run=run).first()
        self.missing = ranking is None
        self.documents = unpack_documents(ranking.documents) if ranking else []
        self.scores: Sequence[float] | None = None
        if ranking and ranking.scores is not None:
            self.scores = unpack_scores(ranking.scores).tolist()
        self.worked: WorkedQuery = work_out(
            [self._value(name) for name in self.documents],
            self._grades,
            formula,
            scale_info(self._scale),
            answered=not self.missing,
        )
        # A ranking in the order of the rank column has scores and no ties.
        compared = run.compared_scores(np.array(self.scores or []))
        by_score = [] if compared is None else compared.tolist()
        self.ties = ranking_ties(by_score, self._grades, self.worked, formula, scale_info(self._scale))
        self._tied_ranks = tied_ranks(by_score)

    @property
    def judged(self) -> int:
        """Documents with a grade, retrieved or not."""
        return len(self._judged)

    @property
    def judged_names(self) -> list[str]:
        """The external IDs of the documents with a grade, in the order that `IdealRow.source` of ideal global counts."""
        return [grade.document.external_id for grade in self._judged]

    def document_of(self, external_id: str) -> Document | None:
        """A document that has a grade, or that raters could not agree on."""
        grade = self._consensus.get(external_id)
        return grade.document if grade else None

    def name_of(self, external_id: str) -> str:
        """The title of a judged document, otherwise its ID."""
        return str(self.document_of(external_id) or external_id)

    @property
    def holes(self) -> int:
        """Unjudged documents on the page, even if the formula takes them out of the ranking."""
        return sum(row.grade is None for row in self.worked.rows[: self.formula.cutoff])

    @property
    def known(self) -> bool:
        """Whether the page's values say anything: see `is_known`."""
        shown = len(self.worked.rows[: self.formula.cutoff])
        return is_known(shown, shown - self.holes)

    @property
    def dcg(self) -> Value:
        return if_known(value(self.worked.dcg), self.known)

    @property
    def cut(self) -> int:
        """The last rank of the original ranking within the cutoff."""
        return next(
            (row.rank for row in self.worked.rows if row.place == self.formula.cutoff), len(self.worked.rows)
        )

    @property
    def removed(self) -> int:
        """Documents that the formula takes out of the ranking above the cutoff."""
        return sum(row.place is None for row in self.worked.rows[: self.cut])

    @property
    def ladder(self) -> list[Segment]:
        losses = self.worked.losses
        return segments(
            self.worked.dcg, losses["order"], losses["depth"], losses["recall"], losses["content"]
        )

    def page(self, first: int, last: int) -> list[RankedRow]:
        """The ranks from `first` to `last`. Costs a query for the documents' texts."""
        names = self.documents[first - 1 : last]
        rows = self.worked.rows[first - 1 : last]
        documents = shown_documents(self.judgment_list.query_set, names)
        no_tie = DASH if any(map(self.tied, rows)) else ""
        return [
            RankedRow(
                row, name, documents.get(name), self.chip(name), self.score(row), self.tied(row) or no_tie
            )
            for row, name in zip(rows, names, strict=True)
        ]

    def ideals(self) -> list[IdealList]:
        return [
            IdealList(
                name=name,
                words=IDEAL_WORDS[name],
                measure=self.formula.measure(name),
                rows=[self._place(name, row) for row in self.worked.ideals[name].rows],
                total=self.worked.ideals[name].total,
                ndcg=if_known(value(self.worked.ndcg[name]), self.known),
            )
            for name in IDEALS
        ]

    def further(self, measures: Iterable[RoundedMeasure]) -> dict[str, Value]:
        """The query's values by the canonical text of each measure.

        Raises MetricsError for a measure that these grades don't allow.
        """
        run = self._judged_run()
        by_text = {}
        for one in measures:
            values = one.measure.values(run)
            number = float((values if one.digits is None else round_half_up(values, one.digits))[0])
            by_text[str(one)] = value(None if isnan(number) else number)
        return by_text

    def chip(self, name: str) -> GradeChip:
        """The grade of a document, by its external ID."""
        grade = self._consensus.get(name)
        return self._chips.of_consensus(grade) if grade else GradeChip(None, UNJUDGED)

    def score(self, row: WorkedRow) -> float | None:
        """The retrieval score at a rank, if the run has scores."""
        return self.scores[row.rank - 1] if self.scores else None

    def tied(self, row: WorkedRow) -> str:
        """The ranks with the same score as this one; empty if there are none."""
        return self._tied_ranks[row.rank - 1] if self._tied_ranks else ""

    def _judged_run(self) -> JudgedRun:
        hits = [(row.rank, row.grade) for row in self.worked.rows if row.grade is not None]
        return judged_run(
            answered=[not self.missing],
            retrieved=[len(self.documents)],
            hit_query=[0] * len(hits),
            hit_rank=[rank for rank, _ in hits],
            hit_grade=[grade for _, grade in hits],
            judged_query=[0] * len(self._grades),
            judged_grade=self._grades,
            scale=scale_info(self._scale),
        )

    def _value(self, name: str) -> float | None:
        grade = self._consensus.get(name)
        return grade.value if grade else None

    def _place(self, ideal: str, row: IdealRow) -> IdealPlace:
        if row.source is None:
            return IdealPlace(row, "", "", self._chips.of_value(row.grade))
        if ideal == "global":
            grade = self._judged[row.source]
            return IdealPlace(
                row, str(grade.document), grade.document.external_id, self._chips.of_consensus(grade)
            )
        name = self.documents[row.source]
        return IdealPlace(row, self.name_of(name), name, self.chip(name))


class Chips:
    """Turns grades of a scale into chips for the page."""

    def __init__(self, scale: Scale) -> None:
        self._top = scale_info(scale).top_grade
        self._labels = {} if scale.continuous else {grade.value: grade.label for grade in scale.grades.all()}

    def of_value(self, value: float | None, how: str = "") -> GradeChip:
        if value is None:
            return GradeChip(None, UNJUDGED, how)
        share = value / self._top if self._top > 0 else 0.0
        return GradeChip(value, self._labels.get(value, ""), how, heat(share))

    def of_consensus(self, grade: ConsensusGrade) -> GradeChip:
        if grade.undecided:
            return GradeChip(None, "undecided", grade.how)
        return self.of_value(grade.value, grade.how)


def neighbors(
    judgment_list: JudgmentList, query: Query, version: Version | None = None
) -> tuple[int | None, int | None]:
    """The judged queries of the list before and after this one, in the order of the query set. Two queries."""
    if version is None:
        keys = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False).values(
            "query_id"
        )
        queries = Query.objects.filter(pk__in=keys)
    else:
        queries = Query.objects.filter(pk__in=version.queries.values("query_id"))
    before = queries.filter(pk__lt=query.pk).order_by("-pk").values_list("pk", flat=True).first()
    after = queries.filter(pk__gt=query.pk).order_by("pk").values_list("pk", flat=True).first()
    return before, after


def _consensus(judgment_list: JudgmentList, query: Query) -> Mapping[str, ConsensusGrade]:
    """By the documents' external IDs, undecided ones included."""
    grades = ConsensusGrade.objects.filter(judgment_list=judgment_list, query=query)
    grades = grades.select_related("document").defer("document__body", "document__fields")
    explain_grades(grades)
    return {grade.document.external_id: grade for grade in grades}


def _frozen(version: Version, query: Query) -> Mapping[str, ConsensusGrade]:
    """The same for a version, which has no undecided ones. Two queries."""
    block = VersionGrades.objects.select_related("version").filter(version=version, query=query).first()
    if block is None:
        return {}
    documents = Document.objects.defer("body", "fields").in_bulk(block.documents)
    grades = {}
    columns = (block.documents, block.names, block.values, frozen_explanations(block))
    for document, name, grade, how in zip(*columns, strict=True):
        grades[name] = ConsensusGrade(document=documents[document], value=grade)
        grades[name].how = how
    return grades
