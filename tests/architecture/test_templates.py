"""Lines of templates that a person can read."""

from tests.architecture.test_rules import ROOT

LONGEST = 140


def test_no_template_has_lines_that_are_longer_than_can_be_read():
    pages = {page: page.read_text().splitlines() for page in (ROOT / "templates").rglob("*.html")}

    assert pages
    assert [page for page, lines in pages.items() if any(len(line) > LONGEST for line in lines)] == []
