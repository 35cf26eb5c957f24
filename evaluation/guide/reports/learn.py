"""“NDCG in 90 seconds”: five documents in any order, under the four ideals, with every sum worked out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from evaluation.guide.reports.examples import ZOOLANDER, ZOOLANDER_FORMULA
from touchstone_core.comparison.values import Value, fixed, short, value
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.worked_query import IdealRow, WorkedQuery, WorkedRow

QUESTIONS: Final = {
    "local": "Did we order what we showed?",
    "recall": "Could re-ranking have fixed it?",
    "global": "Could retrieval have fixed it?",
    "max": "Is there enough good content?",
}
BESTS: Final = {
    "local": "Best order of what’s shown",
    "recall": "Best page from all results",
    "global": "Best page from all judged documents",
    "max": "A top grade at every rank",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """The five documents: their grades, those that are retrieved, best rank first, the cutoff and the discount."""

    grades: Mapping[str, float]
    retrieved: tuple[str, ...]
    cutoff: int
    discount: str

    titles = ZOOLANDER.titles

    @property
    def parameters(self) -> dict[str, str]:
        """As an address has them."""
        grades = {f"grade-{document}": f"{grade:g}" for document, grade in self.grades.items()}
        chosen = {"k": str(self.cutoff), "discount": self.discount}
        return {"retrieved": ",".join(self.retrieved)} | chosen | grades

    @property
    def query(self) -> str:
        return urlencode(self.parameters, safe=",")

    @property
    def missed(self) -> list[str]:
        """The documents that aren't retrieved, best first."""
        others = [document for document in self.titles if document not in self.retrieved]
        return sorted(others, key=lambda document: -self.grades[document])

    def up(self, document: str) -> "Scene | None":
        """One rank higher; a document that isn't retrieved comes to the end. None at rank 1."""
        if document not in self.retrieved:
            return replace(self, retrieved=(*self.retrieved, document))
        rank = self.retrieved.index(document)
        return self._swapped(rank - 1) if rank else None

    def down(self, document: str) -> "Scene | None":
        """One rank lower; the last one is no longer retrieved. None where it isn't already."""
        if document not in self.retrieved:
            return None
        rank = self.retrieved.index(document)
        return (
            self._swapped(rank)
            if rank + 1 < len(self.retrieved)
            else replace(self, retrieved=self.retrieved[:-1])
        )

    def _swapped(self, rank: int) -> "Scene":
        names = list(self.retrieved)
        names[rank : rank + 2] = names[rank + 1], names[rank]
        return replace(self, retrieved=tuple(names))

    def work_out(self) -> WorkedQuery:
        formula = Formula(discount=self.discount, cutoff=self.cutoff)
        return replace(ZOOLANDER, grades=self.grades, ranking=self.retrieved).work_out(formula)


START: Final = Scene(
    grades=ZOOLANDER.grades,
    retrieved=tuple(ZOOLANDER.ranking),
    cutoff=ZOOLANDER_FORMULA.cutoff,
    discount=ZOOLANDER_FORMULA.discount,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A document on the page, with the scenes that its two arrows lead to. `row` is None where it isn't retrieved."""

    document: str
    title: str
    row: WorkedRow | None
    up: Scene | None
    down: Scene | None
    closes_page: bool = False

    @property
    def sum(self) -> str:
        """“1 × 0.5 = 0.5”; nothing below the cutoff."""
        row = self.row
        return f"{_product(row)} = {short(row.contribution)}" if row and row.inside else ""


@dataclass(frozen=True, slots=True)
class Bar:
    """An NDCG and the sum behind it. `division` leads to its value."""

    name: str
    ndcg: Value
    division: str
    best: str
    ideal_sum: str

    @property
    def question(self) -> str:
        return QUESTIONS[self.name]

    @property
    def width(self) -> float:
        return 100 * (self.ndcg.number or 0.0)


def learn_page(scene: Scene) -> dict[str, Any]:
    """What the page shows of a scene."""
    worked = scene.work_out()
    retrieved = list(_places(scene, worked))
    return {
        "scene": scene,
        "retrieved": retrieved,
        "missed": [
            Place(document, scene.titles[document], None, scene.up(document), scene.down(document))
            for document in scene.missed
        ],
        "dcg": fixed(worked.dcg),
        "dcg_sum": _sum([row for row in worked.rows if row.inside]),
        "bars": [_bar(name, worked) for name in worked.ideals],
    }


def _places(scene: Scene, worked: WorkedQuery) -> Iterator[Place]:
    last = min(scene.cutoff, len(scene.retrieved))
    for document, row in zip(scene.retrieved, worked.rows, strict=True):
        title, closes = scene.titles[document], row.rank == last
        yield Place(document, title, row, scene.up(document), scene.down(document), closes)


def _bar(name: str, worked: WorkedQuery) -> Bar:
    ideal, ndcg = worked.ideals[name], worked.ndcg[name]
    division = (
        f"{fixed(worked.dcg)} / {fixed(ideal.total)} ="
        if ideal.total
        else "No gain is possible, which counts as"
    )
    return Bar(name, value(ndcg), division, BESTS[name], f"{_sum(ideal.rows)} = {fixed(ideal.total)}")


def _sum(rows: "tuple[IdealRow, ...] | list[WorkedRow]") -> str:
    return " + ".join(map(_product, rows)) or "0"


def _product(row: "IdealRow | WorkedRow") -> str:
    return f"{short(row.gain)} × {short(row.discount)}"
