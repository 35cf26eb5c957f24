"""The form of a token of the API."""

from django import forms

from judgments.models import ApiToken, QuerySet, User
from judgments.people.actions.tokens import MOST_DAYS


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=ApiToken._meta.get_field("name").max_length,
        help_text="What will use it, such as “nightly build”.",
    )
    scope = forms.ChoiceField(
        label="Permissions",
        choices=ApiToken.Scope.choices,
        initial=ApiToken.Scope.ENGINEER,
        help_text="Never more than you may do yourself.",
    )
    query_set = forms.ModelChoiceField(
        QuerySet.objects.none(),
        label="Query sets",
        required=False,
        empty_label="All your query sets",
        help_text="All of yours, or one.",
    )
    days = forms.IntegerField(
        label="Days until it expires",
        min_value=1,
        max_value=MOST_DAYS,
        initial=90,
        help_text=f"1 to {MOST_DAYS}.",
    )
    once = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        query_sets = self.fields["query_set"]
        assert isinstance(query_sets, forms.ModelChoiceField)  # noqa: S101 -- for the type checker
        query_sets.queryset = QuerySet.objects.staffed_by(user).at_work()
