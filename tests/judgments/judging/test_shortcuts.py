import re
from pathlib import Path

from django.conf import settings

from judgments.judging.shortcuts import ALL_COMMANDS, COMMANDS, fixed_signs, key_map, keys_of, own_keys
from judgments.models import Reason

DOCUMENTATION = Path(settings.BASE_DIR / "docs" / "judging.md")
PLACES = {
    "": "",
    "document": " (one document at a time)",
    "list": " (in list mode)",
    "slider": " (continuous scales)",
    "confidence": " (if the list asks for it)",
}


def test_every_command_has_its_own_key():
    keys = keys_of({})

    assert len(set(keys.values())) == len(COMMANDS)


def test_a_key_of_ones_own_comes_first_and_only_that_is_stored():
    keys = keys_of({"undo": "z", "unknown": "q"})

    assert keys["undo"] == "z"
    assert "unknown" not in keys
    assert own_keys(keys) == {"undo": "z"}


def test_the_script_gets_own_and_fixed_keys_in_lower_case():
    keys = key_map({"undo": "z"})

    assert keys["undo"] == {"keys": ["z", "backspace"], "always": False}
    assert keys["earlier"] == {"keys": ["arrowleft"], "always": True}
    assert keys.keys() == {command.name for command in ALL_COMMANDS}


def test_the_documentation_has_every_key():
    section = DOCUMENTATION.read_text().split("### Keys\n")[1].split("\n## ")[0]

    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", section, re.MULTILINE)

    assert rows == [
        (_keys_in_words(command), command.words + PLACES[command.where]) for command in ALL_COMMANDS
    ]


def test_the_documentation_has_the_digit_of_every_reason():
    reasons = [f"{digit} {words[0].lower()}{words[1:]}" for digit, words in enumerate(Reason.labels, start=1)]

    assert ", ".join(reasons) in DOCUMENTATION.read_text()


def _keys_in_words(command):
    return ", ".join(f"`{key}`" for key in [command.key.upper(), *fixed_signs(command)] if key)
