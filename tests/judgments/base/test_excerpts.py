from hypothesis import given
from hypothesis import strategies as st

from judgments.base.highlight import Highlighter, best_passage


def excerpt(query: str, text: str, length: int = 60) -> str:
    start, end = best_passage(text, Highlighter(query).hits(text), length)
    return text[start:end]


def test_a_passage_with_more_terms_of_the_query_is_better_than_one_with_more_hits():
    text = "Coffee, coffee and coffee. " + "Nothing here. " * 20 + "A grinder for coffee. " + "End. " * 20

    assert excerpt("coffee grinder", text).startswith("A grinder for coffee. End.")


def test_without_a_hit_it_is_the_beginning_up_to_a_word():
    assert excerpt("tea", "one two three four", 10) == "one two"
    assert excerpt("tea", "one two") == "one two"


def test_it_begins_shortly_before_a_hit_where_the_sentence_is_long():
    text = "word " * 200 + "coffee " + "word " * 200

    begin = excerpt("coffee", text, 200)

    assert begin.startswith("word word")
    assert "coffee" in begin


def test_texts_without_spaces_are_cut_between_characters():
    text = "天" * 500 + "。" + "咖啡机很好用" + "地" * 500

    assert excerpt("咖啡机", text, 20) == "咖啡机很好用" + "地" * 14
    assert excerpt("x", "e\u0301" * 10, 5) == "e\u0301" * 2


@given(st.text(alphabet="ab. 咖\u0301"), st.text(alphabet="ab. 咖\u0301", max_size=300), st.integers(1, 50))
def test_it_is_a_part_of_the_text_of_at_most_so_many_characters(query, text, length):
    start, end = best_passage(text, Highlighter(query).hits(text), length)

    assert 0 <= start <= end <= min(len(text), start + length)
    assert end > start or not text
