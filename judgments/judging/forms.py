"""The forms of the rating screen."""

import json
from dataclasses import fields
from datetime import datetime
from types import EllipsisType
from typing import Any

from django import forms

from judgments.judging.actions.answers import Timing
from judgments.judging.shortcuts import COMMANDS, keys_of

MOST_ANSWERS = 50


class AnswerForm(forms.Form):
    """One answer as it was sent. The action decides whether it is valid (`record_judgment`).

    The pressed button sends `grade` or `reason`. On continuous scales a box sends `grade`, even if a reason is pressed.
    The facts of `Timing` are fields of the same names, and are combined into `timing`. Evidence is either `evidence`,
    JSON that the script makes of selections, or `quotes`, one passage on each line.
    """

    pair = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    request_id = forms.UUIDField(widget=forms.HiddenInput)
    card = forms.UUIDField(required=False, widget=forms.HiddenInput)
    known = forms.BooleanField(required=False, widget=forms.HiddenInput)
    grade = forms.FloatField(required=False)
    reason = forms.CharField(required=False)
    comment = forms.CharField(required=False)
    evidence = forms.CharField(required=False, max_length=100_000)
    quotes = forms.CharField(required=False)
    confidence = forms.IntegerField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for fact in fields(Timing):
            field = forms.CharField if isinstance(fact.default, str) else forms.IntegerField
            self.fields[fact.name] = field(required=False)

    def clean_evidence(self) -> list[dict[str, Any]]:
        return _dicts(self.cleaned_data["evidence"] or "[]", "evidence")

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("reason"):
            data["grade"] = None
        if data.get("evidence") == []:
            lines = data.get("quotes", "").splitlines()
            data["evidence"] = [{"field": "", "quote": line} for line in lines if line.strip()]
        data["timing"] = Timing(
            **{fact.name: data[fact.name] for fact in fields(Timing) if fact.name in data}
        )
        return data

    def problem(self) -> str:
        """All errors in one line; those that a person can correct come first."""
        return " ".join(str(message) for messages in self.errors.values() for message in messages)


class AnswersForm(forms.Form):
    """Several answers at once: `answers` is a JSON list of what AnswerForm takes, at most MOST_ANSWERS."""

    answers = forms.CharField(max_length=1_000_000)

    def clean_answers(self) -> list[dict[str, str]]:
        answers = _dicts(self.cleaned_data["answers"], "answers")
        if len(answers) > MOST_ANSWERS:
            raise forms.ValidationError(
                f"Too many answers at once: {len(answers)}. Send at most {MOST_ANSWERS}."
            )
        # As a form would send them; JSON can contain lone surrogates, which can't be stored.
        return [
            {name: str(value).encode(errors="replace").decode() for name, value in answer.items()}
            for answer in answers
        ]


def _dicts(text: str, name: str) -> list[dict[str, Any]]:
    """Reads a JSON list of objects."""
    try:
        objects = json.loads(text)
    except (ValueError, RecursionError):
        objects = None
    if not isinstance(objects, list) or not all(isinstance(each, dict) for each in objects):
        raise forms.ValidationError(f"The {name} can’t be read: they aren’t a JSON list of objects.")
    return objects


class SkipForm(forms.Form):
    """A pair of the list, and when the page saw it put off last; `...` if the page doesn't say."""

    pair = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    put_off = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    card = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def clean_put_off(self) -> datetime | EllipsisType | None:
        if "put_off" not in self.data:
            return ...
        text: str = self.cleaned_data["put_off"]
        try:
            return datetime.fromisoformat(text) if text else None
        except ValueError as error:
            raise forms.ValidationError(f"“{text}” isn’t a time in ISO format.") from error


class UndoForm(forms.Form):
    """A request to undo; the same one twice takes back only one act.

    `answer` or `pair` name the act: an answer by its request, or a document that was put off. Without them it is the last.
    """

    undo_id = forms.UUIDField(required=False)
    answer = forms.UUIDField(required=False)
    pair = forms.IntegerField(min_value=1, max_value=2**63 - 1, required=False)


class KeysForm(forms.Form):
    """A key for each command: one character, not a digit, and different for each command."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for command in COMMANDS:
            self.fields[command.name] = forms.CharField(required=False, max_length=1, label=command.words)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        keys = keys_of({name: key.lower() for name, key in data.items() if key.strip()})
        if any(key.isdigit() or not key.isprintable() or key == "?" for key in keys.values()):
            raise forms.ValidationError("Digits give grades, and ? opens the help: choose other keys.")
        if len(set(keys.values())) < len(keys):
            raise forms.ValidationError("Two commands can’t have the same key: choose another one.")
        return keys
