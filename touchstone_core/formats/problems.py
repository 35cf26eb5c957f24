"""Problems of a file, line by line, in words for the person who uploads it."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from touchstone_core.words import counted

MOST_PROBLEMS = 100
LONGEST_VALUE = 80
DESCRIBED = frozenset(
    {
        "documents without ids",
        "equal ranks in a query",
        "equal scores in a query",
        "header",
        "lines above the names of columns",
        "no Q0",
        "no known query",
        "no scores",
        "not kept",
        "no tag",
        "no titles",
        "quotes",
        "results missing",
        "score and rank disagree",
        "too many tags",
        "words behind the tag",
        "wrong number of columns",
    }
)
"""Kinds of problems whose value is our description of what the file has, so that it isn't quoted.

By kind, because stored problems are read by the version before, too, which knows no further field (ADR 62).
"""


class FormatError(Exception):
    """The file can't be read at all. The message is for the person who uploaded it."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def add_hint(self, hint: str) -> None:
        """One more sentence. The kind of the error stays, by which callers tell what else can be done."""
        self.message = f"{self.message} {hint}".strip()
        self.args = (self.message,)


class MissingColumnError(FormatError):
    """A table has no header for a column that is needed, the `target`."""

    def __init__(self, message: str, *, target: str = "") -> None:
        super().__init__(message)
        self.target = target


class CutOffError(FormatError):
    """The file ends before its content does, so that nothing more can be said about it."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(
            f"{name} is cut off: it ends on line {line}, in the middle of its JSON. Export or download it again.",
            line=line,
        )


class NotUtf8Error(FormatError):
    """The file isn't UTF-8, so a reader of UTF-8 alone has to leave it to the others."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. JSON has no lines: `line` is None there, and `column` names the place. JSON lines quote what is in it."""

    line: int | None
    column: str
    value: str
    expected: str
    kind: str

    @property
    def sentence(self) -> str:
        line = "" if self.line is None else f"line {self.line}"
        return self._sentence(", ".join(filter(None, (line, self._column))))

    @property
    def sentence_without_line(self) -> str:
        """For a page that shows the line in a column of its own."""
        return self._sentence(self._column)

    @property
    def _column(self) -> str:
        is_place = self.line is None or "“" in self.column
        return self.column if is_place or not self.column else f"column {self.column}"

    def _sentence(self, place: str) -> str:
        text = f"{place}: " if place else ""
        text += f"{self._what()} {self.expected}."
        return text[:1].upper() + text[1:]

    def _what(self) -> str:
        """The sentence up to what was expected."""
        if not self.value:
            return "empty, but should be"
        if self.kind.startswith("unknown "):
            return f"{self.kind} “{self.value}”. It should be"
        if self.kind in DESCRIBED:
            return f"{self.value}. There should be"
        return f"“{self.value}” should be"


@dataclass(frozen=True, slots=True)
class Cause:
    """How many problems are of a kind, and the first of them. A kind that came late may have none of the first."""

    kind: str
    count: int
    examples: list[str]

    @property
    def more(self) -> int:
        return self.count - len(self.examples)


@dataclass(slots=True)
class Findings:
    """The first problems in the order they turned up (at most `MOST_PROBLEMS`), and the count of each kind.

    Some only turn up when the whole file has been read, so people see them sorted by line.
    """

    first: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def more(self) -> int:
        """How many problems were only counted."""
        return self.total - len(self.first)

    @property
    def by_line(self) -> list[Problem]:
        """The first problems sorted by line. Those without a line come first."""
        return sorted(self.first, key=lambda problem: problem.line or 0)

    def add(self, line: int | None, column: str, value: object, expected: str, kind: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if len(self.first) < MOST_PROBLEMS:
            self.first.append(Problem(line, shorten(column), shorten(value), expected, kind))

    def forget(self, kind: str) -> None:
        self.counts.pop(kind, None)
        self.first = [problem for problem in self.first if problem.kind != kind]

    def copy(self) -> "Findings":
        return Findings(list(self.first), dict(self.counts))

    def add_all(self, more: "Findings", *, since: "Findings | None" = None) -> None:
        """Adds the problems in `more`, or only those that were added to it since it was a copy of `since`."""
        before = since or Findings()
        fresh = more.first[len(before.first) :]
        self.first += fresh[: max(0, MOST_PROBLEMS - len(self.first))]
        for kind, count in more.counts.items():
            if count > before.counts.get(kind, 0):
                self.counts[kind] = self.counts.get(kind, 0) + count - before.counts.get(kind, 0)

    def sentences(self) -> Iterator[str]:
        yield from (problem.sentence for problem in self.by_line)
        if self.more:
            yield f"And {self.more:,} more."

    def in_short(self, but: Container[str] = ()) -> dict[str, str]:
        """For each other kind the first sentence, and how many more there are."""
        found = {}
        for kind, count in self.counts.items():
            if kind not in but:
                first = next((problem.sentence for problem in self.first if problem.kind == kind), f"{kind}.")
                found[kind] = first + (f" So in {counted(count - 1, 'more row')}." if count > 1 else "")
        return found

    def causes(self, examples: int) -> list["Cause"]:
        """Each kind once, the most frequent first, with its first problems, at most so many."""
        by_line = self.by_line
        return [
            Cause(kind, count, [one.sentence for one in by_line if one.kind == kind][:examples])
            for kind, count in sorted(self.counts.items(), key=lambda pair: -pair[1])
        ]

    def to_json(self) -> dict[str, Any]:
        return {"first": [asdict(problem) for problem in self.first], "counts": dict(self.counts)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Findings":
        return cls([Problem(**problem) for problem in data["first"]], dict(data["counts"]))


@dataclass(slots=True)
class Report:
    """Errors refuse the file. Warnings say what was read in another way than people may expect.

    `headers` are what the file calls its columns, by our names. Problems name those.
    """

    errors: Findings = field(default_factory=Findings)
    warnings: Findings = field(default_factory=Findings)
    headers: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def ok(self) -> bool:
        return not self.errors.counts

    def error(self, line: int | None, column: str, value: object, expected: str, *, kind: str) -> None:
        self.errors.add(line, self.headers.get(column, column), value, expected, kind)

    def warn(self, line: int | None, column: str, value: object, expected: str, *, kind: str) -> None:
        self.warnings.add(line, self.headers.get(column, column), value, expected, kind)

    def refuse(self, line: int | None, faults: Sequence[tuple[str, object, str | None, str]]) -> bool:
        """Takes column, value, expectation and kind. Adds an error for each expectation, and returns whether there is one."""
        for column, value, expected, kind in faults:
            if expected:
                self.error(line, column, value, expected, kind=kind)
        return any(expected for _, _, expected, _ in faults)

    def copy(self) -> "Report":
        return Report(self.errors.copy(), self.warnings.copy(), self.headers)

    def add_all(self, more: "Report", *, since: "Report | None" = None) -> None:
        self.errors.add_all(more.errors, since=since.errors if since else None)
        self.warnings.add_all(more.warnings, since=since.warnings if since else None)

    def to_json(self) -> dict[str, Any]:
        """JSON that PostgreSQL can store, whatever the file contained."""
        return {"errors": self.errors.to_json(), "warnings": self.warnings.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Report":
        return cls(Findings.from_json(data["errors"]), Findings.from_json(data["warnings"]))


def shorten(value: object) -> str:
    """The value as a short line for storing and showing. Escapes control characters and lone surrogates."""
    text = str(value)
    if len(text) > LONGEST_VALUE:
        text = text[: LONGEST_VALUE - 1] + "…"
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)


def count_columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"
