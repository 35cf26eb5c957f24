"""The formula, chosen above a table by name or field by field and kept in the URL; and the forms that save and rename formulas."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from django import forms
from django.http import QueryDict

from evaluation.formulas.reports import OWN, Names, names_of, saved_choice
from evaluation.models import SavedFormula
from judgments.base.names import NameField
from touchstone_core.metrics.errors import FormulaError, MetricsError, TextError
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF, Formula
from touchstone_core.metrics.gain import check_gain
from touchstone_core.metrics.grammar import Value
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.selection import Selection, read_measures, with_cutoff, write_measures

GAINS = [("linear", "linear: grade"), ("exp", "exponential: 2^grade − 1")]
TABLE = ("table", "the scale’s table")
DISCOUNTS = [
    ("log2", "log2: 1/log2(rank + 1)"),
    ("jk", "Järvelin–Kekäläinen, with base"),
    ("reciprocal", "reciprocal: 1/rank"),
    ("none", "none"),
]
UNJUDGED = [("zero", "keep their rank, gain 0"), ("condensed", "removed, ranks close up")]
ZERO = [("0", "0, as trec_eval"), ("1", "1, as LightGBM"), ("skip", "left out of the mean")]
MISSING = [("0", "count as 0"), ("skip", "left out of the mean")]
MEAN: Final = "mean"
AVERAGES = [(MEAN, "mean"), ("median", "median"), ("weighted", "traffic-weighted mean")]
DEFAULTS = {
    "k": str(DEFAULT_CUTOFF),
    "gain": "linear",
    "discount": "log2",
    "base": "",
    "depth": "",
    "unjudged": "zero",
    "zero": "0",
    "missing": "0",
    "measures": "",
    "average": MEAN,
}
# Changes to fields of this class are sent at once if there's JavaScript.
AT_ONCE: Final = "at-once"
CHOICE: Final = "choice"
# `as` says which of several equal formulas is meant. Only forms send the transient ones: the next URL doesn't have them.
AS: Final = "as"
TRANSIENT: Final = (CHOICE, "was", "was_k")
PARAMETERS: Final = frozenset({*DEFAULTS, *TRANSIENT, AS})
# An address without any of these means the query set's default.
SAYS_FORMULA: Final = PARAMETERS - {"average", "was", "was_k"}


class _NamedChoice(NamedTuple):
    """A choice by name: its key and what it stands for. `unknown` is a key that names nothing."""

    key: str = ""
    chosen: Selection | None = None
    unknown: str = ""


class FormulaForm(forms.Form):
    """Reads a formula from a URL without its defaults. Wrong values are errors; they never become defaults silently.

    A base is ignored unless the discount is Järvelin–Kekäläinen's. `choice` is a preset or saved formula. It decides if it
    differs from what the page showed before (`was`), otherwise the fields do. `explicit`: whether the URL names a
    formula at all; otherwise it's the query set's default.
    """

    k = forms.IntegerField(
        label="Cutoff",
        min_value=1,
        max_value=GREATEST_CUTOFF,
        widget=forms.NumberInput(attrs={"list": "cutoffs", "class": AT_ONCE}),
    )
    gain = forms.ChoiceField(label="Gain")
    discount = forms.ChoiceField(label="Discount", choices=DISCOUNTS)
    base = forms.FloatField(
        label="Base", required=False, widget=forms.NumberInput(attrs={"step": "any", "placeholder": "2"})
    )
    depth = forms.IntegerField(
        label="Recall depth",
        required=False,
        min_value=1,
        max_value=GREATEST_CUTOFF,
        widget=forms.NumberInput(attrs={"placeholder": "all"}),
    )
    unjudged = forms.ChoiceField(label="Unjudged documents", choices=UNJUDGED)
    zero = forms.ChoiceField(label="Where the ideal is 0", choices=ZERO)
    missing = forms.ChoiceField(label="Missing queries", choices=MISSING)

    def __init__(self, data: QueryDict, scale: ScaleInfo, saved: Sequence[SavedFormula] = ()) -> None:
        self.scale, self.saved = scale, saved
        self.fault: dict[str, str] = {}
        self.explicit = any(data.get(name) for name in SAYS_FORMULA)
        choice = _read_choice(data, saved, scale, explicit=self.explicit)
        self._choice_key, self._unknown = choice.key, choice.unknown
        values = {name: str(data[name]) for name in DEFAULTS if data.get(name)}
        if choice.chosen is not None:
            average = {"average": values["average"]} if "average" in values else {}
            values = formula_parameters(choice.chosen.formula, choice.chosen.measures) | average
        elif "measures" in values:
            values["measures"] = _following(data)
        super().__init__(DEFAULTS | values)
        # Not declared above, because the properties of these names hold the values that were read.
        self.fields |= {"average": _average_field(), "measures": _measures_field()}
        gain = self.fields["gain"]
        assert isinstance(gain, forms.ChoiceField)  # noqa: S101 -- for the type checker
        gain.choices = [*GAINS, TABLE] if scale.gains else GAINS

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self._unknown:
            self.add_error(None, f"Unknown formula “{self._unknown}”. Choose one from the list.")
        if self.errors:
            return cleaned
        try:
            cleaned["formula"] = _formula(cleaned)
            check_gain(cleaned["gain"], self.scale)
        except MetricsError as error:
            self.add_error(None, str(error))
        return cleaned

    def clean_measures(self) -> tuple[RoundedMeasure, ...]:
        text = " ".join(self.cleaned_data["measures"].split())
        try:
            measures = read_measures(text)
        except TextError as error:
            at = error.position
            self.fault = {"before": text[:at], "at": text[at : at + 1], "after": text[at + 1 :]}
            raise forms.ValidationError(str(error)) from error
        for measure, _ in measures:
            self._check_gain(dict(measure.parameters).get("gain"))
        return measures

    def _check_gain(self, gain: Value | None) -> None:
        try:
            check_gain(str(gain or "linear"), self.scale)
        except MetricsError as error:
            raise forms.ValidationError(str(error)) from error

    @property
    def formula(self) -> Formula:
        """The formula of a valid form."""
        formula: Formula = self.cleaned_data["formula"]
        return formula

    @property
    def measures(self) -> tuple[RoundedMeasure, ...]:
        """The further measures of a valid form, each with the decimals that its values are rounded to, or None."""
        measures: tuple[RoundedMeasure, ...] = self.cleaned_data["measures"]
        return measures

    @property
    def average(self) -> str:
        """Of a valid form: mean, median or weighted."""
        average: str = self.cleaned_data["average"]
        return average

    @property
    def chosen(self) -> Selection:
        return Selection(self.formula, self.measures)

    @cached_property
    def names(self) -> Names:
        """What a valid form's formula is called."""
        return names_of(self.chosen, self.saved, self._choice_key)

    @property
    def parameters(self) -> dict[str, str]:
        """The URL parameters of a valid form, without defaults.

        No parameters mean the query set's own default. If it has one, or if the URL named the defaults itself, the
        cutoff is added to say that the plain defaults are meant.
        """
        return self.parameters_of(self.chosen)

    def parameters_of(self, chosen: Selection) -> dict[str, str]:
        """The same for an alternative, such as another cutoff."""
        parameters = formula_parameters(chosen.formula, chosen.measures)
        first, equal = self.names.first, self.names.equal
        if first is not None and first != equal[0]:
            parameters[AS] = first.key
        if not parameters.keys() & DEFAULTS.keys() and (self.explicit or self._has_default):
            parameters["k"] = str(chosen.formula.cutoff)
        return parameters if self.average == MEAN else parameters | {"average": self.average}

    @property
    def _has_default(self) -> bool:
        return any(formula.is_default for formula in self.saved)

    @property
    def choices(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Groups of keys and names for the choice of a formula."""
        return _choices_of(self.saved)

    @property
    def has_base(self) -> bool:
        return bool(self["discount"].value() == "jk")


def formula_parameters(formula: Formula, measures: Sequence[RoundedMeasure] = ()) -> dict[str, str]:
    """The URL parameters of this formula, without defaults."""
    parameters = {
        "k": str(formula.cutoff),
        "gain": formula.gain,
        "discount": formula.discount,
        "base": "" if formula.base in (None, 2.0) else f"{formula.base:.17g}",
        "depth": "" if formula.depth is None else str(formula.depth),
        "unjudged": formula.unjudged,
        "zero": str(formula.zero),
        "missing": str(formula.missing),
        "measures": write_measures(measures),
    }
    return {name: value for name, value in parameters.items() if value != DEFAULTS[name]}


def _average_field() -> forms.ChoiceField:
    return forms.ChoiceField(label="Average", choices=AVERAGES, widget=forms.Select(attrs={"class": AT_ONCE}))


def _measures_field() -> forms.CharField:
    placeholder = "AP RR@10 P(rel=2)@5"
    widget = forms.TextInput(attrs={"placeholder": placeholder, "autocomplete": "off"})
    return forms.CharField(label="Further measures", required=False, max_length=2000, widget=widget)


def _formula(cleaned: Mapping[str, Any]) -> Formula:
    return Formula(
        gain=cleaned["gain"],
        discount=cleaned["discount"],
        base=cleaned["base"] if cleaned["discount"] == "jk" else None,
        cutoff=cleaned["k"],
        depth=cleaned["depth"],
        unjudged=cleaned["unjudged"],
        zero=_number_or_word(cleaned["zero"]),
        missing=_number_or_word(cleaned["missing"]),
    )


def _number_or_word(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def _read_choice(
    data: QueryDict, saved: Sequence[SavedFormula], scale: ScaleInfo, *, explicit: bool
) -> _NamedChoice:
    """The formula that the choice names, or the query set's default if the URL names none.

    A choice that the page showed before decides nothing, because then a field was changed. A default that the scale
    doesn't allow is ignored, so that every list has a page to start with.
    """
    if not explicit:
        default = next((formula for formula in saved if formula.is_default), None)
        chosen = saved_choice(default) if default else None
        return _NamedChoice(chosen=chosen if chosen and _fits(chosen, scale) else None)
    choice = data.get(CHOICE, "")
    if not choice or choice == data.get("was", ""):
        return _NamedChoice(choice or data.get("as", ""))
    return _find(choice, saved, _cutoff(data.get("k", "")) or DEFAULT_CUTOFF)


def _following(data: QueryDict) -> str:
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


def _find(choice: str, saved: Sequence[SavedFormula], cutoff: int) -> _NamedChoice:
    if choice in PRESETS:
        return _NamedChoice(choice, Selection.of_preset(PRESETS[choice], cutoff))
    own = {f"{OWN}{formula.pk}": formula for formula in saved}
    if choice in own:
        return _NamedChoice(choice, saved_choice(own[choice]))
    return _NamedChoice(unknown=choice)


def _choices_of(saved: Sequence[SavedFormula]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Keys and names of all formulas, in groups."""
    own = [(f"{OWN}{formula.pk}", formula.name + " (default)" * formula.is_default) for formula in saved]
    tools = [(preset.key, preset.name) for preset in PRESETS.values()]
    return [("Of this query set", own), ("Of other tools", tools)] if own else [("Of other tools", tools)]


class NameForm(forms.Form):
    """A new name."""

    name = NameField(label="Name", max_length=80)


class SaveFormulaForm(NameForm):
    """A formula as a page shows it, by its canonical texts."""

    formula = forms.CharField(
        label="Formula",
        max_length=200,
        help_text="Its canonical text, such as DCG(gain='exp')@10. Every page with values shows it.",
    )
    measures = forms.CharField(
        label="Further measures",
        required=False,
        max_length=2000,
        help_text="Separate them with spaces, such as AP RR@10. Each becomes a column.",
    )
    is_default = forms.BooleanField(label="Make it the default of the query set", required=False)

    def clean_formula(self) -> Formula:
        try:
            return Formula.from_key(self.cleaned_data["formula"])
        except FormulaError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_measures(self) -> tuple[Any, ...]:
        try:
            return read_measures(self.cleaned_data["measures"])
        except FormulaError as error:
            raise forms.ValidationError(str(error)) from error

    @property
    def chosen(self) -> Selection:
        """Of a valid form."""
        return Selection(self.cleaned_data["formula"], self.cleaned_data["measures"])
