"""Runs beside a baseline: verdicts, the report, one query, and the help of machines."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from touchstone_core.client.calls import Key, OnProgress, key_of
from touchstone_core.client.choices import ComparisonChoice
from touchstone_core.client.figures import ComparedQuery, Comparison, MachineHelps, Report, Verdict
from touchstone_core.client.job_calls import JobCalls
from touchstone_core.client.records import read_record


class ComparisonCalls(JobCalls):
    def comparison(
        self,
        judgment_list: Key,
        runs: Sequence[Key],
        *,
        timeout: float | None = None,
        progress: OnProgress | None = None,
        **choice: Unpack[ComparisonChoice],
    ) -> Comparison:
        """Runs beside the first one of them, the baseline. Waits while a worker compares them."""
        query = _compared(runs, choice)
        path = f"lists/{key_of(judgment_list)}/comparison"
        answer = self.connection.when_ready(path, query, timeout=timeout, progress=progress)
        return Comparison(**_comparison_of(answer))

    def comparison_report(
        self,
        judgment_list: Key,
        runs: Sequence[Key],
        *,
        format: Literal["md", "html"] = "md",
        timeout: float | None = None,
        progress: OnProgress | None = None,
        **choice: Unpack[ComparisonChoice],
    ) -> Report:
        """The same for others, as Markdown or as one HTML file."""
        query = _compared(runs, choice, format=format)
        path = f"lists/{key_of(judgment_list)}/comparison/report"
        answer = self.connection.when_ready(path, query, timeout=timeout, progress=progress)
        own = {name: answer[name] for name in ("subtitle", "runs", "page", "text")}
        return Report(**_comparison_of(answer), **own)

    def machine_help(
        self, judgment_list: Key, runs: Sequence[Key], **choice: Unpack[ComparisonChoice]
    ) -> MachineHelps:
        """By how much runs differ from the first by people's grades, made more certain by grades of machines that don't count.

        It holds if the queries that people judged were drawn at random.
        """
        path = f"lists/{key_of(judgment_list)}/comparison/machines"
        answer = self.connection.read(path, _compared(runs, choice)).json()
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
        timeout: float | None = None,
        progress: OnProgress | None = None,
        **choice: Unpack[ComparisonChoice],
    ) -> ComparedQuery:
        """Both rankings of one query side by side. `run` is the one beside the baseline, without it the first."""
        sent = _compared(runs, choice, run=None if run is None else key_of(run))
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


def _compared(runs: Sequence[Key], choice: ComparisonChoice, **others: str | int | None) -> Mapping[str, Any]:
    """What is compared, as the address names it."""
    intent = choice.get("intent")
    return {
        **choice,
        "runs": "-".join(str(key_of(run)) for run in runs),
        "confirm": 1 if choice.get("confirm") else None,
        "intent": None if intent is None else key_of(intent),
        **others,
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
