"""File formats. Each is declared once: pages, commands, docs, file names and errors follow from the declaration."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from touchstone_core.formats.json_keys import begins_as_json, keys
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.text import Text

MEDIA_TYPES: Final = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "qrels": "text/plain",
    "trec": "text/plain",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "zip": "application/zip",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """People choose a format by `label` and `note`. `example` is a small file.

    A file has the first format whose `looks` returns true, or one of whose `names` is in the JSON document (see `json_keys`).
    """

    name: str
    label: str
    note: str = ""
    example: str = ""
    names: tuple[str, ...] = ()
    looks: Callable[[Text], bool] = lambda text: False
    columns: bool = False
    """Whether there are columns to choose."""

    @property
    def choice(self) -> str:
        return f"{self.label}: {self.note}" if self.note else self.label


def neither(*_: Any) -> Any:
    """Stands in for a reader or writer that a format doesn't have."""
    raise FormatError("This format can’t be used for that. Choose another one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFormat(Format):
    """A format with an `ending` can be written. `leaves_out` names what we know but can't say in it."""

    ending: str = ""
    leaves_out: str = ""

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.ending]

    @property
    def file_kind(self) -> str:
        """The end of the file name, which differs for every format."""
        return self.name if self.ending == self.name else f"{self.name}.{self.ending}"


AnyFormat = TypeVar("AnyFormat", bound=Format)


def by_name(formats: Iterable[AnyFormat]) -> dict[str, AnyFormat]:
    return {format.name: format for format in formats}


def find_format(name: str, formats: Mapping[str, AnyFormat]) -> AnyFormat:
    """Raises FormatError if there's no such format."""
    if name not in formats:
        raise FormatError(f"Unknown format {name}. Choose one of: {', '.join(sorted(formats))}.")
    return formats[name]


def detect_format(text: Text, formats: Mapping[str, AnyFormat]) -> AnyFormat:
    """The first format that fits the file. If none fits, the last: its reader says what the file lacks."""
    names = keys(text.start) if begins_as_json(text) else set()
    fitting = (one for one in formats.values() if one.looks(text) or not names.isdisjoint(one.names))
    return next(fitting, list(formats.values())[-1])


def by_label(formats: Mapping[str, AnyFormat]) -> list[AnyFormat]:
    """Sorted by label, as people look for them."""
    return sorted(formats.values(), key=lambda one: one.label.casefold())


def list_labels(formats: Mapping[str, Format]) -> str:
    """The labels as part of a sentence."""
    return ", ".join(one.label for one in by_label(formats))


def choices(formats: Mapping[str, Format], *, empty: str) -> list[tuple[str, str]]:
    """The choices of a form. `empty` is the label for choosing none."""
    return [("", empty), *((one.name, one.choice) for one in by_label(formats))]
