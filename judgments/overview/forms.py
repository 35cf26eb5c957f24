"""What an admin plans for a list."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.http import QueryDict

from judgments.overview.reports.plan import Wishes

WEEKDAYS, EVERY_DAY = "weekdays", "every-day"
WEEK = [(WEEKDAYS, "Monday to Friday"), (EVERY_DAY, "every day")]
LONGEST_AHEAD = timedelta(days=3_650)


class PlanForm(forms.Form):
    """The plan as it stands in the URL. What the URL leaves out is as in `usual`."""

    raters = forms.IntegerField(label="Raters", min_value=1, max_value=1_000)
    hours = forms.FloatField(label="Hours a day each", min_value=0.1, max_value=24)
    week = forms.ChoiceField(label="They judge", choices=WEEK)
    queries = forms.IntegerField(label="Queries", min_value=0, max_value=1_000_000)
    documents = forms.IntegerField(label="New documents per query", min_value=0, max_value=10_000)
    seconds = forms.FloatField(label="Seconds per judgment", required=False, min_value=0.5, max_value=3_600)
    deadline = forms.DateField(
        label="Deadline",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )

    def __init__(self, data: QueryDict, *, usual: dict[str, Any], today: date) -> None:
        self._today = today
        own = {name: data[name] for name in self.base_fields if name in data}
        super().__init__({name: str(value) for name, value in (usual | own).items()})

    def clean_deadline(self) -> date | None:
        deadline: date | None = self.cleaned_data["deadline"]
        if deadline and not self._today < deadline <= self._today + LONGEST_AHEAD:
            raise forms.ValidationError("Choose a day after today, at most ten years ahead.")
        return deadline

    @property
    def wishes(self) -> Wishes:
        """Of a valid form."""
        names = ("raters", "hours", "queries", "documents", "seconds", "deadline")
        values = {name: self.cleaned_data[name] for name in names}
        return Wishes(weekends=self.cleaned_data["week"] == EVERY_DAY, **values)
