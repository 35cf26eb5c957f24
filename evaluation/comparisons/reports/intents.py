"""Runs by the queries that a change was meant to touch, and by all others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, OuterRef, When

from evaluation.models import IntendedQuery, Intent, Run
from judgments.base.keys import key_in
from judgments.models import QuerySet
from touchstone_core.comparison.comparison import Figures, intent_counts
from touchstone_core.comparison.values import DASH, percent_text
from touchstone_core.formats.columns import Column
from touchstone_core.impact.intent import IntentCounts, intent_words
from touchstone_core.metrics.types import Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class IntentQueries:
    """An intent with the keys of its queries."""

    intent: Intent
    queries: Ints

    def of(self, queries: Ints) -> Mask:
        """(Q,) which of these it names."""
        return np.isin(queries, self.queries)


def intended_column(intent_queries: IntentQueries | None) -> Column[Any]:
    """Whether the row's `query` is one of the intent; empty without an intent."""
    keys = set(intent_queries.queries.tolist()) if intent_queries else None
    return Column("intended", value=lambda row: None if keys is None else row.query.pk in keys)


@dataclass(frozen=True, slots=True, eq=False)
class IntentChoice:
    """The intents of a query set by name, and the one that an address names; `missing` where that is none of them."""

    every: list[Intent]
    current: IntentQueries | None
    missing: bool


def read_intents(query_set: QuerySet | int, text: str | None) -> IntentChoice:
    """`text` is what an address says. One statement, which reads the queries of that intent only."""
    keys = ArraySubquery(IntendedQuery.objects.filter(intent=OuterRef("pk")).values("query"))
    intents = Intent.objects.filter(query_set=query_set).annotate(keys=Case(When(pk=key_in(text), then=keys)))
    every = list(intents.order_by("name"))
    intent = next((intent for intent in every if str(intent.pk) == text), None)
    current = IntentQueries(intent, np.array(vars(intent)["keys"], dtype=np.int64)) if intent else None
    return IntentChoice(every, current, bool(text) and intent is None)


def intent_json(intent_queries: IntentQueries, counts: Sequence[IntentCounts]) -> dict[str, Any]:
    """The counts of runs in their order; `queries` are all of the intent, compared or not."""
    return {
        "name": intent_queries.intent.name,
        "queries": len(intent_queries.queries),
        "chosen_at": intent_queries.intent.chosen_at.isoformat(),
        "runs": [one.as_json() for one in counts],
    }


def comparison_intent(
    intent_queries: IntentQueries, runs: Sequence[Run], figures: Figures, *, ranks: bool
) -> dict[str, Any]:
    """From the stored figures of a comparison. `ranks`: a higher value is a better one."""
    return intent_page(intent_queries, runs, compared_intent(intent_queries, figures), ranks=ranks)


def compared_intent(intent_queries: IntentQueries, figures: Figures) -> list[IntentCounts]:
    """Of each run but the first."""
    return intent_counts(intent_queries.of, figures)


def intent_page(
    intent_queries: IntentQueries, runs: Sequence[Run], counts: Sequence[IntentCounts], *, ranks: bool
) -> dict[str, Any]:
    """A row for each run but the first; `when` says whether the queries were named before it was uploaded. `left_out` of the
    named queries are not compared."""
    rows = [
        {
            "run": run,
            "counts": one,
            "words": intent_words(one, ranks=ranks),
            "when": "before upload" if intent_queries.intent.chosen_at <= run.created_at else "after upload",
            "precision": _percent(one.precision),
            "recall": _percent(one.recall),
        }
        for run, one in zip(runs[1:], counts, strict=True)
    ]
    every = len(intent_queries.queries)
    left_out = every - counts[0].intended.queries
    return {"intent": intent_queries.intent, "queries": every, "left_out": left_out, "rows": rows}


def _percent(share: float | None) -> str:
    return DASH if share is None else percent_text(share)
