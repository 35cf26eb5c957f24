"""Keeps the totals of evaluations in step with their scores. Called inside a transaction that has locked the evaluations."""

from collections.abc import Collection, Mapping, Sequence

from evaluation.models import Evaluation
from evaluation.scores.sql import totals
from evaluation.scores.sql.scores import State
from evaluation.scores.sql.summaries import store_summaries


class TotalsKeeper:
    """Adjusts totals where few queries have changed, and sums the others anew.

    To be made before anything is read. Under READ COMMITTED a query may be deleted at any time, with its scores. If it
    went before, the totals aren't trusted. If it goes later, they hold a number of queries that the next visit finds no
    more.
    """

    def __init__(self, query_set_id: int, evaluations: Sequence[Evaluation], cutoff: int) -> None:
        self._query_set_id, self._cutoff = query_set_id, cutoff
        self._evaluations = {one.pk: one for one in evaluations}
        scored = [one.pk for one in evaluations if one.revision >= 0]
        self._trusted = totals.read_trusted(query_set_id, scored) if scored else frozenset()
        self._adjusted: set[int] = set()
        self._keys: list[totals.Key] = []
        self._fingerprint = 0

    def before(self, state: State, changes: Mapping[int, Collection[int]]) -> None:
        self._fingerprint = state.fingerprint
        for key, queries in changes.items():
            one = self._evaluations[key]
            scores = state.scores.get(one.revision, 0)
            if key in self._trusted and scores == one.judged_queries and 2 * len(queries) <= scores:
                self._adjusted.add(key)
                self._keys += [totals.Key(key, one.run_id, query) for query in queries]
        self._adjust(-1)

    def after(self) -> None:
        self._adjust(1)

    def finish(self, stale: Collection[int], fingerprint: int) -> None:
        """Stores the summaries of these evaluations."""
        if not stale:
            return
        if anew := [key for key in stale if key not in self._adjusted]:
            totals.count_anew(self._query_set_id, anew, fingerprint, self._cutoff)
        store_summaries(stale)

    def _adjust(self, sign: int) -> None:
        if self._adjusted:
            found = totals.adjust(self._query_set_id, self._keys, self._fingerprint, self._cutoff, sign=sign)
            if sign > 0 and found < len(self._adjusted):
                totals.mark(self._adjusted, self._fingerprint)
