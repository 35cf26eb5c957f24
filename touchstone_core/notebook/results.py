"""What results of scoring and comparing share: tables in the library of the user's own DataFrames."""

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw

from touchstone_core.formats.spreadsheet import Cell


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]], backend: Any) -> Any:
    """A DataFrame of that library. Headings are written with underscores; what is undefined is missing, never 0."""
    names = [head.replace(" ", "_") for head in heads]
    columns = [
        [str(cell) if isinstance(cell, str) else cell for cell in column]
        for column in zip(*rows, strict=True)
    ]
    by_name = dict(zip(names, columns or [[] for _ in names], strict=True))
    schema = {name: _kind(cells) for name, cells in by_name.items()}
    return nw.from_dict(by_name, schema=schema, backend=backend).to_native()


def _kind(cells: Sequence[Cell]) -> Any:
    """Of a column. Whole numbers among which one is missing are fractions: not every library can leave one out."""
    if any(isinstance(cell, str) for cell in cells):
        return nw.String
    if cells and all(isinstance(cell, bool) for cell in cells):
        return nw.Boolean
    return nw.Int64 if cells and all(isinstance(cell, int) for cell in cells) else nw.Float64
