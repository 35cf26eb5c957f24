"""One query of a run, worked out so that every figure can be checked by hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import Left

from evaluation.ingest.blocks import unpack_documents, unpack_scores
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.worked import IdealRow, WorkedQuery, WorkedRow, work_out
from evaluation.models import Ranking, Run
from evaluation.reports.scales import scale_info
from evaluation.reports.values import Segment, heat, segments, short
from judgments.formats.spreadsheet import Cell
from judgments.models import ConsensusGrade, Document, JudgmentList, Query, Scale

TEASER = 200
SHOWN = 100
UNJUDGED = "unjudged"
IDEAL_WORDS = {
    "local": "the retrieved documents within the cutoff, best first",
    "recall": "the retrieved documents down to the recall depth, best first",
    "global": "all judged documents of the query, best first",
    "max": "the scale's best grade at every rank",
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
    """A rank of the ranking. `document` is None where nothing but the external id is known."""

    worked: WorkedRow
    external_id: str
    document: Document | None
    grade: GradeChip
    retrieval_score: float | None

    @property
    def gain(self) -> str:
        return short(self.worked.gain)

    @property
    def link(self) -> str:
        """The document's own address, if a browser may be sent there."""
        url = self.document.url if self.document else ""
        return url if url.lower().startswith(("http://", "https://")) else ""


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
    ndcg: float

    @property
    def shown(self) -> list[IdealPlace]:
        return self.rows[:SHOWN]

    @property
    def more(self) -> int:
        return max(len(self.rows) - SHOWN, 0)


class DrillDown:
    """A query's ranking joined to its grades, and everything that follows from them. Costs three queries.

    `missing`: the run has no ranking for the query. A ranking may be long; `page` gives some of its ranks.
    """

    def __init__(self, judgment_list: JudgmentList, run: Run, query: Query, formula: Formula) -> None:
        self.formula = formula
        self.run, self.query, self.judgment_list = run, query, judgment_list
        self._chips = Chips(judgment_list.scale)
        self._consensus = _consensus(judgment_list, query)
        graded = [grade for grade in self._consensus.values() if grade.value is not None]
        self._judged = sorted(graded, key=lambda grade: grade.document.external_id)
        ranking = Ranking.objects.filter(query_set=run.query_set_id, query=query, run=run).first()
        self.missing = ranking is None
        self.documents = unpack_documents(ranking.documents) if ranking else []
        self.scores: Sequence[float] | None = None
        if ranking and ranking.scores is not None:
            self.scores = unpack_scores(ranking.scores).tolist()
        self.worked: WorkedQuery = work_out(
            [self._value(name) for name in self.documents],
            [grade.value for grade in self._judged if grade.value is not None],
            formula,
            scale_info(judgment_list.scale),
        )

    @property
    def judged(self) -> int:
        """Documents with a grade, retrieved or not."""
        return len(self._judged)

    @property
    def holes(self) -> int:
        return sum(row.inside and row.grade is None for row in self.worked.rows)

    @property
    def ladder(self) -> list[Segment]:
        losses = self.worked.losses
        return segments(
            self.worked.dcg, losses["order"], losses["depth"], losses["recall"], losses["content"]
        )

    def page(self, first: int, last: int) -> list[RankedRow]:
        """The ranks from `first` to `last`. Costs a query for the documents' texts."""
        names = self.documents[first - 1 : last]
        documents = _documents(self.query, names)
        return [
            self._ranked(worked, name, documents.get(name))
            for worked, name in zip(self.worked.rows[first - 1 : last], names, strict=True)
        ]

    def ideals(self) -> list[IdealList]:
        return [
            IdealList(
                name=name,
                words=IDEAL_WORDS[name],
                measure=self.formula.measure(name),
                rows=[self._place(name, row) for row in self.worked.ideals[name].rows],
                total=self.worked.ideals[name].total,
                ndcg=self.worked.ndcg[name],
            )
            for name in IDEALS
        ]

    def csv(self) -> Iterator[list[Cell]]:
        """Ranking and ideal lists below each other, one rank a line: the part is in the column `of`."""
        yield [
            *("list", "formula", "run", "query id", "query", "of", "rank", "document", "grade"),
            *("gain", "discount", "contribution", "cumulative DCG", "retrieval score", "consensus"),
        ]
        names: list[Cell] = [
            self.judgment_list.name, self.formula.key, self.run.name, self.query.external_id, self.query.text,
        ]  # fmt: skip
        for place, row in enumerate(self.worked.rows):
            name, score = self.documents[place], self.scores[place] if self.scores else None
            chip = self._chip(name)
            yield [
                *names, "ranking", row.rank, name, row.grade, row.gain, row.discount, row.contribution,
                row.cumulative, score, chip.how,
            ]  # fmt: skip
        for ideal in self.ideals():
            yield from self._ideal_csv(names, ideal)

    def _ideal_csv(self, names: list[Cell], ideal: IdealList) -> Iterator[list[Cell]]:
        total = 0.0
        for place in ideal.rows:
            row = place.worked
            total += row.contribution
            yield [
                *names, f"ideal {ideal.name}", row.rank, place.external_id, row.grade, row.gain, row.discount,
                row.contribution, total, None, place.grade.how,
            ]  # fmt: skip

    def _value(self, name: str) -> float | None:
        grade = self._consensus.get(name)
        return grade.value if grade else None

    def _chip(self, name: str) -> GradeChip:
        grade = self._consensus.get(name)
        return self._chips.of_consensus(grade) if grade else GradeChip(None, UNJUDGED)

    def _ranked(self, worked: WorkedRow, name: str, document: Document | None) -> RankedRow:
        score = self.scores[worked.rank - 1] if self.scores else None
        return RankedRow(worked, name, document, self._chip(name), score)

    def _place(self, ideal: str, row: IdealRow) -> IdealPlace:
        if row.source is None:
            return IdealPlace(row, "", "", self._chips.of_value(row.grade))
        if ideal == "global":
            grade = self._judged[row.source]
            return IdealPlace(
                row, str(grade.document), grade.document.external_id, self._chips.of_consensus(grade)
            )
        name = self.documents[row.source]
        known = self._consensus.get(name)
        return IdealPlace(row, str(known.document) if known else name, name, self._chip(name))


class Chips:
    """Grades of a scale, ready to be shown."""

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


def neighbors(judgment_list: JudgmentList, query: Query) -> tuple[int | None, int | None]:
    """The judged queries of the list before and after this one, in the order of the query set. Two queries."""
    judged = Query.objects.filter(pk__in=_judged_queries(judgment_list))
    before = judged.filter(pk__lt=query.pk).order_by("-pk").values_list("pk", flat=True).first()
    after = judged.filter(pk__gt=query.pk).order_by("pk").values_list("pk", flat=True).first()
    return before, after


def _judged_queries(judgment_list: JudgmentList) -> QuerySet[ConsensusGrade, int]:
    grades = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    return grades.values_list("query_id", flat=True)


def _consensus(judgment_list: JudgmentList, query: Query) -> Mapping[str, ConsensusGrade]:
    """By the documents' external ids, undecided ones included."""
    grades = ConsensusGrade.objects.filter(judgment_list=judgment_list, query=query)
    grades = grades.select_related("document").defer("document__body", "document__fields")
    return {grade.document.external_id: grade for grade in grades}


def _documents(query: Query, names: Iterable[str]) -> dict[str, Document]:
    """The documents that have a row, with the first words of their text as `teaser`."""
    found = Document.objects.filter(query_set=query.query_set_id, external_id__in=list(names))
    found = found.defer("body", "fields").annotate(teaser=Left("body", TEASER))
    return {document.external_id: document for document in found}
