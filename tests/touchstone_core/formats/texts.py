"""Short ways to hand a text to a reader."""

from touchstone_core.formats.judgments.judgments import open_judgments
from touchstone_core.formats.judgments.qrels import open_qrels
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.runs import ParsedRun, only_run, read_runs
from touchstone_core.formats.text import Text, decode


def text_of(content: str, name: str = "file") -> Text:
    return decode(content.encode(), name=name, limit=100_000_000)


def read_qrels(text):
    return open_qrels(text).read()


def read_judgments(text, **options):
    return open_judgments(text, **options).read()


def read_run(text: Text, **options) -> ParsedRun:
    return only_run(read_runs(text, Options(**options)), text.name)
