"""How fast raters want to go."""

from django import forms


class PaceForm(forms.Form):
    """A rater's own daily goal and break hint. Both are off where nothing is entered."""

    daily_goal = forms.IntegerField(label="Judgments a day", required=False, min_value=1, max_value=9999)
    break_minutes = forms.IntegerField(
        label="Minutes until a break", required=False, min_value=5, max_value=240
    )
