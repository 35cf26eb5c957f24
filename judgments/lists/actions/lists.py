"""Writes about judgment lists."""

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from types import EllipsisType
from typing import Any

from django.db import transaction
from django.utils import timezone

from judgments.base.digits import written
from judgments.base.errors import JudgmentsError
from judgments.base.names import given_once
from judgments.base.sql import locks
from judgments.content.reports.content import refuse_if_changed
from judgments.grades.actions.consensus import change_rule
from judgments.lists.actions.pairs import (
    RATERS_PER_PAIR,
    check_overlap,
    record_change,
    set_adaptive,
    set_overlap,
)
from judgments.lists.sql import required_slots
from judgments.log.actions import one_act, readable_fields, record_act
from judgments.models import AssignmentMode, Evidence, JudgmentList, QuerySet, Scale, User, Verb, View
from touchstone_core.grades.rules import Rule, Tie
from touchstone_core.words import names_there_are, tidied

NOTE_LENGTH = 300
UNIQUE_NAME = "judgment_list_name_unique"


class ScaleFixedError(JudgmentsError):
    """The list has judgments on its scale, and another scale would make nonsense of them."""

    def __init__(self, judgment_list: JudgmentList) -> None:
        super().__init__(
            f"The scale of {judgment_list.name} is fixed, because the list already has judgments."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """How raters judge a list: who gets pairs, in which view, what they answer beside the grade, how gold and repeats come in."""

    assignment: str = AssignmentMode.OPEN
    view: str = View.DOCUMENT
    evidence: str = Evidence.OFF
    evidence_grades: Sequence[float] = ()
    confidence: bool = False
    gold_rate: int = 0
    onboarding: int = 0
    repeat_rate: int = 0

    def on(self, scale: Scale) -> dict[str, object]:
        """The fields of a list on this scale, without `evidence_grades` that the scale lacks."""
        values = {grade.value for grade in scale.grades.all()}
        return asdict(self) | {"evidence_grades": sorted(values & set(self.evidence_grades))}


CONDUCT = tuple(field.name for field in fields(Conduct))
SETTINGS = (
    *("name", "description", "guidelines", "guidelines_version", "scale", "rule", "tie"),
    *RATERS_PER_PAIR,
    *CONDUCT,
)


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
    adaptive: tuple[float, int] | None = None,
    conduct: Conduct | None = None,
) -> JudgmentList:
    """Creates a list without pairs. `adaptive` is as for `change_list`. Raises NameTakenError and AdaptiveError."""
    with given_once(name, constraint=UNIQUE_NAME):
        judgment_list = JudgmentList.objects.create(
            query_set=query_set,
            created_by=user,
            name=name,
            description=description,
            guidelines=tidied(guidelines),
            scale=scale,
            overlap=overlap,
            rule=rule,
            tie=tie,
            **(conduct or Conduct()).on(scale),
        )
    if adaptive is not None:
        with one_act():
            set_adaptive(judgment_list=judgment_list, step=adaptive[0], most=adaptive[1])
    _record_new(judgment_list)
    return judgment_list


def settings_of(judgment_list: JudgmentList) -> dict[str, Any]:
    """The settings that the form of a list shows, in words."""
    return readable_fields(judgment_list, *(name for name in SETTINGS if name != "guidelines_version"))


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
    adaptive: tuple[float, int] | EllipsisType | None = ...,
    conduct: Conduct | None = None,
    seen_mark: str | None = None,
) -> None:
    """Saves settings. New guidelines get a new version, a new rule or tie rule is applied to every grade, slots follow the overlap.

    `adaptive` adds a rater where grades differ by the first number, up to the second number of raters; None adds nobody.
    Leave out `adaptive` or `conduct` to keep it. `seen_mark` marks the settings that the user saw before saving (see
    `mark_of_facts` and `settings_of`). Raises ChangedSinceError where the settings have changed since.
    """
    locks.lock_list(judgment_list.pk)
    lists = JudgmentList.objects.select_related("scale")
    stored = lists.select_for_update(of=("self",), no_key=True).get(pk=judgment_list.pk)
    refuse_if_changed("judgment list", stored, settings_of(stored), seen_mark)
    if scale.pk != stored.scale_id and stored.judgments.exists():
        raise ScaleFixedError(stored)
    before = readable_fields(stored, *SETTINGS)
    other_rule = (rule, tie) != (stored.rule, stored.tie)
    other_overlap = overlap != stored.overlap
    guidelines = tidied(guidelines)
    if guidelines != tidied(stored.guidelines):
        stored.guidelines_version += 1
    stored.name, stored.description, stored.guidelines = name, description, guidelines
    stored.scale = scale
    with given_once(name, constraint=UNIQUE_NAME):
        stored.save(update_fields=["name", "description", "guidelines", "guidelines_version", "scale"])
    with one_act():
        if conduct is not None:
            set_conduct(judgment_list=stored, conduct=conduct)
        if other_overlap:
            set_overlap(judgment_list=stored, overlap=overlap)
        if adaptive is not ...:
            step, most = adaptive or (None, None)
            if (step, most) != (stored.adaptive_step, stored.overlap_most):
                set_adaptive(judgment_list=stored, step=step, most=most)
        if other_rule:
            change_rule(judgment_list=stored, rule=rule, tie=tie)
    record_change(stored, before)


@dataclass(frozen=True, slots=True)
class SlotEffect:
    """What another number of raters per pair does to open slots: `added`, `removed` at once, or `held` by raters until free.

    `key` names these numbers of raters, so that a confirmation counts for them alone.
    """

    added: int
    removed: int
    held: int
    key: str


def effect_of(
    *,
    judgment_list: JudgmentList,
    scale: Scale,
    overlap: int,
    adaptive: tuple[float, int] | None,
    at: datetime,
) -> SlotEffect | None:
    """What `change_list` would do to the slots, without doing it; None where it would change none.

    One statement over the list's pairs, only where the number of raters changes.
    """
    step, most = adaptive or (None, None)
    raters = (overlap, step, most)
    if raters == (judgment_list.overlap, judgment_list.adaptive_step, judgment_list.overlap_most):
        return None
    plan = copy(judgment_list)
    plan.scale = scale
    plan.overlap, plan.adaptive_step, plan.overlap_most = raters
    added, removed, held = required_slots.effect(plan, at=at)
    key = "-".join("" if number is None else written(number) for number in raters)
    return SlotEffect(added, removed, held, key) if added or removed or held else None


@transaction.atomic
def set_conduct(*, judgment_list: JudgmentList, conduct: Conduct) -> None:
    """Saves how raters judge. Pairs that raters already hold stay with them."""
    before = readable_fields(judgment_list, *CONDUCT)
    for name, value in conduct.on(judgment_list.scale).items():
        setattr(judgment_list, name, value)
    judgment_list.save(update_fields=CONDUCT)
    record_change(judgment_list, before)


@transaction.atomic
def set_assignment(*, judgment_list: JudgmentList, mode: AssignmentMode) -> None:
    """Lets every rater of the query set judge, or assigned raters only."""
    before = readable_fields(judgment_list, "assignment")
    judgment_list.assignment = mode
    judgment_list.save(update_fields=["assignment"])
    record_change(judgment_list, before)


@transaction.atomic
def set_paused(
    *,
    judgment_list: JudgmentList,
    paused: bool,
    user: User | None = None,
    note: str = "",
    at: datetime | None = None,
) -> None:
    """Pauses or resumes a list. While it's paused nobody gets further pairs; raters read who paused it, when, and the note.

    Nothing happens if that was done already, as by the first of two clicks.
    """
    note = note.strip()[:NOTE_LENGTH] if paused else ""
    if (judgment_list.paused, judgment_list.pause_note) == (paused, note):
        return
    judgment_list.paused = paused
    judgment_list.paused_by = user if paused else None
    judgment_list.paused_at = (at or timezone.now()) if paused else None
    judgment_list.pause_note = note
    judgment_list.save(update_fields=["paused", "paused_by", "paused_at", "pause_note"])
    record_act(
        Verb.PAUSED if paused else Verb.RESUMED,
        f"list {judgment_list}",
        judgment_list=judgment_list,
        note=judgment_list.pause_note,
    )


def _record_new(judgment_list: JudgmentList) -> None:
    after = {name: value for name, value in readable_fields(judgment_list, *SETTINGS).items() if value}
    record_act(Verb.CREATED, f"list {judgment_list}", judgment_list=judgment_list, after=after)


class NamedListError(JudgmentsError):
    """A command names a list that doesn't exist and can't be created."""


class NoListError(NamedListError):
    """The query set has no list of this name."""

    def __init__(self, query_set: QuerySet, name: str) -> None:
        lists = query_set.judgment_lists.order_by("name").values_list("name", flat=True)
        super().__init__(f"{query_set} has no list “{name}”. {names_there_are(lists)}")


def _plain_name(name: str) -> str:
    """A name as people type it: “trec 0-3” for “TREC 0–3”."""
    return re.sub("[–—−]", "-", " ".join(name.split())).casefold()


@transaction.atomic
def list_named(
    *, query_set: QuerySet, name: str, create: bool, scale: str | None, overlap: int
) -> JudgmentList:
    """The list of this name in any case; with `create` a new one on the named scale. Else raises NamedListError or OverlapError."""
    judgment_list = JudgmentList.objects.filter(query_set=query_set, name__iexact=name).first()
    if judgment_list:
        return judgment_list
    if not create:
        raise NoListError(query_set, name)
    check_overlap(overlap)
    usable = list(Scale.objects.usable_in(query_set).order_by("query_set", "pk"))
    alike = [one for one in usable if _plain_name(one.name) == _plain_name(scale or "")]
    match = next((one for one in alike if one.name == scale), alike[0] if alike else None)
    if match is None:
        names = ", ".join(one.name for one in usable)
        unknown = f"{query_set} has no scale “{scale}”. " if scale else ""
        raise NamedListError(f"{unknown}Name the scale of the new list with --scale: {names}.")
    judgment_list = JudgmentList.objects.create(query_set=query_set, name=name, scale=match, overlap=overlap)
    _record_new(judgment_list)
    return judgment_list
