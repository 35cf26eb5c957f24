"""A short way to read a text that holds one run."""

from typing import Any

from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.runs import ParsedRun, only_run, read_runs
from touchstone_core.formats.text import Text


def read_run(text: Text, **options: Any) -> ParsedRun:
    return only_run(read_runs(text, Options(**options)), text.name)
