"""What is sent to a site as a file: paths as they are, DataFrames and dicts as files of the formats that the site reads."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import narwhals as nw

from touchstone_core.client.connection import SentFile
from touchstone_core.client.errors import SiteError
from touchstone_core.notebook.sources import Source

Sendable: TypeAlias = Source | bytes
"""The path of a file, its bytes, a DataFrame of any library, or a dict of queries."""

CSV, JSON = "data.csv", "data.json"


def sent_file(source: Sendable, name: str = "") -> SentFile:
    """The file for the body of a call. Paths are read while they are sent. Raises SiteError for what is none."""
    if isinstance(source, bytes):
        return SentFile(name or "file", source)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not path.is_file():
            why = "it is a folder" if path.is_dir() else "there is no such file"
            raise SiteError(f"{path} cannot be read: {why}.")
        return SentFile(name or path.name, path)
    if isinstance(source, Mapping):
        return SentFile(name or JSON, json.dumps(source, default=_item, ensure_ascii=False).encode())
    return SentFile(name or CSV, _csv(source).encode())


def _csv(source: Any) -> str:
    frame = nw.from_native(source, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        if not hasattr(source, "__arrow_c_stream__"):
            kind = type(source).__name__
            raise SiteError(
                f"A value of type {kind} can’t be sent. Pass a path, bytes, a DataFrame or a dict."
            )
        frame = nw.from_arrow(source, backend="polars")
    return frame.write_csv()


def _item(value: Any) -> Any:
    """A number of numpy's as Python's own."""
    if hasattr(value, "item"):
        return value.item()
    raise SiteError(f"“{value}” of type {type(value).__name__} can’t be sent. Pass text and numbers.")
