"""A rater's own goal and breaks."""

from django import forms


class PaceForm(forms.Form):
    """Daily goal and break hint; an empty field turns one off."""

    daily_goal = forms.IntegerField(label="Judgments a day", required=False, min_value=1, max_value=9999)
    break_minutes = forms.IntegerField(
        label="Minutes until a break", required=False, min_value=5, max_value=240
    )
