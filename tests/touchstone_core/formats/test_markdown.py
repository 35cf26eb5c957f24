"""Markdown that shows texts as they are."""

from touchstone_core.formats.markdown import plain, table


def test_signs_of_markdown_are_only_signs():
    assert plain("a|b *c* [d](e)\n<f> `g` ~h~ \\i _j_") == (
        r"a\|b \*c\* \[d\](e) \<f\> \`g\` \~h\~ \\i \_j\_"
    )


def test_a_table_has_its_first_column_to_the_left():
    assert list(table(["run", "mean"], [["a", "0.5"]])) == ["| run | mean |", "| --- | ---: |", "| a | 0.5 |"]
