"""Forms about whole query sets: what a copy holds, and the name that confirms a deletion."""

from typing import Any

from django import forms

from judgments.lists.actions.copying import Parts
from judgments.models import QuerySet

NAME_LENGTH = 120


class CopyForm(forms.Form):
    """`parts` of a valid form is what the lists bring along."""

    name = forms.CharField(max_length=NAME_LENGTH, label="Name of the copy")
    lists = forms.BooleanField(
        required=False, initial=True, label="Judgment lists with their pairs, settings and gold pairs"
    )
    judgments = forms.BooleanField(
        required=False,
        label="Judgments with their consensus grades, and what admins decided",
        help_text="Only with the lists.",
    )
    members = forms.BooleanField(
        required=False, label="Members with their roles, and who is assigned to lists"
    )
    runs = forms.BooleanField(required=False, label="Runs with their rankings")

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if QuerySet.objects.filter(name__iexact=name).exists():
            raise forms.ValidationError("There is a query set of this name already. Choose another name.")
        return name

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("judgments") and not data.get("lists"):
            self.add_error("judgments", "Judgments belong to lists: copy these, too.")
        return data

    @property
    def parts(self) -> Parts:
        return Parts(**{part: self.cleaned_data[part] for part in ("lists", "judgments", "members")})


class DeleteForm(forms.Form):
    """The name as it was typed; whether it is the right one is the action's business."""

    typed = forms.CharField(widget=forms.TextInput(attrs={"autocomplete": "off"}), strip=True)

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["typed"].label = f"Type its name, {name}, to confirm"
