"""What a judgment list has already, by query and document."""

from collections import defaultdict
from typing import Any

from django.db.models import Exists, OuterRef
from django.db.models import QuerySet as Rows

from judgments.models import JudgmentList, Pair, Slot

Fresh = list[tuple[int, str]]
"""Query keys and external document IDs of pairs that a list lacks."""


def listed_documents(judgment_list: JudgmentList) -> defaultdict[int, dict[str, int]]:
    """Of each query, the documents that have a pair in the list, with its key. One statement."""
    documents: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for query, document, pair in _pairs(judgment_list).iterator():
        documents[query][document] = pair
    return documents


def listed_and_waiting(
    judgment_list: JudgmentList,
) -> tuple[defaultdict[int, dict[str, int]], set[tuple[int, str]]]:
    """The same, and query keys and external IDs of the pairs that wait for a rater. One statement."""
    documents: defaultdict[int, dict[str, int]] = defaultdict(dict)
    waiting = set()
    slots = Slot.objects.required().filter(pair=OuterRef("pk"))
    for query, document, pair, is_waiting in _pairs(judgment_list, Exists(slots)).iterator():
        documents[query][document] = pair
        if is_waiting:
            waiting.add((query, document))
    return documents, waiting


def _pairs(judgment_list: JudgmentList, *more: Exists) -> Rows[Pair, tuple[Any, ...]]:
    pairs = Pair.objects.filter(judgment_list=judgment_list).order_by()
    return pairs.values_list("query_id", "document__external_id", "pk", *more)
