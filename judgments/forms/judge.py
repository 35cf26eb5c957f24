"""What the rating screen sends."""

import json
from dataclasses import fields
from datetime import datetime
from types import EllipsisType
from typing import Any

from django import forms

from judgments.actions.answers import Timing
from judgments.digits import written
from judgments.models import JudgmentList, Reason
from judgments.shortcuts import COMMANDS, keys_of

MOST_PASSAGES = 20
LONGEST_QUOTE = 2000
MOST_ANSWERS = 50
FIELD_NAME = 100


class AnswerForm(forms.Form):
    """One answer: the button that was pressed gives `grade` or `reason`; on continuous scales a box gives `grade`.

    What `Timing` declares comes as fields of the same names, and is put together as `timing`.
    Evidence comes as `evidence`, JSON that the script makes of selections, or as `quotes`, one passage on each line.
    """

    pair = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    request_id = forms.UUIDField(widget=forms.HiddenInput)
    known = forms.BooleanField(required=False, widget=forms.HiddenInput)
    grade = forms.FloatField(required=False)
    reason = forms.ChoiceField(choices=[("", ""), *Reason.choices], required=False)
    comment = forms.CharField(max_length=2000, required=False)
    evidence = forms.CharField(required=False, max_length=100_000)
    quotes = forms.CharField(required=False, max_length=20_000)
    confidence = forms.TypedChoiceField(
        choices=[("", ""), (1, "1"), (2, "2"), (3, "3")], coerce=int, empty_value=None, required=False
    )

    def __init__(self, *args: Any, judgment_list: JudgmentList, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for fact in fields(Timing):
            of_words = isinstance(fact.default, str)
            self.fields[fact.name] = (forms.CharField if of_words else forms.IntegerField)(required=False)
        self.judgment_list = judgment_list
        self.scale = judgment_list.scale

    def clean_grade(self) -> float | None:
        value: float | None = self.cleaned_data["grade"]
        if value is None:
            return None
        if self.scale.continuous:
            low, high = self.scale.minimum, self.scale.maximum
            if not low <= value <= high:
                raise forms.ValidationError(f"The grade must lie between {written(low)} and {written(high)}.")
        elif value not in {grade.value for grade in self.scale.grades.all()}:
            raise forms.ValidationError(f"{written(value)} is not a grade of the scale “{self.scale.name}”.")
        return value

    def clean_evidence(self) -> list[dict[str, Any]]:
        text: str = self.cleaned_data["evidence"]
        try:
            found = json.loads(text or "[]")
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError("The evidence cannot be read.") from error
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise forms.ValidationError("The evidence cannot be read.")
        return [passage for one in found[:MOST_PASSAGES] if (passage := _passage(one))]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("reason"):
            cleaned["grade"] = None
        elif cleaned.get("grade") is None and "grade" not in self.errors:
            raise forms.ValidationError("Choose a grade, or say why the document cannot be judged.")
        quotes = (line.strip()[:LONGEST_QUOTE] for line in cleaned.get("quotes", "").splitlines())
        passages = cleaned.get("evidence") or [{"field": "", "quote": quote} for quote in quotes if quote]
        cleaned["evidence"] = passages[:MOST_PASSAGES]
        cleaned["timing"] = Timing(
            **{fact.name: cleaned[fact.name] for fact in fields(Timing) if fact.name in cleaned}
        )
        return cleaned

    def problem(self) -> str:
        """All that is wrong, in one line; what a person can mend comes first."""
        return " ".join(str(message) for messages in self.errors.values() for message in messages)


class AnswersForm(forms.Form):
    """Several answers at once: `answers` is a JSON list of what AnswerForm takes, at most MOST_ANSWERS."""

    answers = forms.CharField(max_length=1_000_000)

    def clean_answers(self) -> list[dict[str, str]]:
        try:
            answers = json.loads(self.cleaned_data["answers"])
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError("The answers cannot be read.") from error
        if not isinstance(answers, list) or not all(isinstance(one, dict) for one in answers):
            raise forms.ValidationError("The answers cannot be read.")
        if len(answers) > MOST_ANSWERS:
            raise forms.ValidationError(f"At most {MOST_ANSWERS} answers come at once.")
        # As a form would send them; JSON can hold halves of characters, which cannot be stored.
        return [
            {name: str(value).encode(errors="replace").decode() for name, value in one.items()}
            for one in answers
        ]


def _passage(one: dict[str, Any]) -> dict[str, Any] | None:
    """A passage with its field, and where in the field's text it starts and ends, in characters."""
    quote = str(one.get("quote", "")).strip()[:LONGEST_QUOTE]
    if not quote:
        return None
    passage: dict[str, Any] = {"field": str(one.get("field", ""))[:FIELD_NAME], "quote": quote}
    start, end = one.get("start"), one.get("end")
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end < 2**31:
        passage |= {"start": start, "end": end}
    return passage


class SkipForm(forms.Form):
    """Names a pair of the list, and when it was put off last as far as the page knows; `...` where it does not say."""

    pair = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    put_off = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    def clean_put_off(self) -> datetime | EllipsisType | None:
        if "put_off" not in self.data:
            return ...
        text: str = self.cleaned_data["put_off"]
        try:
            return datetime.fromisoformat(text) if text else None
        except ValueError as error:
            raise forms.ValidationError("This is no moment.") from error


class UndoForm(forms.Form):
    """The request to undo; the same one twice takes back one act only.

    `answer` or `pair` name the act: an answer by its request, or a document that was put off. Without either it is the last.
    """

    undo_id = forms.UUIDField(required=False)
    answer = forms.UUIDField(required=False)
    pair = forms.IntegerField(min_value=1, max_value=2**63 - 1, required=False)


class PaceForm(forms.Form):
    """A rater's own daily goal and break hint. Both are off where nothing is entered."""

    daily_goal = forms.IntegerField(label="Judgments a day", required=False, min_value=1, max_value=9999)
    break_minutes = forms.IntegerField(
        label="Minutes until a break", required=False, min_value=5, max_value=240
    )


class KeysForm(forms.Form):
    """A key for each command: one character that is no digit and serves one command only."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for command in COMMANDS:
            self.fields[command.name] = forms.CharField(required=False, max_length=1, label=command.words)

    def clean(self) -> dict[str, Any]:
        given: dict[str, str] = {
            name: key.lower() for name, key in (super().clean() or {}).items() if key.strip()
        }
        chosen = keys_of(given)
        wrong = [key for key in chosen.values() if key.isdigit() or not key.isprintable() or key == "?"]
        if wrong:
            raise forms.ValidationError("Digits give grades, and ? opens the help: choose other keys.")
        if len(set(chosen.values())) < len(chosen):
            raise forms.ValidationError("Two commands cannot have the same key.")
        return chosen
