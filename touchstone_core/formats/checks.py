"""Checks of a row's cells. Each returns whether the cell is good, and reports a bad one."""

from collections.abc import Mapping

from touchstone_core.formats import cells
from touchstone_core.formats.problems import Report
from touchstone_core.formats.tables import Row
from touchstone_core.words import is_visible


class Checks:
    """Checks of one file. It remembers each ID's first line, which the error for a second one names."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._lines: dict[tuple[str, ...], int] = {}

    def refuse(self, row: Row, target: str, expected: str, *, kind: str) -> None:
        self.report.error(row.line, target, row.cells.get(target, ""), expected, kind=kind)

    def identifier(self, row: Row, target: str) -> bool:
        fault = cells.id_fault(row.cells[target])
        if fault:
            self.refuse(row, target, fault, kind="not an ID")
        return not fault

    def once(self, row: Row, *targets: str) -> bool:
        """Refuses a key that an earlier line has. Leaves empty keys to `identifier`."""
        key = tuple(row.cells.get(target, "") for target in targets)
        first = self._lines.setdefault(key, row.line)
        if first != row.line and any(key):
            headers = self.report.headers
            names = " and ".join(headers[target] for target in targets if target in headers)
            expected = f"listed once (it is on line {first} already)"
            self.report.errors.add(
                row.line, names, ", ".join(filter(None, key)), expected, "twice in the file"
            )
            return False
        return True

    def not_empty(self, row: Row, target: str) -> bool:
        value = row.cells[target]
        if is_visible(value):
            return True
        self.refuse(row, target, "a text that can be seen" if value else "a text", kind="empty")
        return False

    def texts(self, row: Row, *targets: str) -> bool:
        cell, good = row.cells.get, True
        if "".join([cell(target, "") for target in targets]).isprintable():
            return True
        for target in targets:
            value = cell(target)
            if value and (fault := cells.text_fault(value)):
                self.refuse(row, target, fault, kind="unstorable character")
                good = False
        return good

    def short(self, row: Row, identifier: str, limits: Mapping[str, int]) -> bool:
        """Refuses texts that are longer than their limits."""
        faults = {
            target: fault
            for target, longest in limits.items()
            if (fault := cells.length_fault(row.cells.get(target, ""), longest))
        }
        for target, fault in faults.items():
            expected = f"{fault} for {row.cells[identifier]}" if row.cells[identifier] else fault
            self.refuse(row, target, expected, kind="too long")
        return not faults

    def amount(self, row: Row, target: str, *, moderate: bool = False) -> bool:
        """Refuses anything but an empty cell or a number of at least 0, and numbers that aren't `moderate` if asked to."""
        value = row.cells.get(target)
        if not value:
            return True
        number = cells.number(value)
        if number is None or number < 0:
            self.refuse(row, target, "a number of at least 0", kind="not a number of at least 0")
            return False
        if moderate and not cells.is_moderate(number):
            self.refuse(row, target, cells.MODERATE, kind="out of range")
            return False
        return True

    def value(self, row: Row, target: str, default: float) -> float:
        """The number in a cell that `amount` accepts."""
        return float(row.cells.get(target) or default)
