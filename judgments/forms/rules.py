"""The choice of a consensus rule."""

from django import forms

from judgments.models import Rule, Tie


class RuleForm(forms.Form):
    rule = forms.ChoiceField(label="Rule", choices=Rule.choices)
    tie = forms.ChoiceField(
        label="Tie", choices=Tie.choices, help_text="Medians and majorities can fall between two grades."
    )
