"""The commands of the rating screen and the keys that give them. Grades have keys of their own, on their scale."""

from collections.abc import Mapping
from typing import NamedTuple


class Command(NamedTuple):
    name: str
    key: str
    words: str


COMMANDS = (
    Command("undo", "u", "Take the last act back; with Shift do it again"),
    Command("skip", "s", "Later: the document comes back at the end of the query"),
    Command("cannot", "x", "Cannot judge, then a digit for the reason"),
    Command("comment", "c", "Comment"),
    Command("evidence", "e", "Evidence: choose sentences that decide"),
    Command("full", "f", "Full text"),
    Command("marks", "t", "Marks under the words of the query on or off"),
    Command("hit", "n", "Next marked word; with Shift the one before"),
    Command("guidelines", "g", "Guidelines"),
    Command("review", "l", "Look again at your grades of the last query"),
)


def keys_of(stored: Mapping[str, str]) -> dict[str, str]:
    """The key of every command: the rater's own choice where there is one."""
    return {command.name: stored.get(command.name) or command.key for command in COMMANDS}


def own_keys(chosen: Mapping[str, str]) -> dict[str, str]:
    """What has to be stored of a choice: only what differs from the defaults."""
    defaults = keys_of({})
    return {name: key for name, key in chosen.items() if key != defaults.get(name)}
