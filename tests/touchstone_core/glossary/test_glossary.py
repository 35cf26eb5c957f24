"""The words that pages explain are those of docs/glossary.md, and each heading has one."""

import re
from itertools import chain

import pytest
from django.conf import settings

from touchstone_core.glossary import CHAPTERS, explanation, find_terms
from touchstone_core.metrics.definitions import DEFINITIONS

TERMS = list(chain.from_iterable(CHAPTERS.values()))


def test_the_docs_have_the_same_words_with_the_same_meaning():
    text = (settings.BASE_DIR / "docs" / "glossary.md").read_text()
    documented = {
        chapter: re.findall(r"^\| (.+?) \| (.+?) \| .*\|$", rows, re.MULTILINE)[2:]
        for chapter, rows in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    }

    assert documented == {
        chapter: [(one.name, one.means) for one in terms] for chapter, terms in CHAPTERS.items()
    }


def test_a_word_and_a_heading_are_explained_once():
    names = [term.name.lower() for term in TERMS]
    headings = [heading for term in TERMS for heading in term.also]

    assert len(set(names)) == len(names)
    assert len({term.key for term in TERMS}) == len(TERMS)
    assert sorted(heading for heading in set(headings) if headings.count(heading) > 1) == []
    assert [heading for heading in headings if heading != heading.lower()] == []


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("NDCG-local@10", "NDCG-local"),
        ("judged@5", "judged@k"),
        ("DCG@100", "DCG"),
        ("AP(rel=2)@10", "AP"),
        ("P@5", "P"),
        ("RR", "RR"),
        ("Δ global", "difference"),
        ("p", "p-value"),
        ("p (adjusted)", "p-value"),
        ("Run", "run"),
        ("lost recall", "lost by recall"),
        ("  Judged   queries ", None),
    ],
)
def test_a_heading_leads_to_its_word(heading, name):
    found = explanation(heading)

    assert (found and found.name) == name


def test_every_measure_is_explained():
    assert [name for name in DEFINITIONS if explanation(f"{name}@10") is None] == []


def test_the_first_heading_that_has_a_word_wins():
    first = explanation("nothing of that name", "weight", "run")

    assert first is not None
    assert first.name == "weight"


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.key)
def test_a_sentence_is_one(term):
    assert term.sentence[-1] in ".?"
    assert term.sentence[:1] == term.sentence[:1].upper()
    assert "`" not in term.means + term.formula + term.care


def test_words_are_found_by_name_or_explanation_and_names_come_first():
    assert find_terms("") == CHAPTERS
    assert {chapter: terms[0].name for chapter, terms in find_terms(" Krippendorff ").items()} == {
        "Grades": "agreement"
    }
    assert (
        find_terms("formula")["Scores"][0].name == "formula"
    )  # a policy, which comes before, is explained by it
    assert [term.name for term in find_terms("query")["Content"]][:2] == ["query", "query set"]
    assert find_terms("no such word") == {}


def test_no_style_is_for_the_id_of_a_word():
    """Words of the glossary are IDs on its page, so that a style of another page's part would be theirs, too."""
    styles = re.findall(r"css/[\w/-]+\.css", (settings.BASE_DIR / "templates/parts/styles.html").read_text())
    text = "".join((settings.BASE_DIR / "static" / name).read_text() for name in styles)

    assert len(styles) >= 6
    assert {term.key for term in TERMS} & set(
        re.findall(r"(?:^|[,}])\s*#([a-z][\w-]*)\s*[,:{]", text, re.MULTILINE)
    ) == set()
