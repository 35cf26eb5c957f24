"""What the rating screen sends."""

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
    """One answer as it was sent. Whether it is a valid one is for the action to say (`record_judgment`).

    The button that was pressed gives `grade` or `reason`; on continuous scales a box gives `grade`, and may hold one when
    a reason is pressed. What `Timing` declares comes as fields of the same names, and is put together as `timing`.
    Evidence comes as `evidence`, JSON that the script makes of selections, or as `quotes`, one passage on each line.
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
            of_words = isinstance(fact.default, str)
            self.fields[fact.name] = (forms.CharField if of_words else forms.IntegerField)(required=False)

    def clean_evidence(self) -> list[dict[str, Any]]:
        return _dicts(self.cleaned_data["evidence"] or "[]", "evidence")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("reason"):
            cleaned["grade"] = None
        if cleaned.get("evidence") == []:
            lines = cleaned.get("quotes", "").splitlines()
            cleaned["evidence"] = [{"field": "", "quote": line} for line in lines if line.strip()]
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
        answers = _dicts(self.cleaned_data["answers"], "answers")
        if len(answers) > MOST_ANSWERS:
            raise forms.ValidationError(f"At most {MOST_ANSWERS} answers come at once.")
        # As a form would send them; JSON can hold halves of characters, which cannot be stored.
        return [
            {name: str(value).encode(errors="replace").decode() for name, value in one.items()}
            for one in answers
        ]


def _dicts(text: str, name: str) -> list[dict[str, Any]]:
    """What JSON holds as a list of objects."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise forms.ValidationError(f"The {name} cannot be read.")
    return found


class SkipForm(forms.Form):
    """Names a pair of the list, and when it was put off last as far as the page knows; `...` where it does not say."""

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
            raise forms.ValidationError("This is no moment.") from error


class UndoForm(forms.Form):
    """The request to undo; the same one twice takes back one act only.

    `answer` or `pair` name the act: an answer by its request, or a document that was put off. Without either it is the last.
    """

    undo_id = forms.UUIDField(required=False)
    answer = forms.UUIDField(required=False)
    pair = forms.IntegerField(min_value=1, max_value=2**63 - 1, required=False)


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
