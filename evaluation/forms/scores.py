"""Which queries of a run are listed."""

from django import forms

EVERY = ""
SHOW = [
    (EVERY, "all judged queries"),
    ("missing", "missing from the run"),
    ("empty", "with an empty ranking"),
    ("holes", "with holes"),
    ("zero", "with an ideal of 0"),
]


class QueryFilterForm(forms.Form):
    q = forms.CharField(label="Find a query", required=False, max_length=200, widget=forms.SearchInput)
    show = forms.ChoiceField(label="Show", required=False, choices=SHOW)
