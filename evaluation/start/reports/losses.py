"""What would be lost with a query set or a judgment list, counted before anybody confirms it."""

from dataclasses import dataclass

from django.db.models import Model, Q

from evaluation.models import Comparison, Evaluation, Run, SavedFormula
from judgments.models import Document, Judgment, JudgmentList, Pair, Query, QuerySet, Rater, Version
from touchstone_core.words import counted


@dataclass(frozen=True, slots=True)
class Losses:
    """`things` with their numbers in words, the weightiest first; nothing is left out because it is small.

    `scored_versions` are the versions that stored scores name, as “First pass, version 2”.
    """

    things: list[str]
    scored_versions: list[str]


def losses_of_query_set(query_set: QuerySet) -> Losses:
    """Eleven queries, none of which reads rows into this process but the names of versions."""
    lists = JudgmentList.objects.filter(query_set=query_set)
    mine = Q(query_set=query_set)
    things = [
        _some(Query, mine, "query", "queries"),
        _some(Document, mine, "document"),
        _some(JudgmentList, mine, "judgment list"),
        _some(Pair, mine, "pair"),
        _some(Judgment, Q(judgment_list__in=lists), "judgment"),
        _some(Version, mine, "frozen version"),
        _some(Run, mine, "run"),
        _some(Comparison, mine, "saved comparison"),
        _some(SavedFormula, mine, "saved formula"),
        _some(Rater, mine, "rater"),
    ]
    return Losses([one for one in things if one], _scored_versions(query_set))


def losses_of_list(judgment_list: JudgmentList) -> Losses:
    """Four queries. A list with versions cannot be deleted alone, so none are named."""
    mine = Q(judgment_list=judgment_list)
    things = [
        _some(Pair, mine, "pair"),
        _some(Judgment, mine, "judgment"),
        _some(Evaluation, mine, "set of scores", "sets of scores"),
        _some(Comparison, mine, "saved comparison"),
    ]
    return Losses([one for one in things if one], [])


def _some(model: type[Model], which: Q, one: str, many: str = "") -> str:
    """The empty text for none."""
    count = model._default_manager.filter(which).count()
    return counted(count, one, many) if count else ""


def _scored_versions(query_set: QuerySet) -> list[str]:
    keys = Evaluation.objects.filter(query_set=query_set, version__isnull=False).values("version")
    versions = Version.objects.filter(pk__in=keys).select_related("judgment_list")
    return [
        f"{version.judgment_list.name}, {version}" for version in versions.order_by("judgment_list", "number")
    ]
