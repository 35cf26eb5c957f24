"""The state of “NDCG in 90 seconds” and of a puzzle, as the address has it."""

from typing import Final

from django import forms
from django.http import QueryDict

from evaluation.guide.reports.learn import START, Scene

GRADES: Final = ("1", "0.9", "0.7", "0.5", "0.3", "0.1", "0")
DISCOUNTS: Final = (("reciprocal", "1 / rank, easy by hand"), ("log2", "1 / log2(rank + 1), the usual one"))


class SceneForm(forms.Form):
    """Which documents are retrieved, best rank first, their grades, the cutoff and the discount. Missing ones are as at the start."""

    retrieved = forms.CharField(required=False, max_length=200, strip=True)
    k = forms.ChoiceField(label="Cutoff", choices=[(str(k), str(k)) for k in range(1, len(START.titles) + 1)])
    discount = forms.ChoiceField(label="Discount", choices=DISCOUNTS)

    def __init__(self, data: QueryDict) -> None:
        parameters = START.parameters | {name: data[name] for name in START.parameters if name in data}
        super().__init__(parameters)
        for document, title in START.titles.items():
            choices = [(grade, grade) for grade in GRADES]
            self.fields[f"grade-{document}"] = forms.ChoiceField(label=f"Grade of {title}", choices=choices)
        for field in self.fields.values():
            field.widget.attrs["class"] = "at-once"

    def clean_retrieved(self) -> tuple[str, ...]:
        names = tuple(name for name in self.cleaned_data["retrieved"].split(",") if name)
        if len(set(names)) < len(names) or not set(names) <= set(START.titles):
            raise forms.ValidationError(
                f"The results are “{','.join(names)}”; expected each of {', '.join(START.titles)} at most once."
            )
        return names

    @property
    def scene(self) -> Scene:
        data = self.cleaned_data
        grades = {document: float(data[f"grade-{document}"]) for document in START.titles}
        return Scene(grades, data["retrieved"], int(data["k"]), data["discount"])


class PuzzleForm(forms.Form):
    """Which puzzle, and the choice; without one nothing is answered yet."""

    puzzle = forms.IntegerField(min_value=1, required=False)
    answer = forms.CharField(max_length=1, required=False)
