from pathlib import Path

import pytest

from evaluation.metrics.definitions import DEFINITIONS
from evaluation.metrics.parameters import PARAMETERS
from evaluation.metrics.presets import PRESETS
from evaluation.metrics.reference import markdown, plain

PAGE = Path(__file__).parents[3] / "docs" / "measures.md"


def test_the_page_of_measures_is_the_one_that_the_definitions_make():
    assert PAGE.read_text() == markdown(), "make it anew: manage.py measures --markdown > docs/measures.md"


@pytest.mark.parametrize("text", [markdown(), " ".join(plain().split())])
def test_every_measure_parameter_and_preset_is_explained(text):
    for definition in DEFINITIONS.values():
        assert all(
            said in text
            for said in (definition.line, definition.formula, definition.edges, definition.source)
        )
    assert all(parameter.words in text for parameter in PARAMETERS.values())
    for preset in PRESETS.values():
        assert all(said in text for said in (preset.name, str(preset.measure(10)), preset.words, preset.trap))


def test_the_text_for_the_terminal_is_wrapped():
    assert max(map(len, plain(72).splitlines())) <= 72
