"""Starting points for a new judgment list: settings that belong together. Data only, shown by the form of a new list."""

from typing import Any, NamedTuple


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
