"""The words of the log: verbs by group, names of fields, values."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from django.utils.text import Truncator, capfirst

from judgments.base.digits import written
from judgments.models import JudgmentList, Verb

JUDGMENTS: Final = "judgments"

GROUPS: Final[Mapping[str, tuple[str, tuple[Verb, ...]]]] = {
    "content": (
        "Created, changed, deleted",
        (
            Verb.CREATED,
            Verb.CHANGED,
            Verb.DELETED,
            Verb.DELETION_BEGUN,
            Verb.DELETION_ENDED,
            Verb.COPIED,
            Verb.ARCHIVED,
            Verb.RESTORED,
        ),
    ),
    "members": (
        "Members and invitations",
        (
            Verb.MEMBER_ADDED,
            Verb.ROLE_CHANGED,
            Verb.MEMBER_REMOVED,
            Verb.INVITED,
            Verb.INVITATION_REVOKED,
            Verb.JOINED,
            Verb.TOKEN_REVOKED,
            Verb.ERASED,
        ),
    ),
    "comparing": ("Held-out queries opened", (Verb.OPENED,)),
    "files": ("Imports and exports", (Verb.IMPORTED, Verb.UNDONE, Verb.EXPORTED)),
    "handing-out": (
        "Pairs and raters",
        (
            Verb.PAIRS_ADDED,
            Verb.PAIRS_REMOVED,
            Verb.PRIORITY_SET,
            Verb.PAUSED,
            Verb.RESUMED,
            Verb.ASSIGNED,
            Verb.UNASSIGNED,
            Verb.RELEASED,
            Verb.RATER_ASKED,
            Verb.RATER_NOT_ASKED,
        ),
    ),
    "grades": (
        "Grades, gold and versions",
        (
            Verb.RULE_CHANGED,
            Verb.ADJUDICATED,
            Verb.ADJUDICATION_WITHDRAWN,
            Verb.RATER_EXCLUDED,
            Verb.RATER_INCLUDED,
            Verb.GOLD_MARKED,
            Verb.GOLD_RETIRED,
            Verb.FROZEN,
        ),
    ),
}
"""The choices of the filter. Changes of judgments are another group: they aren't acts."""

COMMAND_LINE: Final = "Command line"
NO_VALUE: Final = "–"
BRIEF: Final = 40
SHORT: Final = 300
LONGEST: Final = 2_000
MOST_LINES: Final = 500
LEFT_OUT: Final = "…"

# The order in which people expect fields, since JSON doesn't keep any. Other fields follow by name.
_ORDER: Final = (
    *("file", "name", "from", "username", "role", "days", "people at most", "invitations revoked"),
    *("description", "text", "title", "information_need", "body"),
    *("url", "image", "weight", "tags", "show_images"),
    *("level", "threshold", "scale", "grade", "also_right", "cause", "explanation", "answer", "comment"),
    *("new", "changed", "unchanged", "pairs", "known_pairs", "decisions", "known_decisions", "priority"),
    *(
        "queries",
        "documents",
        "judgments",
        "grades",
        "runs",
        "depth",
        "only where the runs differ",
        "measure",
        "tag",
        "version",
        "order",
    ),
    *("rule", "tie", "overlap", "adaptive_step", "overlap_most"),
    *("assignment", "quota", "released_pairs", "view", "evidence", "evidence_grades", "confidence"),
    *("gold_rate", "onboarding", "repeat_rate", "guidelines", "guidelines_version", "notes"),
    *("format", "sha256"),
)
_PLACES: Final = {name: place for place, name in enumerate(_ORDER)}
_NAMES: Final = {
    **{field.name: capfirst(str(field.verbose_name)) for field in JudgmentList._meta.fields},
    "also_right": "Also correct",
    "default": "Default formula",
    "drawn": "How the queries were drawn",
    "guidelines_version": "Version of the guidelines",
    "held_out": "Tag of the held-out queries",
    "known_decisions": "Decisions that stood already",
    "known_pairs": "Pairs already in the list",
    "quota": "Quota",
    "sha256": "SHA-256",
    "url": "URL",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A row of an entry's table; unknown and empty values are dashes."""

    name: str
    before: str
    after: str

    @property
    def beyond(self) -> bool:
        """Whether the values differ only beyond the part that is saved in the log."""
        return self.before == self.after

    @property
    def is_cut(self) -> bool:
        return self.before.endswith(LEFT_OUT) or self.after.endswith(LEFT_OUT)

    @property
    def is_short(self) -> bool:
        return all(len(value) <= BRIEF and "\n" not in value for value in (self.before, self.after))


def verb_in_words(verb: str) -> str:
    """The label of a verb; an unknown verb (of a later version) stays as it is."""
    return dict(Verb.choices).get(verb, verb.replace("-", " "))


def fields_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Field]:
    """In the order of the forms. Long texts show only the lines that differ."""
    names = sorted({*after, *before}, key=lambda name: (_PLACES.get(name, len(_PLACES)), _name(name)))
    return [
        Field(_name(name), *_differing(in_words(before.get(name)), in_words(after.get(name))))
        for name in names
    ]


def _differing(before: str, after: str) -> tuple[str, str]:
    """Both texts if they are short; otherwise without the lines that are the same, and cut if they're still too long."""
    if max(len(before), len(after)) <= SHORT:
        return before, after
    old, new = before.splitlines()[:MOST_LINES], after.splitlines()[:MOST_LINES]
    before_lines, after_lines = [], []
    for tag, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        before_lines += [LEFT_OUT] if tag == "equal" else old[first:last]
        after_lines += [LEFT_OUT] if tag == "equal" else new[start:end]
    return Truncator("\n".join(before_lines)).chars(LONGEST), Truncator("\n".join(after_lines)).chars(LONGEST)


def _name(field: str) -> str:
    words = field.replace("_", " ")
    return _NAMES.get(field) or words[:1].upper() + words[1:]


def in_words(value: Any) -> str:
    """A value from the log's JSON: lists and tables line by line, numbers with all digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return written(value)
    if isinstance(value, Mapping):
        value = [f"{name}: {in_words(one)}" for name, one in value.items()]
    if isinstance(value, list):
        return "\n".join(in_words(one) for one in value) or NO_VALUE
    return str(value or NO_VALUE)
