"""Which results of which runs are sent to the raters."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict

from evaluation.base.reports import scale_info
from evaluation.comparisons.reports.deciding import deciding_formula
from evaluation.models import Run
from evaluation.pools.reports.batches import NO_GAIN
from evaluation.scores.reports.sparklines import default_formulas
from judgments.base.priorities import NORMAL, PRIORITIES
from judgments.models import JudgmentList
from touchstone_core.bounds.values import GREATEST_CUTOFF as DEEPEST
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF, Formula
from touchstone_core.metrics.gain import check_gain, top_gain
from touchstone_core.words import counted

MOST_CANDIDATES = 100
EVERY, WITH_GRADES, DIFFERING, DECIDING, SAMPLE = "every", "graded", "differing", "deciding", "sample"
QUERIES = [(EVERY, "all of the runs"), (WITH_GRADES, "only those with grades")]
DOCUMENTS = [
    (EVERY, "all of the pool"),
    (DIFFERING, "only where the runs differ"),
    (DECIDING, "what decides"),
    (SAMPLE, "a random sample"),
]
USUAL_JUDGMENTS, MOST_JUDGMENTS = 100, 10_000
USUAL_BUDGET, MOST_BUDGET = 1_000, 1_000_000


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
    depth = forms.IntegerField(label="Depth", initial=DEFAULT_CUTOFF, min_value=1, max_value=GREATEST_CUTOFF)
    queries = forms.ChoiceField(label="Queries", choices=QUERIES, initial=EVERY)
    documents = forms.ChoiceField(label="Documents", choices=DOCUMENTS, initial=EVERY)
    judgments = forms.IntegerField(
        label="Judgments at most", initial=USUAL_JUDGMENTS, min_value=1, max_value=MOST_JUDGMENTS
    )
    until_decided = forms.BooleanField(required=False, widget=forms.HiddenInput)
    budget = forms.IntegerField(
        label="Total judgments at most", initial=USUAL_BUDGET, min_value=1, max_value=MOST_BUDGET
    )
    formula = forms.CharField(required=False, widget=forms.HiddenInput, max_length=200)
    priority = forms.TypedChoiceField(label="Raters get them", coerce=int, choices=PRIORITIES, initial=NORMAL)

    def __init__(self, data: QueryDict, *, judgment_list: JudgmentList) -> None:
        self.judgment_list = judgment_list
        self.runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
        values = {
            "depth": str(DEFAULT_CUTOFF),
            "queries": EVERY,
            "documents": EVERY,
            "judgments": str(USUAL_JUDGMENTS),
            "until_decided": "",
            "budget": str(USUAL_BUDGET),
            "formula": "",
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
        documents, runs = self.cleaned_data.get("documents"), self.cleaned_data.get("run")
        if documents == DIFFERING and runs and len(runs) == 1:
            self.add_error(
                "documents", "One run differs from no other. Choose two runs or more, or all of the pool."
            )
        if documents == DECIDING:
            self._check_batch("What decides is found", set(runs or ()), 2, "the two runs to decide between")
        if documents == SAMPLE:
            self._check_batch("A sample is drawn", set(runs or ()), 1, "the one run to sample")
        if self.cleaned_data.get("until_decided"):
            self._check_budget(documents)
        return self.cleaned_data

    def _check_budget(self, documents: str | None) -> None:
        if documents != DECIDING:
            self.add_error("documents", "Choose “what decides” to keep adding until it’s decided.")
        batch_size, budget = self.cleaned_data.get("judgments"), self.cleaned_data.get("budget")
        if batch_size and budget and budget < batch_size:
            self.add_error("budget", f"Enter {batch_size:,} or more, the size of one batch.")

    def _check_batch(self, what: str, runs: set[str], wanted: int, to_choose: str) -> None:
        """Of what is added by batches, which begins a sentence: it needs so many runs, all of their queries, and a formula."""
        if runs and len(runs) != wanted:
            are_chosen = counted(len(runs), "run is", "runs are")
            self.add_error("documents", f"Choose {to_choose}. {are_chosen} chosen.")
        if self.cleaned_data.get("queries") == WITH_GRADES:
            self.add_error("queries", f"{what} among all queries of the runs. Choose these.")
        if self.cleaned_data.get("depth", 0) > DEEPEST:
            self.add_error("depth", f"{what} down to rank {DEEPEST} at most.")
        if "formula" in self.cleaned_data:
            formula = self.cleaned_data["formula"] = self._formula()
            if not top_gain(formula.gain, scale_info(self.judgment_list.scale)):
                self.add_error("documents", NO_GAIN)

    def _formula(self) -> Formula:
        """That of the address, or the default of the query set."""
        chosen: Formula | None = self.cleaned_data["formula"]
        return chosen or default_formulas([self.judgment_list])[self.judgment_list.pk]

    def clean_formula(self) -> Formula | None:
        """None if the address names none."""
        text = self.cleaned_data["formula"]
        try:
            formula = Formula.from_key(text) if text else None
            if formula:
                check_gain(formula.gain, scale_info(self.judgment_list.scale))
            return formula
        except MetricsError as error:
            raise forms.ValidationError(str(error)) from error

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
    def asks_for(self) -> str:
        """Of a valid form, which documents it asks for."""
        return str(self.cleaned_data["documents"])

    @property
    def deciding(self) -> dict[str, Any]:
        """Of a valid form that asks for what decides, as `read_deciding_batch` takes it. The run that comes first in the address is the
        baseline."""
        return {"runs": tuple(self._chosen_runs()), **self._batch()}

    @property
    def sample(self) -> dict[str, Any]:
        """Of a valid form that asks for a sample, as `read_sample_batch` takes it."""
        return {"run": self._chosen_runs()[0], **self._batch()}

    def _chosen_runs(self) -> list[Run]:
        by_key = {str(run.pk): run for run in self.runs}
        return [by_key[key] for key in dict.fromkeys(self.cleaned_data["run"])]

    def _batch(self) -> dict[str, Any]:
        formula = deciding_formula(self.cleaned_data["formula"])
        return {
            "formula": replace(formula, cutoff=self.cleaned_data["depth"]),
            "judgments": self.cleaned_data["judgments"],
        }

    @property
    def only_differing(self) -> str:
        """Of a valid form, the parameters of the same pool without documents at the same rank; empty where it has no such part."""
        chosen = self.cleaned_data["run"]
        if len(chosen) < 2 or self.cleaned_data["documents"] != EVERY:
            return ""
        named = {name: self.cleaned_data[name] for name in ("run", "depth", "queries")}
        return urlencode(
            {**named, "documents": DIFFERING, "priority": self.cleaned_data["priority"]}, doseq=True
        )

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
        self.is_sent = not usual.keys().isdisjoint(data)
        super().__init__(usual | {name: str(data[name]) for name in usual if name in data})
