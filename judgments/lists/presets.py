"""The scales that every installation starts with, and settings that a new list may start with. Data only: judgments.lists.actions.scales writes the scales."""

from typing import Any, NamedTuple


class PresetGrade(NamedTuple):
    value: float
    label: str
    description: str
    gain: float
    key: str


class PresetScale(NamedTuple):
    name: str
    description: str
    level: str
    threshold: float
    grades: tuple[PresetGrade, ...] = ()
    maximum: float = 0.0
    step: float = 1.0


def _ascending(first: int, *levels: tuple[str, str]) -> tuple[PresetGrade, ...]:
    return tuple(
        PresetGrade(value, label, description, value, str(value))
        for value, (label, description) in enumerate(levels, start=first)
    )


PRESETS = (
    PresetScale(
        "Binary",
        "Relevant or not.",
        "ordinal",
        1,
        _ascending(
            0, ("Not relevant", "Does not help with the query."), ("Relevant", "Helps with the query.")
        ),
    ),
    PresetScale(
        "TREC 0–2",
        "The graded scale of many TREC tracks, such as TREC-COVID.",
        "ordinal",
        1,
        _ascending(
            0,
            ("Not relevant", "Has nothing to do with the query."),
            ("Partially relevant", "Answers part of the query."),
            ("Relevant", "Answers the query."),
        ),
    ),
    PresetScale(
        "TREC 0–3",
        "The graded scale of the TREC Deep Learning tracks.",
        "ordinal",
        1,
        _ascending(
            0,
            ("Irrelevant", "Has nothing to do with the query."),
            ("Related", "On the topic, but does not answer the query."),
            ("Highly relevant", "Has some answer to the query, perhaps hidden or incomplete."),
            ("Perfectly relevant", "Is dedicated to the query and answers it exactly."),
        ),
    ),
    PresetScale(
        "Five grades 0–4",
        "From useless to ideal.",
        "ordinal",
        2,
        _ascending(
            0,
            ("Bad", "Useless for the query."),
            ("Fair", "Touches the query."),
            ("Good", "Useful, something is missing."),
            ("Excellent", "Very useful."),
            ("Perfect", "The best that could be shown."),
        ),
    ),
    PresetScale(
        "Five stars 1–5",
        "Five grades that start at 1. Note that the lowest still has a gain.",
        "ordinal",
        4,
        _ascending(
            1,
            ("Very poor", "Useless for the query."),
            ("Poor", "Hardly useful."),
            ("Fair", "Partly useful."),
            ("Good", "Useful."),
            ("Very good", "Exactly what was asked for."),
        ),
    ),
    PresetScale(
        "ESCI",
        "Shopping: exact, substitute, complement, irrelevant, with the gains of the Amazon ESCI task.",
        "ordinal",
        2,
        (
            PresetGrade(0, "Irrelevant", "Does not fulfill a central aspect of the query.", 0.0, "0"),
            PresetGrade(
                1, "Complement", "Does not fulfill the query, but goes with an exact item.", 0.01, "1"
            ),
            PresetGrade(2, "Substitute", "Fails some aspects, but can serve in its place.", 0.1, "2"),
            PresetGrade(3, "Exact", "Relevant, and fulfills everything that was asked for.", 1.0, "3"),
        ),
    ),
    PresetScale("Continuous 0–1", "Any value from 0 to 1.", "interval", 0.5, maximum=1.0, step=0.01),
    PresetScale("Slider 0–100", "Any whole number from 0 to 100.", "interval", 50, maximum=100.0, step=1.0),
)


class ListPreset(NamedTuple):
    """`values` are initial values of the form's fields. Fields that it leaves out keep their usual values."""

    label: str
    words: str
    values: dict[str, Any]


QUICK = "quick"
LIST_PRESETS = {
    QUICK: ListPreset(
        "Quick",
        "One rater per pair, all documents of a query on one page. For a first impression.",
        {"overlap": 1, "view": "list"},
    ),
    "careful": ListPreset(
        "Careful",
        "Two raters per pair, one document at a time, and a third rater where they differ by a grade or more. For decisions.",
        {"overlap": 2, "adaptive_step": 1, "overlap_most": 3, "view": "document"},
    ),
    "audited": ListPreset(
        "Audited",
        "Three raters per pair. Practice, gold pairs and hidden repeats check the raters, and an admin decides ties. For results "
        "that others will question.",
        {
            "overlap": 3,
            "view": "document",
            "tie": "adjudicate",
            "gold_rate": 5,
            "onboarding": 5,
            "repeat_rate": 3,
        },
    ),
}
