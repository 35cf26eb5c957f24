"""Values as tables show them: text with four decimals, every digit behind it, and a tint."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

DASH: Final = "–"
UNKNOWN: Final = "unknown"
MINUS: Final = "−"
LARGE: Final = 1e8
_LEAST_SHOWN: Final = 5e-5
_LEAST_LONG: Final = 1e-6
_LEAST_P: Final = 0.001
LOSS_WORDS: Final = {
    "dcg": ("DCG", "reached: nothing to fix"),
    "order": ("order", "put the page in a better order"),
    "depth": ("depth", "re-rank: good documents are below the cutoff"),
    "recall": ("recall", "retrieve: good judged documents were not retrieved"),
    "content": ("content", "find or judge more or better documents"),
}


@dataclass(frozen=True, slots=True)
class Value:
    """`heat` is None where a tint would say nothing; the best is bold, and what says little is `quiet`."""

    number: float | None
    text: str
    heat: int | None = None
    best: bool = False
    quiet: bool = False

    @property
    def exact(self) -> str:
        """Every digit, to be read where the text is too short."""
        return repr(self.number) if isinstance(self.number, float) and self.text != UNKNOWN else ""


def value(number: float | None, *, share: float | None = None, best: bool = False) -> Value:
    """The number with four decimals; `share`, from 0 to 1, decides the tint."""
    if number is None:
        return Value(None, DASH, quiet=True)
    return Value(number, fixed(number), None if share is None else heat(share), best)


def is_known(shown: int, judged: int) -> bool:
    """Whether a page's values say anything. If nothing on it is judged, they are 0 and nobody knows what they really are.

    An empty page is known: it is worth 0.
    """
    return judged > 0 or shown == 0


def nothing_judged_words(cutoff: int) -> str:
    """Of a run without a judged document on any page. Mostly its document IDs differ, as those of a staging system do."""
    return (
        f"None of its results up to rank {cutoff} is judged. "
        "Do the run and the judgments use the same document IDs?"
    )


def if_known(of_page: Value, known: bool) -> Value:
    """The value of a page, or the word “unknown” with the number that averages and files have.

    A dash stays: the formula leaves that query out.
    """
    if known or of_page.number is None:
        return of_page
    return Value(of_page.number, UNKNOWN, quiet=True)


def tinted(share: float | None) -> Value:
    """A share of something, with its tint."""
    return value(share, share=share)


def difference(number: float | None) -> Value:
    """With its sign."""
    return value(None) if number is None else Value(number, signed(number))


def percent(share: float | None) -> Value:
    return value(None) if share is None else Value(share, percent_text(share))


def percent_text(share: float) -> str:
    """One decimal; 0 has no sign."""
    return f"{100 * share:z.1f} %"


def coverage(share: float | None, *, known: bool) -> Value:
    """How much of the pages is judged. If nothing is, the share is only that of places without a document."""
    return percent(share) if share is None or known else Value(share, "nothing judged", quiet=True)


def words(text: str) -> Value:
    return Value(None, text)


def count(number: int | None) -> Value:
    """A whole number; 0 says little."""
    return value(None) if number is None else Value(number, f"{number:,}", quiet=not number)


def fixed(number: float) -> str:
    """Four decimals; exponential gains of a long scale outgrow that, and have six digits then."""
    return (f"{number:z.4f}" if abs(number) < LARGE else f"{number:.6g}").replace("-", MINUS)


def short(number: float) -> str:
    """Four decimals at most: a gain is mostly a round number."""
    return fixed(number).rstrip("0").rstrip(".") if abs(number) < LARGE else fixed(number)


def signed(number: float) -> str:
    """Four decimals with their sign, a real minus; six where four would show 0 for another number, then powers of ten.

    0 has no sign.
    """
    if not number:
        return fixed(0.0)
    size = abs(number)
    text = (
        f"{number:+.4f}"
        if size >= _LEAST_SHOWN
        else f"{number:+.6f}"
        if size >= _LEAST_LONG
        else f"{number:+.1e}"
    )
    return text.replace("-", MINUS)


def p_text(p: float | None) -> str:
    """A p-value with three decimals, and never 0; a dash if there is none."""
    if p is None:
        return DASH
    return f"< {_LEAST_P}" if p < _LEAST_P else f"{p:.3f}"


def heat(share: float) -> int:
    """The step of the tint, 0 to 10: a share that is short of a step by rounding alone has reached it."""
    return min(max(int(share * 10 + 1e-9), 0), 10)


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a ladder. `start` and `width` are percentages of IDCG-max, `value` DCG points."""

    key: str
    name: str
    fix: str
    start: float
    width: float
    value: float

    @property
    def kept_share(self) -> float | None:
        """Of the ideal above this loss, the share that is left below it: DCG / IDCG-local for order, and so on. None for DCG itself,
        and where that ideal is 0.
        """
        above = self.start + self.width
        return self.start / above if above > 0 and self.key != "dcg" else None

    @property
    def kept_text(self) -> str:
        return percent(self.kept_share).text


def kept_shares(ladder: Iterable[Segment]) -> dict[str, float | None]:
    """What each step keeps, by its name. Multiplied they are DCG / IDCG-max."""
    return {one.key: one.kept_share for one in ladder if one.key != "dcg"}


def segments(dcg: float, order: float, depth: float, recall: float, content: float) -> list[Segment]:
    """The ladder: DCG and the four losses as shares of IDCG-max, which is their sum. Empty where that is 0."""
    points = dict(
        zip(LOSS_WORDS, (max(part, 0.0) for part in (dcg, order, depth, recall, content)), strict=True)
    )
    total = sum(points.values())
    return list(_stacked(points, total)) if total > 0 else []


def _stacked(points: dict[str, float], total: float) -> Iterable[Segment]:
    start = 0.0
    for key, part in points.items():
        name, fix = LOSS_WORDS[key]
        width = 100 * part / total
        yield Segment(key, name, fix, start, width, part)
        start += width
