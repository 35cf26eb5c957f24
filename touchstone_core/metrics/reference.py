"""The documentation of measures, parameters and presets, written from their definitions."""

from collections.abc import Iterator
from textwrap import fill

from touchstone_core.metrics import ties
from touchstone_core.metrics.definition import Definition
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.parameters import PARAMETERS, Parameter
from touchstone_core.metrics.presets import PRESETS, Preset

_HEAD = """\
# Measures

`manage.py measures --markdown` writes this page from the definitions.

A measure is written as a name, its parameters in brackets, and its cutoff: `nDCG(gain='exp', ideal='local')@10`.
Parameters are in alphabetical order and defaults are left out, so equal measures have the same text. You can write names in
any case, and MAP, MRR, recall and precision for AP, RR, R and P. Names of trec_eval and pytrec_eval such as `ndcg_cut_10`,
`map_cut.100`, `P_10`, `recall_1000`, `success_5` and `recip_rank` are read, too. The parameters `dcg='exp-log2'` and
`judged_only=True` of ir_measures mean `gain='exp'` and `unjudged='condensed'`. Separate several measures by white space. `~2`
after a measure rounds every query's value to 2 decimals before any average, as some tools do: `nDCG(gain='exp')@10~2`.

g_i is the grade of the document at rank i, and k is the cutoff. A document is relevant if its grade reaches the threshold
(`rel`). Every ranking of n documents is sorted before it is measured: by retrieval score in single precision, as trec_eval
does, then by document ID, both descending. `--order double` compares scores in double precision, and `--order rank` uses
the order of the rank column. A negative grade has a gain of 0.
"""
_TIES = (*ties.WORDS, f"Source: {ties.SOURCE}.")


def markdown() -> str:
    """Returns docs/measures.md: all measures, parameters and presets."""
    return "\n".join(
        [
            _HEAD,
            *("\n".join(_measure(definition)) for definition in DEFINITIONS.values()),
            "## Ties\n",
            *(f"{text}\n" for text in _TIES),
            "## Parameters\n",
            "| parameter | values | meaning |\n| --- | --- | --- |",
            *map(_row, PARAMETERS.values()),
            "\n## Formulas of other tools\n\nAt cutoff 10; other cutoffs work in the same way.\n",
            *("\n".join(_preset(preset)) for preset in PRESETS.values()),
        ]
    )


def plain(width: int = 100) -> str:
    """Returns the same as wrapped text for a terminal."""
    lines = []
    for definition in DEFINITIONS.values():
        lines.append(_title(definition))
        lines += [_wrap(text, width) for text in _sentences(definition)]
        lines.append("")
    lines += ["Ties", *(_wrap(text, width) for text in _TIES), ""]
    lines.append("Parameters")
    for parameter in PARAMETERS.values():
        text = f"{parameter.name}: {parameter.words}. {_values(parameter).capitalize()}."
        lines.append(_wrap(text, width))
    lines += ["", "Formulas of other tools, at cutoff 10"]
    for preset in PRESETS.values():
        text = f"{preset.name}: {preset.rounded_measure(10)}. {preset.words} {preset.trap}"
        lines.append(_wrap(text, width))
    return "\n".join(lines) + "\n"


def _wrap(text: str, width: int) -> str:
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
    yield f"`{preset.rounded_measure(10)}`\n"
    yield f"{preset.words}\n"
    yield f"Note: {preset.trap}\n"
    yield f"Source: {preset.source}.\n"
