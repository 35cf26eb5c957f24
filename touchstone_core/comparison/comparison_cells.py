"""What tables say of a run beside the baseline: each column declared once, as it is read from a comparison's record."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from touchstone_core.comparison.verdict import Figures
from touchstone_core.formats.spreadsheet import Cell


def better_probability(one: Figures) -> float | None:
    """None of equal values, too, of which it would be 0 and read as if the run were worse."""
    outcomes = one["outcomes"]
    changed = one["posterior"] and outcomes["wins"] + outcomes["losses"]
    return one["posterior"]["better"] if changed else None


def cells(one: Figures, names: Iterable[str]) -> list[Cell]:
    """Those columns of the record of one run (`significance.comparison.Comparison`); None where one says nothing."""
    return [_COLUMNS[name](one) for name in names]


def _at(*path: str) -> Callable[[Figures], Any]:
    def read(one: Figures) -> Any:
        found: Any = one
        for name in path:
            found = found and found[name]
        return found

    return read


_COLUMNS: Final[Mapping[str, Callable[[Figures], Cell]]] = {
    "baseline mean": _at("baseline"),
    "mean": _at("run"),
    "difference": _at("difference", "mean"),
    "interval low": _at("difference", "interval", "low"),
    "interval high": _at("difference", "interval", "high"),
    "p": _at("permutation", "value"),
    "p (adjusted)": _at("adjusted"),
    "method": _at("permutation", "method"),
    "P(better)": better_probability,
    "won": _at("outcomes", "wins"),
    "tied": _at("outcomes", "ties"),
    "lost": _at("outcomes", "losses"),
    "d_z": _at("difference", "effect"),
    "URisk": _at("risk", "urisk"),
    "TRisk": _at("risk", "trisk"),
    "can show": _at("detectable"),
    "queries needed": _at("queries_needed"),
    "queries": _at("queries"),
    "seed": _at("settings", "seed"),
    "median": _at("robust", "median"),
    "trimmed mean": _at("robust", "trimmed"),
    "weighted difference": _at("weighted", "mean"),
    "effective queries": _at("weighted", "effective"),
    # What decides where queries were added between looks; nothing of a measure without an upper end.
    "always-valid p": _at("sequential", "p"),
    "always-valid low": _at("sequential", "interval", "low"),
    "always-valid high": _at("sequential", "interval", "high"),
}
