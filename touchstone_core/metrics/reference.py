"""The documentation of measures, parameters and presets, made of their own definitions."""

from collections.abc import Iterator
from textwrap import fill

from touchstone_core.metrics import ties
from touchstone_core.metrics.definition import Definition
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.parameters import PARAMETERS, Parameter
from touchstone_core.metrics.presets import PRESETS, Preset

_HEAD = """\
# Measures

This page is made by `manage.py measures --markdown`; a test holds it to the definitions.

A measure is written as a name, its parameters in brackets, and its cutoff: `nDCG(gain='exp', ideal='local')@10`.
The parameters stand in alphabetical order and defaults are left out, so that equal measures have one text. The names are
read without regard to case, MAP, MRR, recall and precision stand for AP, RR, R and P, and ir_measures' `dcg='exp-log2'`
and `judged_only=True` are read as `gain='exp'` and `unjudged='condensed'`. Several measures are separated by white space.
`~2` behind a measure rounds every query's value to 2 decimals before any average, as some tools do: `nDCG(gain='exp')@10~2`.

g_i is the grade of the document at rank i, and k is the cutoff. A document is relevant if its grade reaches the threshold
(`rel`). A ranking of n documents has been put in order before any measure sees it: retrieval score descending in single
precision, as trec_eval compares it, then document id descending. A run can be read in double precision or in the order of
its rank column instead (`--order double`, `--order rank`). A negative grade has a gain of 0.
"""
_TIES = (*ties.WORDS, f"Source: {ties.SOURCE}.")


def markdown() -> str:
    """The page of all measures, parameters and presets."""
    return "\n".join(
        [
            _HEAD,
            *("\n".join(_measure(definition)) for definition in DEFINITIONS.values()),
            "## Ties\n",
            *(f"{text}\n" for text in _TIES),
            "## Parameters\n",
            "| parameter | values | meaning |\n| --- | --- | --- |",
            *map(_row, PARAMETERS.values()),
            "\n## Formulas of others\n\nAt cutoff 10; any other cutoff is taken in the same way.\n",
            *("\n".join(_preset(preset)) for preset in PRESETS.values()),
        ]
    )


def plain(width: int = 100) -> str:
    """The measures as text for a terminal, wrapped."""
    lines = []
    for definition in DEFINITIONS.values():
        lines.append(_title(definition))
        lines += [_indented(text, width) for text in _sentences(definition)]
        lines.append("")
    lines += ["Ties", *(_indented(text, width) for text in _TIES), ""]
    lines.append("Parameters")
    for parameter in PARAMETERS.values():
        text = f"{parameter.name}: {parameter.words}. {_values(parameter).capitalize()}."
        lines.append(_indented(text, width))
    lines += ["", "Formulas of others, at cutoff 10"]
    for preset in PRESETS.values():
        text = f"{preset.name}: {preset.rounded(10)}. {preset.words} {preset.trap}"
        lines.append(_indented(text, width))
    return "\n".join(lines) + "\n"


def _indented(text: str, width: int) -> str:
    return fill(text, width, initial_indent="  ", subsequent_indent="    ")


def _measure(definition: Definition) -> Iterator[str]:
    yield f"## {_title(definition)}\n"
    for text in _sentences(definition):
        yield f"{text}\n"


def _title(definition: Definition) -> str:
    name = definition.name
    return {"required": f"{name}@k", "optional": f"{name}, {name}@k", "none": name}[definition.cutoff]


def _sentences(definition: Definition) -> Iterator[str]:
    yield definition.line
    yield f"Formula: {definition.formula}"
    yield f"Edge cases: {definition.edges}"
    yield f"Parameters: {', '.join(sorted(definition.parameters))}."
    yield f"Source: {definition.source}"


def _row(parameter: Parameter) -> str:
    return f"| {parameter.name} | {_values(parameter)} | {parameter.words} |"


def _values(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f"; default {parameter.default}"
    return f"{parameter.expected}{default}"


def _preset(preset: Preset) -> Iterator[str]:
    yield f"### {preset.name}\n"
    yield f"`{preset.rounded(10)}`\n"
    yield f"{preset.words}\n"
    yield f"To know: {preset.trap}\n"
    yield f"Source: {preset.source}.\n"
