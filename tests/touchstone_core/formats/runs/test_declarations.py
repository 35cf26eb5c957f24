"""What follows from the declaration of a run format: it is told by its content, read, and described in docs/runs.md."""

from pathlib import Path

import pytest

from touchstone_core.formats.runs.declarations import FORMATS, WRITABLE
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.runs import read_file

DOCS = Path(__file__).parents[4] / "docs" / "runs.md"
TEXTS = {name: format for name, format in FORMATS.items() if format.example}


@pytest.mark.parametrize("name", TEXTS)
def test_the_example_of_a_format_is_told_by_its_content_and_read_without_a_problem(name):
    for chosen in ("", name):
        file = read_file(
            TEXTS[name].example.encode(), name="file", limit=10_000, options=Options(format=chosen)
        )
        assert (file.format, file.report.ok) == (name, True)
        assert file.runs[0].rows


def test_every_format_of_text_has_an_example():
    assert FORMATS.keys() - TEXTS.keys() == {"parquet"}


def test_the_docs_have_a_row_for_each_format():
    rows = [
        f"| `{one.name}` | {one.shape} | {one.queries_by} | {one.runs} |"
        for one in sorted(FORMATS.values(), key=lambda one: one.name)
    ]

    assert "\n".join(rows) in DOCS.read_text(), "\n".join(rows)


def test_the_docs_have_a_row_for_each_format_that_is_written():
    rows = [f"| `{one.name}` | {one.comes_back} | {one.leaves_out} |" for one in WRITABLE.values()]

    assert list(WRITABLE) == ["csv", "json", "trec"]
    assert "\n".join(rows) in DOCS.read_text(), "\n".join(rows)
