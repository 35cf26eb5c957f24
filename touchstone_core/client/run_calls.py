"""Runs, their scores, comparisons, and the results that are sent to raters."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, Unpack

import httpx

from touchstone_core.client.calls import Key, given, key_of
from touchstone_core.client.choices import (
    FormulaChoice,
    PoolChoice,
    RunDetails,
    RunFileSettings,
    RunSettings,
)
from touchstone_core.client.figures import (
    Explanation,
    Fix,
    Fixes,
    QueryScores,
    RunScores,
    RunTable,
    origin_of,
)
from touchstone_core.client.job_calls import JobCalls
from touchstone_core.client.pair_records import PairsPreview
from touchstone_core.client.records import Job, Run, Upload, read_record
from touchstone_core.client.sources import Sendable, sent_file
from touchstone_core.offline.gate_report import TITLE, WrittenGate


class RunCalls(JobCalls):
    def runs(self, query_set: Key) -> Iterator[Run]:
        return self._rows(Run, f"query-sets/{key_of(query_set)}/runs")

    def read_run(self, run: Key) -> Run:
        return self._read(Run, f"runs/{key_of(run)}")

    def upload(
        self,
        query_set: Key,
        source: Sendable,
        *,
        timeout: float | None = None,
        progress: Callable[[Job], None] | None = None,
        **settings: Unpack[RunSettings],
    ) -> Upload:
        """Stores all runs of a file, DataFrame or dict, or none. The same file twice under the same name is stored once.

        Waits while a worker stores a large file. Raises JobFailedError if it can't.
        """
        file = sent_file(source, settings.get("file_name", ""))
        query = {**settings, "file_name": file.name, "tags": ", ".join(settings.get("tags", ()))}
        path = f"query-sets/{key_of(query_set)}/runs"
        response = self.connection.change("POST", path, query=query, file=file)
        if response.status_code != httpx.codes.ACCEPTED:
            return read_record(Upload, response.json())
        return self._stored_runs(read_record(Job, response.json()), timeout, progress)

    def engines(self, query_set: Key) -> list[str]:
        """The names of the site's search engines that this query set may ask for a run."""
        rows = self.connection.read(f"query-sets/{key_of(query_set)}/engines").json()
        return [row["name"] for row in rows]

    def fetch(
        self,
        query_set: Key,
        engine: str,
        *,
        depth: int = 100,
        timeout: float | None = None,
        progress: Callable[[Job], None] | None = None,
        **details: Unpack[RunDetails],
    ) -> Upload:
        """The site asks one of its search engines all queries of the query set, and stores what it finds as a run.

        Waits for it. Raises JobFailedError if a query gets no usable answer; then nothing is stored.
        """
        body = {"engine": engine, "depth": depth, **details, "tags": list(details.get("tags", ()))}
        job = self._change(Job, "POST", f"query-sets/{key_of(query_set)}/runs/fetch", body)
        return self._stored_runs(job, timeout, progress)

    def _stored_runs(self, job: Job, timeout: float | None, progress: Callable[[Job], None] | None) -> Upload:
        stored = self.wait(job, timeout=timeout, progress=progress).upload
        assert stored is not None  # noqa: S101 -- an upload that is done has stored runs
        runs = [self.read_run(run_id) for run_id in stored.run_ids]
        return Upload(runs, stored.already_stored, stored.warnings, stored.documents, stored.left_out)

    def change_run(
        self,
        run: Key,
        *,
        name: str | None = None,
        notes: str | None = None,
        tags: Sequence[str] | None = None,
        commit: str | None = None,
        link: str | None = None,
        is_baseline: bool | None = None,
    ) -> Run:
        """The tags are replaced. A query set has one baseline at most."""
        values = given(
            {
                "name": name,
                "notes": notes,
                "tags": None if tags is None else list(tags),
                "commit": commit,
                "link": link,
                "is_baseline": is_baseline,
            }
        )
        return self._change(Run, "PATCH", f"runs/{key_of(run)}", values)

    def export_run(
        self, run: Key, path: str | Path, *, format: Literal["trec", "csv", "json"] = "trec"
    ) -> Path:
        """Writes the rankings in evaluated order into a file. A broken download leaves no file behind."""
        return self._download(f"runs/{key_of(run)}/export", {"format": format}, Path(path))

    def delete_run(self, run: Key) -> Job | None:
        """For admins, and for the person who uploaded it. The job if a worker deletes what nobody can reach any more."""
        return self._delete(f"runs/{key_of(run)}")

    def run_table(
        self, judgment_list: Key, *, timeout: float | None = None, **formula: Unpack[FormulaChoice]
    ) -> RunTable:
        """Every run of the query set under this list. Like all scores, waits while a worker makes many of them."""
        path = f"lists/{key_of(judgment_list)}/runs"
        pages = list(self.connection.pages(path, formula, timeout=timeout))
        first = pages[0]
        rows = [row for page in pages for row in page["runs"]]
        return RunTable(**origin_of(first), average=first["average"], baseline=first["baseline"], rows=rows)

    def run_scores(
        self,
        judgment_list: Key,
        run: Key,
        *,
        timeout: float | None = None,
        **formula: Unpack[FormulaChoice],
    ) -> RunScores:
        """Averages of a run over all judged queries, by tag, and what they leave out."""
        answer = self.connection.when_ready(_scores(judgment_list, run), formula, timeout=timeout)
        return RunScores(**origin_of(answer), run=answer["run"]["name"], content=answer)

    def query_scores(
        self,
        judgment_list: Key,
        run: Key,
        *,
        timeout: float | None = None,
        **formula: Unpack[FormulaChoice],
    ) -> QueryScores:
        """Every judged query of a run."""
        path = f"{_scores(judgment_list, run)}/queries"
        pages = list(self.connection.pages(path, formula, timeout=timeout))
        rows = [row for page in pages for row in page["queries"]]
        return QueryScores(**origin_of(pages[0]), run=self._name_of(run), rows=rows)

    def fixes(
        self,
        judgment_list: Key,
        run: Key,
        *,
        timeout: float | None = None,
        **formula: Unpack[FormulaChoice],
    ) -> Fixes:
        """The queries on which order, depth and recall lose most, each with its main cause."""
        answer = self.connection.when_ready(
            f"{_scores(judgment_list, run)}/fix-first", formula, timeout=timeout
        )
        rows = [read_record(Fix, one) for one in answer["fixes"]]
        return Fixes(**origin_of(answer), run=self._name_of(run), rows=rows)

    def explain_query(
        self, judgment_list: Key, run: Key, query: Key, **formula: Unpack[FormulaChoice]
    ) -> Explanation:
        """Every result of one query with its grade, gain, discount and contribution, and the four ideals."""
        path = f"{_scores(judgment_list, run)}/queries/{key_of(query)}"
        answer = self.connection.read(path, formula).json()
        return Explanation(**origin_of(answer), run=answer["run"]["name"], content=answer)

    def preview_pairs(
        self, judgment_list: Key, *, runs: Sequence[Key], **choice: Unpack[PoolChoice]
    ) -> PairsPreview:
        """What `add_pairs` would add, and what is known of two runs (`deciding`) or of one (`sample`). Nothing changes. For admins."""
        query = {"runs": "-".join(str(key_of(run)) for run in runs), **choice}
        answer = self.connection.read(f"lists/{key_of(judgment_list)}/pairs/preview", query)
        return read_record(PairsPreview, answer.json())

    def add_pairs(
        self,
        judgment_list: Key,
        *,
        runs: Sequence[Key],
        priority: str | None = None,
        **choice: Unpack[PoolChoice],
    ) -> int:
        """Sends what these runs retrieve and nobody has judged to the raters. Returns how many pairs are new. For admins."""
        values = given({"runs": [key_of(run) for run in runs], "priority": priority, **choice})
        path = f"lists/{key_of(judgment_list)}/pairs"
        return int(self.connection.change("POST", path, json=values).json()["added"])

    def gate(
        self,
        judgment_list: Key,
        source: Sendable,
        *,
        baseline: Key | None = None,
        conditions: str,
        version: int | None = None,
        title: str = TITLE,
        **reading: Unpack[RunFileSettings],
    ) -> WrittenGate:
        """Whether a run that isn't stored meets the conditions beside a stored one. Nothing of it is kept. `--min` needs no baseline.

        Conditions are written as the command takes them: `--measure nDCG@10 --min .6 --max-drop .02`.
        """
        file = sent_file(source, reading.get("file_name", ""))
        query = {
            **reading,
            "file_name": file.name,
            "baseline": None if baseline is None else key_of(baseline),
            "conditions": conditions,
            "version": version,
            "title": title,
        }
        path = f"lists/{key_of(judgment_list)}/gate"
        return read_record(WrittenGate, self.connection.change("POST", path, query=query, file=file).json())

    def _name_of(self, run: Key) -> str:
        return run.name if isinstance(run, Run) else self.read_run(run).name


def _scores(judgment_list: Key, run: Key) -> str:
    return f"lists/{key_of(judgment_list)}/runs/{key_of(run)}"
