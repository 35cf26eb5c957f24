"""Runs beside a baseline: verdicts, the report, one query, and the help of machines."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from touchstone_core.client.calls import Key, OnProgress, key_of
from touchstone_core.client.choices import FormulaChoice
from touchstone_core.client.figures import ComparedQuery, Comparison, MachineHelps, Report, Verdict
from touchstone_core.client.job_calls import JobCalls
from touchstone_core.client.records import read_record


class ComparisonCalls(JobCalls):
    def comparison(
        self,
        judgment_list: Key,
        runs: Sequence[Key],
        *,
        on: str | None = None,
        confirm: bool = False,
        intent: Key | None = None,
        timeout: float | None = None,
        progress: OnProgress | None = None,
        **formula: Unpack[FormulaChoice],
    ) -> Comparison:
        """Runs beside the first one of them, the baseline. Waits while a worker compares them.

        `confirm` compares on the held-out queries, once they are open.
        """
        query = _compared(runs, on, intent, formula, confirm=confirm)
        path = f"lists/{key_of(judgment_list)}/comparison"
        answer = self.connection.when_ready(path, query, timeout=timeout, progress=progress)
        return Comparison(**_comparison_of(answer))

    def comparison_report(
        self,
        judgment_list: Key,
        runs: Sequence[Key],
        *,
        format: Literal["md", "html"] = "md",
        on: str | None = None,
        confirm: bool = False,
        intent: Key | None = None,
        timeout: float | None = None,
        progress: OnProgress | None = None,
        **formula: Unpack[FormulaChoice],
    ) -> Report:
        """The same for others, as Markdown or as one HTML file."""
        query = _compared(runs, on, intent, formula, confirm=confirm, format=format)
        path = f"lists/{key_of(judgment_list)}/comparison/report"
        answer = self.connection.when_ready(path, query, timeout=timeout, progress=progress)
        own = {name: answer[name] for name in ("subtitle", "runs", "page", "text")}
        return Report(**_comparison_of(answer), **own)

    def machine_help(
        self,
        judgment_list: Key,
        runs: Sequence[Key],
        *,
        on: str | None = None,
        confirm: bool = False,
        intent: Key | None = None,
        **formula: Unpack[FormulaChoice],
    ) -> MachineHelps:
        """By how much runs differ from the first by people's grades, made more certain by grades of machines that don't count.

        It holds if the queries that people judged were drawn at random.
        """
        query = _compared(runs, on, intent, formula, confirm=confirm)
        path = f"lists/{key_of(judgment_list)}/comparison/machines"
        answer = self.connection.read(path, query).json()
        return MachineHelps(
            formula=answer["formula"],
            words=answer["formula_words"],
            grades=answer["list"],
            measure=answer["measure"],
            baseline=answer["baseline"],
            rows=answer["rows"],
        )

    def compared_query(
        self,
        judgment_list: Key,
        query: Key,
        runs: Sequence[Key],
        *,
        run: Key | None = None,
        on: str | None = None,
        confirm: bool = False,
        intent: Key | None = None,
        timeout: float | None = None,
        progress: OnProgress | None = None,
        **formula: Unpack[FormulaChoice],
    ) -> ComparedQuery:
        """Both rankings of one query side by side. `run` is the one beside the baseline, without it the first."""
        of = None if run is None else key_of(run)
        sent = _compared(runs, on, intent, formula, confirm=confirm, run=of)
        path = f"lists/{key_of(judgment_list)}/comparison/queries/{key_of(query)}"
        answer = self.connection.when_ready(path, sent, timeout=timeout, progress=progress)
        return ComparedQuery(
            formula=answer["formula"],
            words=answer["formula_words"],
            grades=answer["list"],
            baseline=answer["baseline"]["name"],
            run=answer["run"]["name"],
            content=answer,
        )


def _compared(
    runs: Sequence[Key],
    on: str | None,
    intent: Key | None,
    formula: FormulaChoice,
    *,
    confirm: bool,
    **others: str | int | None,
) -> Mapping[str, Any]:
    """What is compared, as the address names it."""
    return {
        "runs": "-".join(str(key_of(run)) for run in runs),
        "on": on,
        "confirm": 1 if confirm else None,
        "intent": None if intent is None else key_of(intent),
        **others,
        **formula,
    }


def _comparison_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a Comparison."""
    content = answer["comparison"]
    return {
        "formula": content["formula"],
        "words": answer["formula_words"],
        "grades": content["list"],
        "recommendation": answer["recommendation"],
        "verdicts": [read_record(Verdict, one) for one in answer["verdicts"]],
        "unknown": answer["unknown"],
        "up_to_date": answer["up_to_date"],
        "content": content,
    }
