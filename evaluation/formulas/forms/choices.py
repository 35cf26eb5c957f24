"""Formulas to choose from by name: those of the tools, and those that the query set keeps."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.http import QueryDict

from evaluation.formulas.reports import OWN, saved_choice
from evaluation.models import SavedFormula
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF
from touchstone_core.metrics.gain import check_gain
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.selection import Selection, read_measures, with_cutoff, write_measures

CHOICE: Final = "choice"


class NamedChoice(NamedTuple):
    """A choice by name: its key and what it stands for. `unknown` is a key that names nothing."""

    key: str = ""
    chosen: Selection | None = None
    unknown: str = ""


def read_choice(
    data: QueryDict, saved: Sequence[SavedFormula], scale: ScaleInfo, *, explicit: bool
) -> NamedChoice:
    """The formula that the choice names, or the query set's default if the URL names none.

    A choice that the page showed before decides nothing, because then a field was changed. A default that the scale
    doesn't allow is ignored, so that every list has a page to start with.
    """
    if not explicit:
        default = next((formula for formula in saved if formula.is_default), None)
        chosen = saved_choice(default) if default else None
        return NamedChoice(chosen=chosen if chosen and _fits(chosen, scale) else None)
    choice = data.get(CHOICE, "")
    if not choice or choice == data.get("was", ""):
        return NamedChoice(choice or data.get("as", ""))
    return _find(choice, saved, _cutoff(data.get("k", "")) or DEFAULT_CUTOFF)


def following(data: QueryDict) -> str:
    """The text of the further measures. Those at the cutoff that the page showed before follow a changed one."""
    text = data.get("measures", "")
    before, cutoff = _cutoff(data.get("was_k", "")), _cutoff(data.get("k", ""))
    if before is None or cutoff in (None, before):
        return text
    try:
        return write_measures(with_cutoff(read_measures(text), before, cutoff))
    except MetricsError:  # the form says what is wrong
        return text


def _cutoff(text: str) -> int | None:
    is_cutoff = text.isdecimal() and len(text) <= 6 and 1 <= int(text) <= GREATEST_CUTOFF
    return int(text) if is_cutoff else None


def _fits(chosen: Selection, scale: ScaleInfo) -> bool:
    try:
        check_gain(chosen.formula.gain, scale)
        for each in chosen.measures:
            check_gain(str(dict(each.measure.parameters).get("gain", "linear")), scale)
    except MetricsError:
        return False
    return True


def _find(choice: str, saved: Sequence[SavedFormula], cutoff: int) -> NamedChoice:
    if choice in PRESETS:
        return NamedChoice(choice, Selection.of_preset(PRESETS[choice], cutoff))
    own = {f"{OWN}{formula.pk}": formula for formula in saved}
    if choice in own:
        return NamedChoice(choice, saved_choice(own[choice]))
    return NamedChoice(unknown=choice)


def choices_of(saved: Sequence[SavedFormula]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Keys and names of all formulas, in groups."""
    own = [(f"{OWN}{formula.pk}", formula.name + " (default)" * formula.is_default) for formula in saved]
    tools = [(preset.key, preset.name) for preset in PRESETS.values()]
    return [("Of this query set", own), ("Of other tools", tools)] if own else [("Of other tools", tools)]
