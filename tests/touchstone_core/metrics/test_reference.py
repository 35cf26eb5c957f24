from pathlib import Path

import pytest

from touchstone_core.metrics import ties
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.parameters import PARAMETERS
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.reference import markdown, plain

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
    assert all(words in text for words in ties.WORDS)
    assert all(parameter.words in text for parameter in PARAMETERS.values())
    for preset in PRESETS.values():
        assert all(
            said in text for said in (preset.name, str(preset.rounded_measure(10)), preset.words, preset.trap)
        )


def test_the_text_for_the_terminal_has_a_paragraph_for_each_measure_and_three_more():
    first_lines = [paragraph.splitlines()[0] for paragraph in plain().split("\n\n")]

    assert [line.split(",")[0].removesuffix("@k") for line in first_lines[:-3]] == list(DEFINITIONS)
    assert first_lines[-3:] == ["Ties", "Parameters", "Formulas of other tools, at cutoff 10"]
    assert plain().endswith(".\n")


def test_the_text_for_the_terminal_is_wrapped_and_hangs():
    page = plain(40)

    assert max(map(len, page.splitlines())) <= 40
    assert page.startswith(
        "nDCG, nDCG@k\n"
        "  How much of the best possible DCG the\n"
        "    ranking reaches.\n"
        "  Formula: DCG@k / IDCG@k, both with the\n"
        "    same gain, discount and cutoff.\n"
    )
    assert plain() == plain(100) != plain(101)


def test_a_preset_is_explained_at_cutoff_10():
    assert "\n  trec_eval ndcg_cut: nDCG@10. Linear gain, " in plain()
    assert "\n  OpenSearch search relevance NDCG: nDCG(gain='exp')@10~2. Exponential gain," in plain()


def test_a_parameter_says_its_values_and_what_it_is_when_nothing_is_said():
    page = " ".join(plain(10**6).split())

    assert "One of linear, exp, table; default linear." in page
    assert "A number above 1; default 2." in page
    assert "and 1 without a scale. A number from 0. max:" in page
