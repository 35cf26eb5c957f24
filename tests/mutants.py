"""make mutants: holds what mutmut found against tests/mutants.toml, which says of each mutant left alive why it may live.

A mutant is known by its function and by what it changes there, since mutmut's numbers move with every edit. Run it with
the Python that has mutmut, where `mutmut run` has been.
"""

import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import walk_mutatable_files
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

ACCEPTED = Path(__file__).with_suffix(".toml")
# A mutant that never comes to an end is found as surely as one that gives a wrong value.
FOUND = {"killed", "timeout"}
UNKNOWN = {"not checked", "check was interrupted by user"}


class Mutant(NamedTuple):
    """The function as `ties.TieGroups.concatenate`, and the changed lines, `-` before and `+` after."""

    function: str
    change: str


def main() -> int:
    """Prints how many mutants there were, and each that is alive without a reason or dead with one."""
    accepted = {
        Mutant(entry["function"], lines(change)): entry["reason"]
        for entry in tomllib.loads(ACCEPTED.read_text())["accepted"]
        for change in entry["changes"]
    }
    fates = list(judged())
    counts = Counter(status for _, _, status in fates)
    alive = {mutant(path, name): name for path, name, status in fates if status not in FOUND | UNKNOWN}
    print(f"{len(fates)} mutants:", ", ".join(f"{count} {status}" for status, count in counts.most_common()))
    print(f"{len(alive.keys() & accepted.keys())} of those alive are accepted in {ACCEPTED.name}.")
    for each in sorted(alive.keys() - accepted.keys()):
        print(f"\nAlive without a reason, in {each.function} ({alive[each]}):\n{each.change}")
    for each in sorted(accepted.keys() - alive.keys()):
        print(f"\nAccepted, but dead or gone, in {each.function}:\n{each.change}")
    return int(alive.keys() != accepted.keys() or any(counts[status] for status in UNKNOWN))


def judged() -> Iterator[tuple[Path, str, str]]:
    """File, name and fate of every mutant."""
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        for name, exit_code in data.exit_code_by_key.items():
            yield path, name, status_by_exit_code[exit_code]


def mutant(path: Path, name: str) -> Mutant:
    """What mutmut calls `name`."""
    function, owner = orig_function_and_class_names_from_key(name)
    place = [path.stem, owner, function]
    return Mutant(".".join(part for part in place if part), lines(get_diff_for_mutant(name, path=path)))


def lines(change: str) -> str:
    """The lines of a change that differ, whatever their indentation."""
    told = (line.strip() for line in change.splitlines() if not line.startswith(("+++", "---")))
    return "\n".join(
        f"{line[0]} {line[1:].strip()}" for line in told if line[:1] in ("+", "-") and line[1:].strip()
    )


if __name__ == "__main__":
    sys.exit(main())
