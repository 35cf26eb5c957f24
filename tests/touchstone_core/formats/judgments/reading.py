"""Reads files of judgments of any format."""

from tests.shared_data import shared_data
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.judgments.judgment_files import open_judgment_text
from touchstone_core.formats.text import decode


def read(content, **options):
    return open_judgment_text(text_of(content), **options).read()


def real(path, **options):
    file = shared_data(path.split("/")[0]).parent / path
    return open_judgment_text(decode(file.read_bytes(), name=file.name, limit=10**8), **options).read()


def grades(judgments):
    return [(record.query, record.document, record.grade) for record in judgments.records]


def sentences(judgments):
    return list(judgments.report.errors.sentences())
