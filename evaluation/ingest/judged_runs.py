"""Joins what the database gives (grades and hits by id) into the arrays that scoring reads."""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from evaluation.ingest.scores import QueryGrades, QueryHits
from evaluation.metrics.arrays import JudgedRun, judged_run
from evaluation.metrics.scale import ScaleInfo
from evaluation.metrics.types import Floats, Ints


class GradeIndex:
    """The judged queries of a list, ready to be joined to one run after the other."""

    def __init__(self, grades: Iterable[QueryGrades], scale: ScaleInfo) -> None:
        self._grades = sorted(grades)
        self._scale = scale
        self._place = {grades.query_id: place for place, grades in enumerate(self._grades)}
        counts = np.array([len(grades.documents) for grades in self._grades], dtype=np.int64)
        self._judged_query: Ints = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        self._judged_grade: Floats = np.fromiter(
            chain.from_iterable(grades.values for grades in self._grades), dtype=np.float64
        )
        documents = _ints(grades.documents for grades in self._grades)
        self._documents, place = np.unique(documents, return_inverse=True)
        # Query and document in one number, which rises as each query's documents come in the order of their ids.
        self._keys = self._judged_query * len(self._documents) + place

    @property
    def queries(self) -> list[int]:
        """The ids of the judged queries, in the order of the arrays."""
        return list(self._place)

    def join(self, hits: Sequence[QueryHits]) -> JudgedRun:
        """The run whose rankings these are. Queries without a grade in the list are left out."""
        hits = sorted((hit for hit in hits if hit.query_id in self._place), key=lambda hit: hit.query_id)
        places = np.array([self._place[hit.query_id] for hit in hits], dtype=np.int64)
        answered = np.zeros(len(self._place), dtype=np.bool_)
        answered[places] = True
        retrieved = np.zeros(len(self._place), dtype=np.int64)
        retrieved[places] = [hit.size for hit in hits]
        query = np.repeat(places, np.array([len(hit.ranks) for hit in hits], dtype=np.int64))
        judgment = self._find(query, _ints(hit.documents for hit in hits))
        graded = judgment >= 0
        return judged_run(
            answered=answered,
            retrieved=retrieved,
            hit_query=query[graded],
            hit_rank=_ints(hit.ranks for hit in hits)[graded],
            hit_grade=self._judged_grade[judgment[graded]],
            judged_query=self._judged_query,
            judged_grade=self._judged_grade,
            scale=self._scale,
        )

    def _find(self, query: Ints, document: Ints) -> Ints:
        """Where the judgment of each query and document stands; -1 for a pair that this list has not graded."""
        if not self._keys.size:
            return np.full(len(query), -1, dtype=np.int64)
        place = np.searchsorted(self._documents, document)
        place[place == len(self._documents)] = 0
        key = query * len(self._documents) + place
        judgment = np.searchsorted(self._keys, key)
        judgment[judgment == len(self._keys)] = 0
        found = (self._documents[place] == document) & (self._keys[judgment] == key)
        return np.where(found, judgment, -1)


def _ints(parts: Iterable[Iterable[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(parts), dtype=np.int64)
