"""What a gate says: as a table for people, as JSON, as Markdown for a pull request, and as JUnit XML for build servers."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from xml.etree import ElementTree

from touchstone_core.comparison.values import DASH, p_text, signed
from touchstone_core.formats import markdown
from touchstone_core.formats.columns import aligned
from touchstone_core.metrics.left_out import LeftOut, left_out_of_difference
from touchstone_core.offline.gate import SHOWN, BaselineComparison, Condition, MeasureResult
from touchstone_core.significance.differences import TOLERANCE
from touchstone_core.significance.draws import SEED
from touchstone_core.significance.permutation import FEWEST
from touchstone_core.significance.planning import MANY, may_be_unseen
from touchstone_core.words import counted

TITLE: Final = "Relevance gate"
_WORDS = {
    "min": "at least",
    "max-drop": "drop of at most",
    "no-worse": "shown: drop of at most",
    "same-within": "shown: the same within",
}
_UNTOLD: Final = {"no-worse": "drop", "same-within": "difference"}
_HEADS_ALONE: Final = ("measure", "run", "condition", "verdict")
_HEADS: Final = ("measure", "run", "baseline", "difference", "95 % interval", "p", "condition", "verdict")
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class GateReport:
    """What came of a gate. `queries` were counted, `held_out` were not: nobody has opened them. Without a `baseline`, its name is empty.

    `judgments` says in words which grades decided. `origin` says for machines where grades, run and baseline come from.
    """

    run: str
    file: str
    baseline: str
    judgments: str
    queries: int
    held_out: int
    measures: tuple[MeasureResult, ...]
    origin: Mapping[str, Any]

    @property
    def passed(self) -> bool:
        return all(one.passed for one in self.measures)

    @property
    def heads(self) -> Sequence[str]:
        return _HEADS if self.baseline else _HEADS_ALONE

    @property
    def over(self) -> str:
        out = f", {self.held_out:,} held out" if self.held_out else ""
        return f"over {counted(self.queries, 'query', 'queries')}{out}"

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            **self.origin,
            "queries": self.queries,
            "held_out": self.held_out,
            "seed": SEED,
            "measures": [one.as_json() for one in self.measures],
        }


@dataclass(frozen=True, slots=True)
class WrittenGate:
    """A gate in all forms: `report` has every figure, the texts are what is printed and written."""

    passed: bool
    report: dict[str, Any]
    table: str
    markdown: str
    junit: str
    warnings: list[str]


def written_gate(gate: GateReport, *, title: str, warnings: Iterable[str]) -> WrittenGate:
    said = list(warnings)
    texts = (
        as_table(gate),
        as_markdown(gate, title=title, warnings=said),
        as_junit(gate, title=title, warnings=said),
    )
    return WrittenGate(gate.passed, gate.as_json | {"warnings": said}, *texts, said)


def as_table(gate: GateReport) -> str:
    """A line for each condition, then the verdict, a sentence for each condition that isn't met, and what unjudged documents could
    change."""
    rows = [gate.heads, *chain.from_iterable(map(_rows, gate.measures))]
    beside = f" beside {gate.baseline}" if gate.baseline else ""
    head = f"{gate.run} ({gate.file}){beside}, {gate.over}.\n{gate.judgments}."
    sentences = [sentence for one in gate.measures for sentence in (*_verdict(one), *_sentences(one))]
    sentences.append("Passed." if gate.passed else "Not passed.")
    return f"{head}\n\n{aligned(rows)}\n\n" + "\n".join(sentences) + "\n"


def as_markdown(gate: GateReport, *, title: str, warnings: Iterable[str] = ()) -> str:
    """For a pull request. The first line is a hidden comment by which the text is found again to be replaced."""
    last = [f"- **Warning:** {markdown.plain(one)}" for one in warnings]
    return "\n".join([*_markdown_lines(gate, title), *last]) + "\n"


def marker(title: str) -> str:
    """A hidden comment in HTML that names the gate."""
    words = " ".join(re.findall(r"\w+", title))  # nothing that ends a comment
    return f"<!-- touchstone-gate: {words} -->"


def as_junit(gate: GateReport, *, title: str = TITLE, warnings: Iterable[str] = ()) -> str:
    """A test case for each condition, which fails if the condition isn't met."""
    cases = [_case(one, condition, title) for one in gate.measures for condition in one.conditions]
    failures = sum(not condition.passed for one in gate.measures for condition in one.conditions)
    counts = {"name": title, "tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", counts | {"skipped": "0"})
    properties = ElementTree.SubElement(suite, "properties")
    facts = {
        "run": gate.run,
        "file": gate.file,
        **({"baseline": gate.baseline} if gate.baseline else {}),
        "judgments": gate.judgments,
        "queries": str(gate.queries),
        "held_out": str(gate.held_out),
    }
    for name, fact in facts.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": fact})
    suite.extend(cases)
    if said := "\n".join(warnings):
        ElementTree.SubElement(suite, "system-err").text = said
    ElementTree.indent(suites)
    text = _NOT_IN_XML.sub("\ufffd", ElementTree.tostring(suites, encoding="unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case(one: MeasureResult, condition: Condition, title: str) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", {"classname": title, "name": f"{one.measure}: {_demanded(condition)}"}
    )
    if condition.passed:
        output = ElementTree.SubElement(case, "system-out")
    else:
        failure = {"type": condition.kind, "message": _sentence(one, condition)}
        output = ElementTree.SubElement(case, "failure", failure)
    output.text = "\n".join(_said(one))
    return case


def _verdict(one: MeasureResult) -> Iterator[str]:
    if one.comparison:
        yield f"{one.measure}: {one.comparison.plain.sentence} {one.comparison.plain.text}"


def _said(one: MeasureResult) -> Iterator[str]:
    """The verdict of the page of a comparison, and the notes of the gate."""
    if one.comparison:
        yield f"{one.comparison.plain.sentence} {one.comparison.verdict.details}".rstrip()
    yield from _sentences(one)


def _markdown_lines(gate: GateReport, title: str) -> Iterator[str]:
    yield marker(title)
    yield f"### {'✓' if gate.passed else '✗'} {markdown.plain(title)}: {'passed' if gate.passed else 'not passed'}"
    yield ""
    compared = f" compared with **{markdown.plain(gate.baseline)}**" if gate.baseline else ""
    yield (
        f"**{markdown.plain(gate.run)}** ({markdown.plain(gate.file)}){compared}, {gate.over}. "
        f"{markdown.plain(gate.judgments)}."
    )
    yield ""
    for one in gate.measures:
        if one.comparison:
            plain = one.comparison.plain
            yield f"- {markdown.plain(one.measure)}: {plain.mark} **{markdown.plain(plain.sentence)}** {markdown.plain(plain.text)}"
    if gate.baseline:
        yield ""
    rows = chain.from_iterable(map(_rows, gate.measures))
    yield from markdown.table(gate.heads, [[markdown.plain(cell) for cell in row] for row in rows])
    yield ""
    for one in gate.measures:
        yield from (f"- {markdown.plain(sentence)}" for sentence in _sentences(one))


def _rows(one: MeasureResult) -> Iterator[list[str]]:
    figures = [one.measure, f"{one.mean:.4f}"]
    if one.comparison:
        figures += _compared(one.comparison)
    for condition in one.conditions:
        yield [*figures, _demanded(condition), "passed" if condition.passed else "FAILED"]
    if not one.conditions:
        yield [*figures, "none", DASH]


def _compared(comparison: BaselineComparison) -> list[str]:
    figures, ends = comparison.figures, comparison.interval
    return [
        f"{figures.baseline:.4f}",
        signed(figures.difference.mean),
        f"{signed(ends.low)} to {signed(ends.high)}" if ends else DASH,
        DASH if comparison.verdict.needs_judging else p_text(figures.permutation.value),
    ]


def _demanded(condition: Condition) -> str:
    return (
        "no drop beyond noise" if condition.beyond_noise else f"{_WORDS[condition.kind]} {condition.limit:g}"
    )


def _sentence(one: MeasureResult, condition: Condition) -> str:
    """By how much the condition is missed."""
    noise = ", which may be noise, so it passes" if condition.passed else ""
    return f"{one.measure}: {_shortfall(one, condition)}{noise}."


def _sentences(one: MeasureResult) -> Iterator[str]:
    for condition in one.conditions:
        if condition.noise or not condition.passed:
            yield _sentence(one, condition)
    notes = _notes_beside(one, one.comparison) if one.comparison else _notes_alone(one)
    for note in notes:
        yield f"{one.measure}: {note}"


def _notes_alone(one: MeasureResult) -> Iterator[str]:
    yield _unjudged_alone(one)
    if left_out := LeftOut.of(one.mean, one.queries, one.left_out):
        yield left_out.words


def _notes_beside(one: MeasureResult, comparison: BaselineComparison) -> Iterator[str]:
    yield from _unseen_note(one)
    if comparison.caveat:
        yield comparison.caveat
    yield _unjudged_note(one, comparison)
    if one.left_out:
        yield left_out_of_difference(one.left_out, one.queries, [comparison.figures.difference.mean])


def _unseen_note(one: MeasureResult) -> Iterator[str]:
    """What no test of few queries can show, where one has shown something."""
    queries = one.queries
    if queries < MANY and any(each.passed and each.kind in SHOWN for each in one.conditions):
        share = 100 * may_be_unseen(queries)
        yield (
            f"what is shown holds at 5 %, but {counted(queries, 'query', 'queries')} may not show a loss at all that "
            f"hits fewer than {share:.0f} % of queries."
        )


def _shortfall(one: MeasureResult, condition: Condition) -> str:
    comparison = one.comparison
    if condition.kind == "min" or comparison is None:
        return (
            f"{one.mean:.4f} is {condition.limit - one.mean:.4f} below the least value, {condition.limit:g}"
        )
    if condition.untold:
        return (
            f"a {_UNTOLD[condition.kind]} of at most {condition.limit:g} can’t be shown until more is judged"
        )
    if condition.kind in SHOWN:
        return _unshown(comparison, condition)
    ends = comparison.interval
    interval = f" (95 % interval of the difference {signed(ends.low)} to {signed(ends.high)})" if ends else ""
    difference = comparison.figures.difference.mean
    drop = f"the drop is {-difference:.4f}"
    if condition.beyond_noise:
        return f"{drop}{interval}" if condition.passed else f"{drop}, more than noise{interval}"
    if not condition.limit:
        return f"{drop}, where none is allowed{interval}"
    return f"{drop}, {-difference - condition.limit:.4f} more than {condition.limit:g}{interval}"


def _unshown(comparison: BaselineComparison, condition: Condition) -> str:
    """What these queries leave possible, beside what was to be excluded."""
    changes = comparison.figures.permutation.changed
    few = f"; only {counted(changes, 'query', 'queries')} changed" if changes < FEWEST else ""
    if comparison.ends is None:
        return f"nothing can be shown{few}"
    low, high = comparison.ends
    difference = f"the difference is {signed(comparison.figures.difference.mean)}"
    if condition.kind == "no-worse":
        return f"{difference}, and a drop of {-low:.4f} can’t be excluded, more than {condition.limit:g}{few}"
    return (
        f"{difference}, and anything from {signed(low)} to {signed(high)} can’t be excluded, more than "
        f"±{condition.limit:g}{few}"
    )


def _unjudged_alone(one: MeasureResult) -> str:
    of, bounds = one.unjudged, one.bounds
    where = "the ranking" if of.cutoff is None else f"the top {of.cutoff}"
    if not of.documents:
        return f"every document of the run in {where} is judged."
    lies = (
        f"; whatever grades these get, the run lies between {bounds[0]:.4f} and {bounds[1]:.4f}"
        if bounds
        else ""
    )
    return (
        f"{counted(of.documents, 'unjudged document')} in {where} of {counted(of.queries, 'query', 'queries')} "
        f"could change it{lies}."
    )


def _unjudged_note(one: MeasureResult, comparison: BaselineComparison) -> str:
    cutoff, of_difference, of_run = one.unjudged.cutoff, comparison.bounds_of_difference, one.bounds
    where = "the ranking" if cutoff is None else f"the top {cutoff}"
    both = ((one.unjudged, ""), (comparison.unjudged, " of the baseline"))
    holes = [
        f"{counted(of.documents, 'unjudged document')}{whose} in {where} of {counted(of.queries, 'query', 'queries')}"
        for of, whose in both
        if of.documents
    ]
    run = f"the run lies between {of_run[0]:.4f} and {of_run[1]:.4f}" if of_run else ""
    difference = f"between {signed(of_difference[0])} and {signed(of_difference[1])}" if of_difference else ""
    if holes:
        lies = f"; whatever grades the documents of both runs get, {run}" if run else ""
        return f"{' and '.join(holes)} could change it{lies}{f', and the difference {difference}' if difference else ''}."
    judged = f"every document of both runs in {where} is judged"
    if of_difference is None or of_difference[1] - of_difference[0] < TOLERANCE:
        return f"{judged}."
    return f"{judged}, but documents below it could change the difference: whatever their grades, it lies {difference}, and {run}."
