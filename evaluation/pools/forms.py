"""Which results of which runs are sent to the raters."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict

from evaluation.models import Run
from judgments.base.priorities import NORMAL, PRIORITIES
from judgments.models import JudgmentList
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF

MOST_CANDIDATES = 100
EVERY, WITH_GRADES, DIFFERING = "every", "graded", "differing"
QUERIES = [(EVERY, "all of the runs"), (WITH_GRADES, "only those with grades")]
DOCUMENTS = [(EVERY, "all of the pool"), (DIFFERING, "only where the runs differ")]


class PoolForm(forms.Form):
    """Runs of the list's query set, a depth, which queries and documents; as it stands in the URL of a preview.

    Without data all runs are checked. What the URL leaves out is the default, except the runs.
    """

    run = forms.MultipleChoiceField(
        label="Runs",
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": "Choose at least one run.",
            "invalid_choice": "One of the runs is not there any more.",
        },
    )
    depth = forms.IntegerField(
        label="Depth",
        initial=DEFAULT_CUTOFF,
        min_value=1,
        max_value=GREATEST_CUTOFF,
    )
    queries = forms.ChoiceField(label="Queries", choices=QUERIES, initial=EVERY)
    documents = forms.ChoiceField(label="Documents", choices=DOCUMENTS, initial=EVERY)
    priority = forms.TypedChoiceField(label="Raters get them", coerce=int, choices=PRIORITIES, initial=NORMAL)

    def __init__(self, data: QueryDict, *, judgment_list: JudgmentList) -> None:
        self.runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
        values = {
            "depth": str(DEFAULT_CUTOFF),
            "queries": EVERY,
            "documents": EVERY,
            "priority": str(NORMAL),
        }
        values |= {name: str(data[name]) for name in values if name in data}
        run_keys = data.getlist("run")
        in_url = any(name in data for name in ("run", *values))
        super().__init__({**values, "run": run_keys} if in_url else None, initial={"run": self._keys()})
        field = self.fields["run"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 -- for the type checker
        field.choices = [(key, run.name) for key, run in zip(self._keys(), self.runs, strict=True)]

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("documents") == DIFFERING and len(self.cleaned_data.get("run", [])) == 1:
            self.add_error(
                "documents", "One run differs from no other. Choose two runs or more, or all of the pool."
            )
        return self.cleaned_data

    def _keys(self) -> list[str]:
        return [str(run.pk) for run in self.runs]

    @property
    def pool(self) -> dict[str, Any]:
        """Of a valid form, as `read_pool` takes it."""
        keys = set(self.cleaned_data["run"])
        return {
            "runs": [run for run in self.runs if str(run.pk) in keys],
            "depth": self.cleaned_data["depth"],
            "graded_only": self.cleaned_data["queries"] == WITH_GRADES,
            "differing_only": self.cleaned_data["documents"] == DIFFERING,
        }

    @property
    def only_differing(self) -> str:
        """Of a valid form, the parameters of the same pool without documents at the same rank; empty where it has no such part."""
        chosen = self.cleaned_data["run"]
        if len(chosen) < 2 or self.cleaned_data["documents"] == DIFFERING:
            return ""
        return urlencode(self.cleaned_data | {"documents": DIFFERING}, doseq=True)

    @property
    def run_choices(self) -> list[tuple[Run, bool]]:
        """Every run, and whether it is chosen."""
        keys = set(self["run"].value() or [])
        return [(run, str(run.pk) in keys) for run in self.runs]


class CandidatesForm(forms.Form):
    """How many documents of a text search each query gets; as it stands in the URL of a preview."""

    depth = forms.IntegerField(
        label="Documents per query", min_value=1, max_value=MOST_CANDIDATES, initial=DEFAULT_CUTOFF
    )
    priority = forms.TypedChoiceField(label="Raters get them", coerce=int, choices=PRIORITIES, initial=NORMAL)

    def __init__(self, data: QueryDict) -> None:
        usual = {"depth": str(DEFAULT_CUTOFF), "priority": str(NORMAL)}
        super().__init__(usual | {name: str(data[name]) for name in usual if name in data})
