import pytest
from django.template import Context, Template

from judgments.templatetags.touchstone import breakable


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


@pytest.mark.parametrize(("kind", "role"), [("info", "status"), ("warning", "status"), ("error", "alert")])
def test_only_errors_are_read_out_at_once_unless_a_notice_says_so(kind, role):
    page = Template(
        "{% notice kind %}<b>{{ text }}</b>{% endnotice %}{% notice kind role='alert' %}{% endnotice %}"
    )

    assert page.render(Context({"kind": kind, "text": "<a>"})) == (
        f'<div class="notice notice-{kind}" role="{role}"><p><b>&lt;a&gt;</b></p></div>'
        f'<div class="notice notice-{kind}" role="alert"><p></p></div>'
    )


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("missing", "Missing"),
        ("zero ideal", "Zero ideal"),
        ("judged@10", "Judged@10"),
        ("p", "p"),
        ("d_z", "d_z"),
        ("nDCG@10", "nDCG@10"),
        ("Δ global", "Δ global"),
        ("", ""),
    ],
)
def test_a_column_head_begins_with_a_capital_letter_and_symbols_stay(name, head):
    assert Template("{{ name|column_head }}").render(Context({"name": name})) == head


def test_a_choice_shows_what_is_chosen_and_escapes_its_words():
    page = Template('{% choice "rater" "Rater" raters 2 first="nobody" %}').render(
        Context({"raters": [(2, "<b>")]})
    )

    assert "".join(line.strip() for line in page.splitlines()) == (
        '<div class="field"><label for="id_rater">Rater</label><select name="rater" id="id_rater">'
        '<option value="">nobody</option><option value="2" selected>&lt;b&gt;</option></select></div>'
    )


def test_a_name_breaks_behind_underscores_and_stays_text():
    assert breakable("bm25_title") == "bm25_<wbr>title"
    assert breakable("<b>_&") == "&lt;b&gt;_<wbr>&amp;"
    assert breakable("plain") == "plain"
