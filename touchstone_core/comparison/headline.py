"""All that a comparison may say of a run, in three words and in a sentence."""

from enum import StrEnum
from typing import Self


class Headline(StrEnum):
    """The value is what a table says, and `sentence` what people say with the names of `{run}` and `{baseline}`.

    `kind` is better, worse, open (unjudged documents could turn it), unshown or same.
    """

    kind: str
    sentence: str

    def __new__(cls, words: str, kind: str, sentence: str) -> Self:
        one = str.__new__(cls, words)
        one._value_, one.kind, one.sentence = words, kind, sentence
        return one

    BETTER = "Better", "better", "{run} is better than {baseline}."
    WORSE = "Worse", "worse", "{run} is worse than {baseline}."
    BETTER_SO_FAR = (
        "Better on current judgments",
        "open",
        "{run} is better than {baseline} on current judgments.",
    )
    WORSE_SO_FAR = (
        "Worse on current judgments",
        "open",
        "{run} is worse than {baseline} on current judgments.",
    )
    PROBABLY_BETTER = (
        "Probably better once everything is judged",
        "open",
        "{run} is probably better than {baseline} once everything is judged.",
    )
    PROBABLY_WORSE = (
        "Probably worse once everything is judged",
        "open",
        "{run} is probably worse than {baseline} once everything is judged.",
    )
    BETTER_ON_THESE = (
        "Probably better on these queries only",
        "open",
        "{run} is probably better than {baseline} on these queries, but it may be noise.",
    )
    WORSE_ON_THESE = (
        "Probably worse on these queries only",
        "open",
        "{run} is probably worse than {baseline} on these queries, but it may be noise.",
    )
    NEEDS_JUDGING = "Can’t tell until more is judged", "open", "{run}: can’t tell until more is judged."
    TOO_CLOSE = "Too close to call", "unshown", "{run} and {baseline} are too close to call."
    TOO_FEW = (
        "Too few changed queries",
        "unshown",
        "{run} and {baseline}: too few queries changed to tell which is better.",
    )
    NO_DIFFERENCE = "No difference", "same", "{run} and {baseline} don’t differ on any query."
    NO_DIFFERENCE_SO_FAR = (
        "No difference on current judgments",
        "open",
        "{run} and {baseline} don’t differ on current judgments.",
    )
    ORDERING = (
        "Another skill of ordering, given what was shown",
        "open",
        "{run} and {baseline} differ in how well they order what they show.",
    )
    OTHER_VALUE = (
        "Another value, by more than noise",
        "open",
        "{run} and {baseline} have different values, by more than noise.",
    )

    @property
    def needs_judging(self) -> bool:
        """Whether one run is judged so much less that the values by which runs are compared decide nothing."""
        return self in _NEED_JUDGING

    @property
    def is_so_far(self) -> bool:
        """Whether unjudged documents could turn it."""
        return self in (Headline.BETTER_SO_FAR, Headline.WORSE_SO_FAR, Headline.NO_DIFFERENCE_SO_FAR)


_NEED_JUDGING = frozenset(
    {
        Headline.NEEDS_JUDGING,
        Headline.PROBABLY_BETTER,
        Headline.PROBABLY_WORSE,
        Headline.BETTER_ON_THESE,
        Headline.WORSE_ON_THESE,
    }
)
