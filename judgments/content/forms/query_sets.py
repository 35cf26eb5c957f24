"""The form of a query set."""

from django import forms

from judgments.models import QuerySet


class QuerySetForm(forms.ModelForm[QuerySet]):
    class Meta:
        model = QuerySet
        fields = ["name", "description", "show_images"]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
        help_texts = {"show_images": "Load images of documents from their addresses on the rating screen."}
        error_messages = {"name": {"required": "Enter a name."}}

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if QuerySet.objects.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("There is already a query set of this name. Choose another name.")
        return name
