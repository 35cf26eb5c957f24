"""The keyboard of the rating screen, declared once for its script, its help, the rater's own keys and docs/judging.md.

The keys of grades are part of their scale.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

SIGNS = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc"}
"""The signs of keys that don't print their own name."""


class Command(NamedTuple):
    """The command of a key. `name` is that of a function in static/js/judging/screen.js and its two subclasses.

    Raters can change `key`. `fixed_keys` always give the command, and have their names in browsers. `always`: even if
    single-key shortcuts are off. `where`: only on screens that have it.
    """

    name: str
    words: str
    key: str = ""
    fixed_keys: tuple[str, ...] = ()
    always: bool = False
    where: str = ""


ALL_COMMANDS = (
    Command("undo", "Undo (with Shift: redo)", "u", ("Backspace",)),
    Command("skip", "Later: the document comes back at the end of the query", "s"),
    Command("cannot", "Cannot judge, then a digit for the reason", "x"),
    Command("comment", "Comment", "c"),
    Command("evidence", "Evidence: choose the sentences that decided", "e"),
    Command("full", "Full text", "f"),
    Command("marks", "Mark the words of the query, or stop marking them", "t"),
    Command("hit", "Next marked word (with Shift: the previous one)", "n"),
    Command("guidelines", "Guidelines", "g"),
    Command("review", "Review your grades of the last query", "l", where="document"),
    Command("earlier", "Previous judgment", fixed_keys=("ArrowLeft",), always=True, where="document"),
    Command("later", "Next judgment", fixed_keys=("ArrowRight",), always=True, where="document"),
    Command("above", "Previous row", fixed_keys=("ArrowUp",), always=True, where="list"),
    Command("below", "Next row", fixed_keys=("ArrowDown",), always=True, where="list"),
    Command("more", "One step up, or ten", fixed_keys=("ArrowUp", "PageUp"), where="slider"),
    Command("less", "One step down, or ten", fixed_keys=("ArrowDown", "PageDown"), where="slider"),
    Command("sure", "How sure you are", fixed_keys=("Shift+1", "Shift+2", "Shift+3"), where="confidence"),
    Command(
        "again",
        "Press “Try again” or “Sign in” if the bar below shows it",
        fixed_keys=("Enter",),
        always=True,
    ),
    Command("help", "Show these keys", fixed_keys=("?",)),
    Command("leave", "Close a dialog, or leave a field", fixed_keys=("Escape",), always=True),
)
COMMANDS = tuple(command for command in ALL_COMMANDS if command.key)
"""The commands whose keys raters can change."""


def keys_of(own: Mapping[str, str]) -> dict[str, str]:
    """The key of every command: the rater's own one, or else the default."""
    return {command.name: own.get(command.name) or command.key for command in COMMANDS}


def own_keys(keys: Mapping[str, str]) -> dict[str, str]:
    """The keys that differ from the defaults, which are stored."""
    defaults = keys_of({})
    return {name: key for name, key in keys.items() if key != defaults.get(name)}


def key_map(own: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """For the script: the keys of each command in lower case, and whether they always work."""
    keys = keys_of(own)
    return {
        command.name: {
            "keys": [key.lower() for key in (keys.get(command.name, ""), *command.fixed_keys) if key],
            "always": command.always,
        }
        for command in ALL_COMMANDS
    }


def fixed_signs(command: Command) -> list[str]:
    """The fixed keys of a command, as people write them."""
    return [
        SIGNS.get(key) or key.replace("Shift+", "⇧").replace("Page", "Page ") for key in command.fixed_keys
    ]
