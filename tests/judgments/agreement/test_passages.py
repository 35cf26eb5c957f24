"""Passages of evidence, marked in a document."""

import pytest

from judgments.agreement.passages import Passage, mark_passages


def wrapped(words: str) -> str:
    return f'<span class="passage">{words}</span>'


def by(name: str) -> str:
    return f'<sup class="passage-by">{name}</sup>'


def test_a_passage_is_wrapped_and_says_whose_it_is():
    assert mark_passages("<p>A red tent.</p>", [Passage("red tent", "A")]) == (
        f"<p>A {wrapped('red tent')}{by('A')}.</p>"
    )


def test_a_passage_over_tags_is_wrapped_between_them():
    html = "<p>one <mark>two</mark> three</p><p>four</p>"

    assert mark_passages(html, [Passage("two threefo", "A")]) == (
        f"<p>one <mark>{wrapped('two')}</mark>{wrapped(' three')}</p><p>{wrapped('fo')}{by('A')}ur</p>"
    )


def test_a_passage_may_go_over_from_block_to_block():
    found = mark_passages("<h3>Chapter</h3><p>one</p>", [Passage("Chapter\none", "A")])

    assert found == (
        '<h3><span class="passage">Chapter</span></h3>'
        '<p><span class="passage">one</span><sup class="passage-by">A</sup></p>'
    )


def test_passages_may_overlap_and_be_the_same():
    found = mark_passages("one two three", [Passage("one two", "A"), Passage("two three", "B")])
    same = mark_passages("one", [Passage("one", "A"), Passage("one", "B"), Passage("one", "B")])

    assert found == f"{wrapped('one ')}{wrapped('two')}{by('A')}{wrapped(' three')}{by('B')}"
    assert same == f"{wrapped('one')}{by('A')}{by('B')}"


@pytest.mark.parametrize(("start", "expected"), [(None, 0), (0, 0), (7, 1), (11, 1)])
def test_of_several_places_the_nearest_counts(start, expected):
    found = mark_passages("tent or tent", [Passage("tent", "A", start)])

    parts = [f"{wrapped('tent')}{by('A')}" if nth == expected else "tent" for nth in range(2)]
    assert found == " or ".join(parts)


def test_white_space_does_not_matter_and_text_stays_escaped():
    found = mark_passages("<p>a &lt;b&gt;\n  &amp; c</p>", [Passage("<b> & c", "<A>")])

    assert found == f"<p>a {wrapped('&lt;b&gt;' + chr(10) + '  &amp; c')}{by('&lt;A&gt;')}</p>"


@pytest.mark.parametrize("quote", ["gone", " ", ""])
def test_what_is_not_there_changes_nothing(quote):
    assert mark_passages("<p>Text</p>", [Passage(quote, "A")]) == "<p>Text</p>"
