"""Forms about query sets and their members."""

from typing import Any

from django import forms

from judgments.models import QuerySet, Role, User


class QuerySetForm(forms.ModelForm[QuerySet]):
    class Meta:
        model = QuerySet
        fields = ["name", "description", "show_images"]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
        error_messages = {"name": {"required": "Enter a name."}}

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if QuerySet.objects.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("There is a query set of this name already. Choose another name.")
        return name


class MemberForm(forms.Form):
    """`user` of the cleaned data is the account."""

    username = forms.CharField(label="User name", max_length=150, help_text="Of an account that exists.")
    role = forms.ChoiceField(choices=Role.choices)

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"].strip()
        self.user = User.objects.filter(username=username, is_active=True).first()
        if self.user is None:
            raise forms.ValidationError(f"There is no account with the user name “{username}”.")
        return username

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        return cleaned | {"user": getattr(self, "user", None)}


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)
