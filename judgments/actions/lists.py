"""Writes about judgment lists."""

from django.db import transaction

from judgments.actions.consensus import refresh_consensus
from judgments.actions.names import given_once
from judgments.actions.pairs import set_overlap
from judgments.errors import JudgmentsError
from judgments.models import MAX_OVERLAP, JudgmentList, QuerySet, Rule, Scale, Tie, User
from judgments.words import tidied

UNIQUE_NAME = "judgment_list_name_unique"


class ScaleFixedError(JudgmentsError):
    """Judgments were given on a scale; another would make nonsense of them."""

    def __init__(self, judgment_list: JudgmentList) -> None:
        super().__init__(f"The scale of {judgment_list.name} is fixed, because judgments were given on it.")


@transaction.atomic
def create_list(
    *,
    query_set: QuerySet,
    user: User,
    name: str,
    description: str,
    guidelines: str = "",
    scale: Scale,
    overlap: int = 1,
    rule: str = Rule.MEDIAN,
    tie: str = Tie.LOWER,
) -> JudgmentList:
    """A list without pairs. Raises NameTakenError."""
    with given_once(name, constraint=UNIQUE_NAME):
        return JudgmentList.objects.create(
            query_set=query_set,
            created_by=user,
            name=name,
            description=description,
            guidelines=tidied(guidelines),
            scale=scale,
            overlap=overlap,
            rule=rule,
            tie=tie,
        )


@transaction.atomic
def change_list(
    *,
    judgment_list: JudgmentList,
    name: str,
    description: str,
    guidelines: str,
    scale: Scale,
    overlap: int,
    rule: str,
    tie: str,
) -> None:
    """Other guidelines get a new version; another rule or tie rule is applied to every grade; slots follow the overlap."""
    stored = JudgmentList.objects.select_for_update().get(pk=judgment_list.pk)
    if scale.pk != stored.scale_id and stored.judgments.exists():
        raise ScaleFixedError(stored)
    other_rule = (rule, tie) != (stored.rule, stored.tie)
    other_overlap = overlap != stored.overlap
    guidelines = tidied(guidelines)
    if guidelines != tidied(stored.guidelines):
        stored.guidelines_version += 1
    stored.name, stored.description, stored.guidelines = name, description, guidelines
    stored.scale, stored.rule, stored.tie = scale, rule, tie
    with given_once(name, constraint=UNIQUE_NAME):
        stored.save(
            update_fields=["name", "description", "guidelines", "guidelines_version", "scale", "rule", "tie"]
        )
    if other_overlap:
        set_overlap(judgment_list=stored, overlap=overlap)
    if other_rule:
        refresh_consensus(judgment_list=stored)


@transaction.atomic
def set_paused(*, judgment_list: JudgmentList, paused: bool) -> None:
    judgment_list.paused = paused
    judgment_list.save(update_fields=["paused"])


class NamedListError(JudgmentsError):
    """A list that a command names is not there and cannot be made."""


@transaction.atomic
def list_named(
    *, query_set: QuerySet, name: str, create: bool, scale: str | None, overlap: int
) -> JudgmentList:
    """The list of this name, whatever its case; made on the named scale on request, else NamedListError."""
    found = JudgmentList.objects.filter(query_set=query_set, name__iexact=name).first()
    if found:
        return found
    if not create:
        raise NamedListError(f"{query_set} has no list “{name}”; make it with --create and --scale.")
    if not 1 <= overlap <= MAX_OVERLAP:
        raise NamedListError(f"The overlap is {overlap}; it must lie between 1 and {MAX_OVERLAP}.")
    chosen = Scale.objects.usable_in(query_set).filter(name__iexact=scale or "").order_by("query_set").first()
    if chosen is None:
        names = ", ".join(Scale.objects.usable_in(query_set).values_list("name", flat=True))
        raise NamedListError(f"Name the scale of the new list with --scale: {names}.")
    return JudgmentList.objects.create(query_set=query_set, name=name, scale=chosen, overlap=overlap)
