"""What to do after a comparison, in one sentence for each kind of verdict."""

from collections.abc import Sequence
from typing import Final

from touchstone_core.comparison.plain_verdict import PlainVerdict

NO_WINNER: Final = "This measure doesn’t say which run is better."


def recommendation(runs: Sequence[str], verdicts: Sequence[PlainVerdict], *, ranks: bool) -> str:
    """Of the runs beside the baseline and their verdicts; `ranks`: the measure says which run is better."""
    if not ranks:
        return NO_WINNER
    of_kind: dict[str, list[tuple[float, str]]] = {}
    for run, verdict in zip(runs, verdicts, strict=True):
        of_kind.setdefault(verdict.kind, []).append((verdict.mean, run))
    sentences = {
        "better": _ship([run for _, run in sorted(of_kind.get("better", []), reverse=True)]),
        "worse": _each("Don’t ship {}.", of_kind, "worse", "or"),
        "open": _each("Judge more before you decide on {}.", of_kind, "open", "and"),
        "unshown": _each("These queries show no reason to switch to {}.", of_kind, "unshown", "or"),
        "same": _each("It makes no difference to ship {}.", of_kind, "same", "or"),
    }
    return " ".join(sentence for sentence in sentences.values() if sentence)


def _ship(runs: Sequence[str]) -> str:
    """The best one first."""
    if not runs:
        return ""
    best, *others = runs
    return (
        f"Ship {best}." if not others else f"Ship {best}. {joined(others, 'and')} would improve things, too."
    )


def _each(sentence: str, of_kind: dict[str, list[tuple[float, str]]], kind: str, word: str) -> str:
    names = [run for _, run in of_kind.get(kind, [])]
    return sentence.format(joined(names, word)) if names else ""


def joined(names: Sequence[str], word: str) -> str:
    """“a, b and c”."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"
