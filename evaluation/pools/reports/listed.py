"""What a judgment list has already, by query and document."""

from collections import defaultdict

from judgments.models import JudgmentList, Pair, Slot, SlotState

Fresh = list[tuple[int, str]]
"""Query keys and external document IDs of pairs that a list lacks."""


def listed_documents(judgment_list: JudgmentList) -> defaultdict[int, dict[str, int]]:
    """Of each query, the documents that have a pair in the list, with its key."""
    documents: defaultdict[int, dict[str, int]] = defaultdict(dict)
    pairs = Pair.objects.filter(judgment_list=judgment_list).order_by()
    for query, document, pair in pairs.values_list("query_id", "document__external_id", "pk").iterator():
        documents[query][document] = pair
    return documents


def documents_with_open_slots(judgment_list: JudgmentList) -> set[tuple[int, str]]:
    """Query keys and external IDs of the pairs that wait for a rater."""
    slots = Slot.objects.filter(judgment_list=judgment_list, state=SlotState.OPEN, surplus=False)
    return set(slots.values_list("pair__query_id", "pair__document__external_id").order_by().distinct())
