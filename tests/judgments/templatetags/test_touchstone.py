import pytest
from django.template import Context, Template


@pytest.mark.parametrize(("number", "text"), [(-0.5, "−0.50"), (0.5, "0.50"), (-0.001, "0.00"), (None, "")])
def test_numbers_have_a_real_minus_sign_and_zero_has_none(number, text):
    written = Template("{{ number|floatformat:2 }}").render(Context({"number": number}))

    assert written == text


def test_names_of_a_table_are_escaped_and_its_rows_are_not_escaped_twice():
    page = Template("{% table name caption=name tall=True %}<tr><td>{{ name }}</td></tr>{% endtable %}")

    assert page.render(Context({"name": "<a&b>"})) == (
        '<div class="table-region tall" role="region" aria-label="&lt;a&amp;b&gt;" tabindex="0"><table class="data">'
        '<caption class="visually-hidden">&lt;a&amp;b&gt;</caption><tr><td>&lt;a&amp;b&gt;</td></tr></table></div>'
    )
