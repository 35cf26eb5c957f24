import pytest
from django.template import Context, Template


@pytest.mark.parametrize(("number", "text"), [(-0.5, "−0.50"), (0.5, "0.50"), (-0.001, "0.00"), (None, "")])
def test_numbers_have_a_real_minus_sign_and_zero_has_none(number, text):
    written = Template("{{ number|floatformat:2 }}").render(Context({"number": number}))

    assert written == text
