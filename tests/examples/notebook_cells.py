"""Runs the cells of a notebook in order, without Jupyter. `python -m tests.examples.notebook_cells` writes their outputs."""

import ast
import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

import polars as pl

from tests.architecture.test_rules import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebook").glob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text())
    return notebook


def outputs(path: Path) -> list[str]:
    """What each cell of code prints, then the value of its last expression."""
    names: dict[str, Any] = {}
    code = ["".join(cell["source"]) for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with pl.Config():
            return [_output(source, names) for source in code]
    finally:
        os.chdir(before)


def _output(source: str, names: dict[str, Any]) -> str:
    tree = ast.parse(source)
    last, value = tree.body[-1], None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 - our own notebook
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    return printed.getvalue() + ("" if value is None else repr(value))


def write(path: Path) -> None:
    notebook = read(path)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, text) in enumerate(zip(cells, outputs(path), strict=True), 1):
        lines = text.splitlines(keepends=True)
        cell["execution_count"] = number
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    for one in NOTEBOOKS:
        write(one)
