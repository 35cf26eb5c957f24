"""Every word that pages explain, once: for the glossary, and for the explanation of each column and figure."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from touchstone_core.glossary.comparing import COMPARING
from touchstone_core.glossary.content import CONTENT
from touchstone_core.glossary.grades import GRADES
from touchstone_core.glossary.judging import JUDGING
from touchstone_core.glossary.runs import RUNS
from touchstone_core.glossary.scores import SCORES
from touchstone_core.glossary.term import Term
from touchstone_core.metrics.definitions import DEFINITIONS

CHAPTERS: Final[dict[str, tuple[Term, ...]]] = {
    "Content": CONTENT,
    "Judging": JUDGING,
    "Grades": GRADES,
    "Runs": RUNS,
    "Scores": SCORES,
    "Comparing": COMPARING,
}


def find_terms(text: str) -> dict[str, tuple[Term, ...]]:
    """The words whose name or explanation has this text, by chapter: first the one that is called so."""
    wanted = " ".join(text.lower().split())

    def place(term: Term) -> tuple[bool, bool]:
        name = term.name.lower()
        return name != wanted, wanted not in name

    found = {
        chapter: tuple(sorted((term for term in terms if wanted in term.text), key=place))
        for chapter, terms in CHAPTERS.items()
    }
    return {chapter: terms for chapter, terms in found.items() if terms}


def explanation(*headings: str) -> Term | None:
    """The word for the first of these headings that has one: `judged@10`, `AP(rel=2)@10` or `NDCG-local`."""
    known = _by_heading()
    return next((known[form] for heading in headings for form in _forms(heading) if form in known), None)


def _forms(heading: str) -> Iterator[str]:
    """What the heading says, and if it names a measure, that one."""
    text = " ".join(heading.lower().split())
    yield from (name for words, name in _PARTS.items() if words in text)
    yield text
    before = text.partition("@")[0]
    yield f"measure {before.partition('(')[0]}"
    yield before


# What headings say that have names of runs and measures in them, or numbers.
_PARTS: Final = {
    "δ ": "difference",
    "run minus baseline": "difference",
    "difference of ndcg": "difference",
    "whatever grades are missing": "bounds",
    "ans of ndcg@": "measure ndcg",
}


@cache
def _by_heading() -> dict[str, Term]:
    terms = [term for chapter in CHAPTERS.values() for term in chapter]
    measures = {
        f"measure {name.lower()}": Term(one.name, one.line, one.formula, one.edges)
        for name, one in DEFINITIONS.items()
    }
    names = {term.name.lower(): term for term in terms}
    return measures | names | {heading: term for term in terms for heading in term.also}
