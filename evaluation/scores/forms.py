"""What the pages of runs list: which runs, and which queries of a run."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from evaluation.models import Run
from evaluation.scores.reports.run_groups import choices_of_groups
from evaluation.scores.reports.run_page import Filter
from evaluation.scores.reports.run_table import RunFilter, tags_of
from evaluation.scores.reports.spread import CHOICES
from evaluation.scores.reports.trend import DEFAULT_ON
from judgments.base.names import NameField
from touchstone_core.metrics.selection import is_measure

EVERY = ""
SHOW: list[Any] = [
    (EVERY, "all judged queries"),
    ("missing", "missing from the run"),
    ("empty", "with an empty ranking"),
    ("holes", "with holes"),
    ("ties", "with ties inside the cutoff"),
    ("zero", "with an ideal of 0"),
    ("left-out", "left out of the mean"),
    ("losing-order", "losing by order"),
    ("losing-depth", "losing by depth"),
    ("losing-recall", "losing by recall"),
    ("losing-no-results", "losing without results"),
    ("losing-unknown", "losing with nothing judged"),
    ("untagged", "without a tag"),
    CHOICES,
]


class RunFilterForm(forms.Form):
    """A tag that no run has lists no run; groups that these runs don't have mean none."""

    q = forms.CharField(label="Find runs", required=False, max_length=200, widget=forms.SearchInput)
    tag = forms.CharField(label="Tag", required=False, max_length=60, widget=forms.Select)
    group = forms.CharField(label="Group by", required=False, widget=forms.Select)

    def __init__(self, data: QueryDict, runs: Sequence[Run]) -> None:
        super().__init__(data)
        groups = self.fields["group"].widget
        assert isinstance(groups, forms.Select)  # noqa: S101 -- for the type checker
        self.groups = groups.choices = choices_of_groups(runs)
        tags = dict.fromkeys([*tags_of(runs), *filter(None, [data.get("tag")])])
        widget = self.fields["tag"].widget
        assert isinstance(widget, forms.Select)  # noqa: S101 -- for the type checker
        widget.choices = [("", "every tag"), *((tag, tag) for tag in tags)]
        self.has_tags = bool(tags)

    @property
    def run_filter(self) -> RunFilter:
        """Of a valid form."""
        return RunFilter(self.cleaned_data["q"], self.cleaned_data["tag"])

    @property
    def group_by(self) -> str:
        """Of a valid form: one of `choices_of_groups`."""
        group: str = self.cleaned_data["group"]
        return group if group in dict(self.groups) else ""


class TrendForm(forms.Form):
    """A tag that no run has shows no run, and no measure is refused.

    Another measure than those on the page is the `missing_measure`, and means the default.
    """

    missing_measure = ""

    tag = forms.CharField(label="Tag", required=False, max_length=60, widget=forms.Select)
    on = forms.CharField(label="Measure", required=False, max_length=300, widget=forms.Select)

    def __init__(self, data: QueryDict, tags: Iterable[str], measures: Sequence[tuple[str, str]]) -> None:
        super().__init__(data, initial={"on": DEFAULT_ON})
        every = dict.fromkeys([*tags, *filter(None, [data.get("tag")])])
        choices = {"tag": [("", "every run"), *((tag, tag) for tag in every)], "on": measures}
        for name, options in choices.items():
            widget = self.fields[name].widget
            assert isinstance(widget, forms.Select)  # noqa: S101 -- for the type checker
            widget.choices = options

    def clean_on(self) -> str:
        on: str = self.cleaned_data["on"]
        widget = self.fields["on"].widget
        assert isinstance(widget, forms.Select)  # noqa: S101 -- for the type checker
        if on in dict(widget.choices):
            return on
        if on and not is_measure(on):
            raise forms.ValidationError(f"“{on[:40]}” isn’t a measure.")
        self.missing_measure = on
        return DEFAULT_ON


class SavedViewForm(forms.Form):
    """A run table under a name; `query` is the query string of its address."""

    name = NameField(label="Name", max_length=80)
    query = forms.CharField(required=False, max_length=20_000, widget=forms.HiddenInput)


class QueryFilterForm(forms.Form):
    q = forms.CharField(label="Find a query", required=False, max_length=200, widget=forms.SearchInput)
    show = forms.ChoiceField(label="Show", required=False, choices=SHOW)
    tag = forms.CharField(
        label="Tag",
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"list": "tags", "autocomplete": "off"}),
    )

    @property
    def query_filter(self) -> Filter:
        """Of a valid form."""
        cleaned = self.cleaned_data
        return Filter(text=cleaned["q"], show=cleaned["show"], tag=cleaned["tag"])

    @property
    def narrows(self) -> bool:
        """Of a valid form: whether some queries aren't listed."""
        return any(self.cleaned_data.values())
