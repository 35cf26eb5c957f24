"""Which of the reader's own queries the page of formulas works out."""

from django import forms

GREATEST_KEY = 2**63 - 1


class ExampleForm(forms.Form):
    """The keys of a judgment list, a query and a run. Without any, the page shows its own example."""

    list = forms.IntegerField(required=False, min_value=1, max_value=GREATEST_KEY)
    query = forms.IntegerField(required=False, min_value=1, max_value=GREATEST_KEY)
    run = forms.IntegerField(required=False, min_value=1, max_value=GREATEST_KEY)
