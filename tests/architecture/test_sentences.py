"""No page and no message falls back into the sentences that were replaced: the design's table of wordings."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
APPLICATION = ("config", "evaluation", "judgments", "touchstone_core", "templates", "static")
REPLACED = (
    "of this address is not in",
    "stands there twice",
    "before any came",
    "No query is like that",
    "You have judged this document in another tab",
    "There is no such page",
    "What nobody could have ranked",
    ">In short<",
    "No difference that these queries can show",
    "Worse as far as",
    "would mostly show a difference",
    "to settle one as small",
    "whatever the unjudged are worth",
    "Settled whatever",
    "recall rank nothing",
    "runs outside of it",
    "In parts of the queries",
    "How sure, and how robust",
    "Where the loss is",
    "known to be that good",
    "To know of",
    "Own choice",
    "Use these",
    "Seen another number",
    "Send holes to the raters",
    "Still to take",
    "of those wanted",
    "as wanted",
    "worth a look",
    "Name this rater",
    "One more rater where",
    "of a hundred",
    "expected a query of the query set",
    "no role.{1,30}any more",
    "[Ww]hoever opens",
)


def sentences_of(*patterns: str) -> list[str]:
    """Where one of the patterns stands in the application, with any white space between its words."""
    spaced = re.compile("|".join(patterns).replace(" ", r"\s+"))
    return [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for folder in APPLICATION
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".py", ".html", ".js"} and "migrations" not in path.parts
        for found in spaced.finditer(path.read_text())
    ]


def test_no_sentence_that_was_replaced_has_come_back():
    assert sentences_of(*REPLACED) == []


def test_the_search_finds_a_sentence_over_a_line_break(tmp_path, monkeypatch):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text("<p>No query\n  is like that.</p>")
    monkeypatch.setattr("tests.architecture.test_sentences.ROOT", tmp_path)

    assert sentences_of("No query is like that") == ["templates/page.html: No query\n  is like that"]
