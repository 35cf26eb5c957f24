"""What the calls of every part of the API share: keys, pages of records, and changes that name only what changes."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from touchstone_core.client.connection import Connection
from touchstone_core.client.errors import SiteError
from touchstone_core.client.records import read_record

Kind = TypeVar("Kind")
OnProgress: TypeAlias = Callable[[dict[str, Any]], None]


class HasId(Protocol):
    @property
    def id(self) -> int: ...


Key: TypeAlias = int | HasId
"""A record, or its ID."""


def key_of(one: Key) -> int:
    return one if isinstance(one, int) else one.id


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was passed on. What is None stays as it is on the site."""
    return {name: value for name, value in values.items() if value is not None}


class Calls:
    """Calls of one connection."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def _read(self, kind: type[Kind], path: str) -> Kind:
        return read_record(kind, self.connection.read(path).json())

    def _download(self, address: str, query: Mapping[str, Any], path: Path) -> Path:
        part = path.with_name(path.name + ".part")
        try:
            with self.connection.download(address, query) as response, part.open("wb") as file:
                for block in response.iter_bytes():
                    file.write(block)
            part.replace(path)
        except OSError as error:
            raise SiteError(f"{path} cannot be written: {error.strerror}.") from error
        finally:
            with suppress(OSError):
                part.unlink()
        return path

    def _rows(self, kind: type[Kind], path: str, query: Mapping[str, Any] | None = None) -> Iterator[Kind]:
        return (read_record(kind, one) for one in self.connection.rows(path, query))

    def _change(self, kind: type[Kind], method: str, path: str, values: Mapping[str, Any]) -> Kind:
        return read_record(kind, self.connection.change(method, path, json=dict(values)).json())
