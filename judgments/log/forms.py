"""The filters of the log."""

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from judgments.log.reports.log import Filters
from judgments.log.reports.log_words import GROUPS, JUDGMENTS
from judgments.models import JudgmentList


class LogForm(forms.Form):
    """The filters in an address. `lists` are those to choose from; None for the log of one list or of the site."""

    group = forms.ChoiceField(label="What", required=False)
    list = forms.ModelChoiceField(JudgmentList.objects.none(), required=False)
    person = forms.CharField(label="Who", required=False, max_length=150)
    text = forms.CharField(label="About", required=False, max_length=200)
    since = forms.DateField(label="From", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(
        self, data: QueryDict, *, lists: QuerySet[JudgmentList] | None = None, with_judgments: bool = True
    ) -> None:
        super().__init__(data)
        groups = [("", "Everything"), *((name, label) for name, (label, _) in GROUPS.items())]
        groups += [(JUDGMENTS, "Changes of judgments")] if with_judgments else []
        self.fields["group"] = forms.ChoiceField(label="What", required=False, choices=groups)
        if lists is None:
            del self.fields["list"]
        else:
            self.fields["list"] = forms.ModelChoiceField(lists, required=False, empty_label="Any list")
        self.fields["person"].widget.attrs["placeholder"] = "any name"
        self.fields["text"].widget.attrs["placeholder"] = "any words"

    @property
    def filters(self) -> Filters:
        """The valid filters; the form shows the errors of the others."""
        self.full_clean()
        values = dict(self.cleaned_data)
        judgment_list = values.pop("list", None)
        return Filters(**values, list_id=judgment_list.pk if judgment_list else None)
