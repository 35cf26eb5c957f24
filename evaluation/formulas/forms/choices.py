"""Formulas to choose from by name: those of the tools, and those that the query set keeps."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.http import QueryDict

from evaluation.formulas.reports.named import OWN, saved_choice
from evaluation.models import SavedFormula
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF
from touchstone_core.metrics.gain import check_gain
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.selection import Selection, read_measures, with_cutoff, write_measures

CHOICE: Final = "choice"


class Picked(NamedTuple):
    """What was picked by name: its key and what it stands for; `unknown` is a key that nothing has."""

    key: str = ""
    chosen: Selection | None = None
    unknown: str = ""


class Pointed(NamedTuple):
    """A text around the character that is at fault."""

    before: str
    at: str
    after: str


def picked(data: QueryDict, saved: Sequence[SavedFormula], scale: ScaleInfo, *, explicit: bool) -> Picked:
    """The formula that the choice stands for, or the query set's default where the URL says nothing.

    A choice that the page had shown before decides nothing: then the fields are what was changed. A default that the
    scale cannot have is passed over, so that every list has a page to begin with.
    """
    if not explicit:
        default = next((formula for formula in saved if formula.is_default), None)
        chosen = saved_choice(default) if default else None
        return Picked(chosen=chosen if chosen and _fits(chosen, scale) else None)
    choice = data.get(CHOICE, "")
    if not choice or choice == data.get("was", ""):
        return Picked(choice or data.get("as", ""))
    return _find(choice, saved, _cutoff(data.get("k", "")) or DEFAULT_CUTOFF)


def following(data: QueryDict) -> str:
    """The text of the further measures; those at the cutoff that the page had shown go with a changed one."""
    text, before, cutoff = (
        data.get("measures", ""),
        _cutoff(data.get("was_k", "")),
        _cutoff(data.get("k", "")),
    )
    if before is None or cutoff in (None, before):
        return text
    try:
        return write_measures(with_cutoff(read_measures(text), before, cutoff))
    except MetricsError:  # the form says what is wrong
        return text


def _cutoff(text: str) -> int | None:
    known = text.isdecimal() and len(text) <= 6 and 1 <= int(text) <= GREATEST_CUTOFF
    return int(text) if known else None


def _fits(chosen: Selection, scale: ScaleInfo) -> bool:
    gains = [
        chosen.formula.gain,
        *(dict(each.measure.parameters).get("gain", "linear") for each in chosen.measures),
    ]
    try:
        for gain in gains:
            check_gain(str(gain), scale)
    except MetricsError:
        return False
    return True


def _find(choice: str, saved: Sequence[SavedFormula], cutoff: int) -> Picked:
    if choice in PRESETS:
        return Picked(choice, Selection.of_preset(PRESETS[choice], cutoff))
    own = {f"{OWN}{formula.pk}": formula for formula in saved}
    if choice in own:
        return Picked(choice, saved_choice(own[choice]))
    return Picked(unknown=choice)


def choices_of(saved: Sequence[SavedFormula]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Groups of keys and names."""
    own = [(f"{OWN}{formula.pk}", formula.name + " (default)" * formula.is_default) for formula in saved]
    tools = [(preset.key, preset.name) for preset in PRESETS.values()]
    return [("Of this query set", own), ("Of other tools", tools)] if own else [("Of other tools", tools)]


def pointed(text: str, position: int) -> Pointed:
    """The text in three parts; where it ends too early, its last character is at fault."""
    return Pointed(text[:position], text[position : position + 1], text[position + 1 :])
