"""The keyboard of the rating screen, declared once: for its script, its help, the rater's own keys and docs/judging.md.

Grades have keys of their own, on their scale.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

SIGNS = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc"}
"""How keys are written that have no sign of their own; others as they are."""


class Command(NamedTuple):
    """What a key does. `name` is that of a function in static/js/judging/screen.js and the two views of it.

    `key` is the rater's to change, `fixed` are keys that always give the command, by their names in browsers. `always`:
    also while single-key shortcuts are off. `where`: only on screens that have it.
    """

    name: str
    words: str
    key: str = ""
    fixed: tuple[str, ...] = ()
    always: bool = False
    where: str = ""


ALL_COMMANDS = (
    Command("undo", "Take the last act back; with Shift do it again", "u", ("Backspace",)),
    Command("skip", "Later: the document comes back at the end of the query", "s"),
    Command("cannot", "Cannot judge, then a digit for the reason", "x"),
    Command("comment", "Comment", "c"),
    Command("evidence", "Evidence: choose sentences that decide", "e"),
    Command("full", "Full text", "f"),
    Command("marks", "Marks under the words of the query on or off", "t"),
    Command("hit", "Next marked word; with Shift the one before", "n"),
    Command("guidelines", "Guidelines", "g"),
    Command("review", "Look again at your grades of the last query", "l", where="document"),
    Command("earlier", "The judgment before", fixed=("ArrowLeft",), always=True, where="document"),
    Command("later", "The judgment after", fixed=("ArrowRight",), always=True, where="document"),
    Command("above", "The row above", fixed=("ArrowUp",), always=True, where="list"),
    Command("below", "The row below", fixed=("ArrowDown",), always=True, where="list"),
    Command("more", "One step up, or ten", fixed=("ArrowUp", "PageUp"), where="slider"),
    Command("less", "One step down, or ten", fixed=("ArrowDown", "PageDown"), where="slider"),
    Command("sure", "How sure you are", fixed=("Shift+1", "Shift+2", "Shift+3"), where="confidence"),
    Command("again", "What the bar offers: try again, or sign in", fixed=("Enter",), always=True),
    Command("help", "These keys", fixed=("?",)),
    Command("leave", "Leave a box or a dialog", fixed=("Escape",), always=True),
)
COMMANDS = tuple(command for command in ALL_COMMANDS if command.key)
"""Those whose keys are the rater's to change."""


def keys_of(stored: Mapping[str, str]) -> dict[str, str]:
    """The key of every command: the rater's own choice where there is one."""
    return {command.name: stored.get(command.name) or command.key for command in COMMANDS}


def own_keys(chosen: Mapping[str, str]) -> dict[str, str]:
    """What has to be stored of a choice: only what differs from the defaults."""
    defaults = keys_of({})
    return {name: key for name, key in chosen.items() if key != defaults.get(name)}


def key_map(stored: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """For the script: the keys of each command in lower case, and whether they always count."""
    own = keys_of(stored)
    return {
        command.name: {
            "keys": [key.lower() for key in (own.get(command.name, ""), *command.fixed) if key],
            "always": command.always,
        }
        for command in ALL_COMMANDS
    }


def fixed_signs(command: Command) -> list[str]:
    """The fixed keys of a command, as people write them."""
    return [SIGNS.get(key) or key.replace("Shift+", "⇧").replace("Page", "Page ") for key in command.fixed]
