"""Forms of a judgment list: settings, pausing, freezing a version, and a field for a grade."""

from typing import Any

from django import forms

from judgments.base.cleaning import LONGEST_GUIDELINES
from judgments.base.digits import written
from judgments.base.names import NameField
from judgments.grades.forms import PLAIN_RULES
from judgments.lists.actions.lists import CONDUCT, Conduct
from judgments.models import MAX_GOLD_RATE, MAX_OVERLAP, MAX_REPEAT_RATE, JudgmentList, QuerySet, Scale
from judgments.models.version import NOTE_LENGTH
from touchstone_core.grades.rules import MODEL_RULES
from touchstone_core.words import tidied


def grade_field(scale: Scale, label: str, choices: list[tuple[str, str]], help_text: str = "") -> forms.Field:
    """A number within the range of a continuous scale, for which `help_text` is, otherwise one of `choices`."""
    if scale.continuous:
        return forms.FloatField(
            label=label,
            min_value=scale.minimum,
            max_value=scale.maximum,
            help_text=help_text,
            widget=forms.NumberInput(attrs={"step": "any"}),
        )
    return forms.TypedChoiceField(
        label=label,
        coerce=float,
        choices=choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a grade."},
    )


GROUPS = (
    ("About", "", ("name", "description", "guidelines")),
    ("The grade", "", ("scale", "rule", "tie")),
    ("Raters for each pair", "", ("overlap", "adaptive_step", "overlap_most")),
    ("Who judges", "", ("assignment",)),
    ("The rating screen", "", ("view", "evidence", "evidence_grades", "confidence")),
    ("Gold pairs", "Pairs whose right grade you know.", ("gold_rate", "onboarding")),
    ("Hidden repeats", "Whether raters agree with themselves.", ("repeat_rate",)),
)
ALWAYS_OPEN = ("name", "scale")
"""What a new list needs beside a preset. Its other fields are folded."""
MOST_PRACTICE = 100
RANGES = {
    "overlap": (1, MAX_OVERLAP, "The raters per pair"),
    "gold_rate": (0, MAX_GOLD_RATE, "The gold share"),
    "onboarding": (0, MOST_PRACTICE, "The practice pairs"),
    "repeat_rate": (0, MAX_REPEAT_RATE, "The repeats"),
}
"""The least and the greatest number, and how a refusal begins."""


class ListForm(forms.ModelForm[JudgmentList]):
    """The settings. A new list offers no grades that need evidence, because its scale isn't saved yet."""

    evidence_grades = forms.TypedMultipleChoiceField(
        label="Grades that need evidence",
        coerce=float,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Where evidence is required. None checked: every grade needs it.",
    )

    class Meta:
        model = JudgmentList
        fields = [name for _, _, names in GROUPS for name in names if name != "evidence_grades"]
        field_classes = {"name": NameField}
        widgets = {
            "description": forms.Textarea(attrs={"rows": 2}),
            "guidelines": forms.Textarea(attrs={"rows": 10}),
            "rule": forms.RadioSelect,
            "tie": forms.RadioSelect,
            "assignment": forms.RadioSelect,
            "view": forms.RadioSelect,
            "evidence": forms.RadioSelect,
        }
        help_texts = {
            "guidelines": "Markdown. Raters read them beside the document. They open automatically after a change.",
            "rule": "How several judgments of a pair become one grade.",
            "tie": "What a median or a majority does between two grades.",
            "overlap": (
                "Every pair gets exactly this many judgments. No judgment is lost when you lower it. "
                "You see the effect before it’s saved."
            ),
            "adaptive_step": (
                "A distance on the scale: with 2, grades of 1 and 3 add a rater. On a nominal scale any two "
                "different grades do. Leave it empty to add nobody."
            ),
            "overlap_most": "No more raters than this, even if grades still differ. More than the raters per pair.",
            "assignment": "Assign raters and set their quotas on the Raters tab.",
            "view": "All documents of a query at once is faster. One at a time keeps neighbors from influencing the grade.",
            "evidence": "Raters mark the passage that decided the grade.",
            "confidence": "Guessing, fairly or sure, stored with the judgment. Always optional.",
            "gold_rate": f"0 to {MAX_GOLD_RATE}; 5 is usual. Raters can’t tell gold pairs from others.",
            "onboarding": "How many gold pairs a new rater judges first, with the right answer after each. 0: none.",
            "repeat_rate": (
                f"0 to {MAX_REPEAT_RATE}; 0 is off, and 2 to 5 is usual. Raters get documents again that they judged at least "
                "50 answers earlier, unmarked. The second answer changes no grade. The Raters tab compares "
                "it with the first. There are no repeats if raters see all documents of a query at once."
            ),
        }

    def __init__(self, *args: Any, query_set: QuerySet, scale_fixed: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.query_set = query_set
        scale = self.fields["scale"]
        scale.queryset = scale.queryset.usable_in(query_set)  # type: ignore[attr-defined]
        scale.empty_label = None  # type: ignore[attr-defined]
        if scale_fixed:
            scale.disabled = True
            scale.help_text = "Fixed, because the list already has judgments."
            for name in ("rule", "tie"):  # another page changes them and previews the effect
                self.fields[name].disabled = True
        if self.instance.rule not in MODEL_RULES:  # that page offers models once there are judgments
            self.fields["rule"].choices = PLAIN_RULES  # type: ignore[attr-defined]
        self._offer_grades()
        self.fields["overlap_most"].widget.attrs |= {"min": 2, "max": MAX_OVERLAP}
        for name, (least, most, _) in RANGES.items():
            self.fields[name].widget.attrs |= {"min": least, "max": most}

    def _offer_grades(self) -> None:
        field = self.fields["evidence_grades"]
        scale = self.instance.scale if self.instance.pk else self._scale_sent()
        grades = list(scale.grades.all()) if scale else []
        if not grades:
            del self.fields["evidence_grades"]
            return
        field.choices = [(repr(grade.value), str(grade)) for grade in grades]  # type: ignore[attr-defined]
        on_scale = {grade.value for grade in grades}.intersection(self.instance.evidence_grades)
        field.initial = [repr(value) for value in sorted(on_scale)]

    def _scale_sent(self) -> Scale | None:
        """The scale of a new list whose grades that need evidence are sent with it, as only programs do."""
        if not self.is_bound or "evidence_grades" not in self.data:
            return None
        key = self.data.get("scale", "")
        scales = self.fields["scale"].queryset  # type: ignore[attr-defined]
        return scales.filter(pk=key).first() if key.isascii() and key.isdecimal() else None

    @property
    def open_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ALWAYS_OPEN]

    @property
    def folded_groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """The groups of a new list without the open fields."""
        return [
            (title, note, [field for field in fields if field.name not in ALWAYS_OPEN])
            for title, note, fields in self.groups
        ]

    @property
    def folded_error(self) -> bool:
        """Whether something in the fold is wrong."""
        return bool(self.errors.keys() - {*ALWAYS_OPEN})

    @property
    def groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """Title, note and fields of each part of the form. A rule that another page changes is said in words instead."""
        elsewhere = {"rule", "tie"} if self.fields["rule"].disabled else set()
        return [
            (title, note, [self[name] for name in names if name in self.fields.keys() - elsewhere])
            for title, note, names in GROUPS
        ]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = JudgmentList.objects.filter(query_set=self.instance.query_set, name__iexact=name)
        if same.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(
                "This query set already has a list of this name. Choose another name."
            )
        return name

    def clean_guidelines(self) -> str:
        text = tidied(self.cleaned_data["guidelines"])
        if len(text) > LONGEST_GUIDELINES and text != self.instance.guidelines:
            raise forms.ValidationError(
                f"The guidelines have {len(text):,} characters, but the limit is {LONGEST_GUIDELINES:,}. "
                "Shorten them, or link to a longer text."
            )
        return text

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for name, (low, high, words) in RANGES.items():
            if name in data and not low <= data[name] <= high:
                self.add_error(name, f"{words} must be between {low} and {high}.")
        step, most, overlap = data.get("adaptive_step"), data.get("overlap_most"), data.get("overlap")
        if step is None and most is not None and "adaptive_step" not in self.errors:
            self.add_error(
                "adaptive_step", "Enter by how much grades must differ, or leave both fields empty."
            )
        if step is not None and step <= 0:
            self.add_error("adaptive_step", "The difference must be more than 0.")
        self._check_reach(step, data.get("scale"))
        if step is not None and overlap and not (most and overlap < most <= MAX_OVERLAP):
            self.add_error("overlap_most", f"Enter more than {overlap} and at most {MAX_OVERLAP} raters.")
        return data

    def _check_reach(self, step: float | None, scale: Scale | None) -> None:
        """Refuses a difference that no two grades have. One that was saved before stays."""
        if (
            step is None
            or scale is None
            or not scale.has_order
            or {"adaptive_step", "scale"}.isdisjoint(self.changed_data)
        ):
            return
        if step > scale.span:
            self.add_error(
                "adaptive_step",
                f"Grades of “{scale.name}” differ by {written(scale.span)} at most. Enter no more than that.",
            )

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of `change_list` from a valid form."""
        data = self.cleaned_data
        plain = {
            name: data[name]
            for name in ("name", "description", "guidelines", "scale", "overlap", "rule", "tie")
        }
        step, most = data["adaptive_step"], data["overlap_most"]
        return plain | {"adaptive": None if step is None else (step, most), "conduct": self._conduct()}

    def _conduct(self) -> Conduct:
        data = {"evidence_grades": (), **self.cleaned_data}
        return Conduct(**{name: data[name] for name in CONDUCT})


class PauseForm(forms.Form):
    note = forms.CharField(
        max_length=300,
        required=False,
        help_text="Raters read it: why it’s paused, and when it goes on.",
        error_messages={"max_length": "The note is too long. Use at most 300 characters."},
    )


class FreezeForm(forms.Form):
    note = forms.CharField(
        label="Note",
        max_length=NOTE_LENGTH,
        required=False,
        help_text="What it’s for: a report, a release. You can’t change it later.",
        error_messages={"max_length": f"The note is too long. Use at most {NOTE_LENGTH} characters."},
    )
    after = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
