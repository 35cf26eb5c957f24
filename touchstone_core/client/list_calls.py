"""Judgment lists and their versions, imports, exports and agreement."""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Unpack

from touchstone_core.client.calls import Key, OnProgress, given, key_of
from touchstone_core.client.choices import ImportSettings, JudgmentImportSettings, ListSettings
from touchstone_core.client.figures import Agreement, AgreementByPair, AgreementByRater, AgreementOfMachines
from touchstone_core.client.job_calls import JobCalls
from touchstone_core.client.pair_records import Contest
from touchstone_core.client.records import (
    Addition,
    Batch,
    Job,
    JudgmentList,
    Overview,
    Removal,
    Scale,
    UndoEffect,
    Version,
    read_record,
)
from touchstone_core.client.sources import Sendable, sent_file


class ListCalls(JobCalls):
    def scales(self, query_set: Key) -> Iterator[Scale]:
        """Those that lists of this query set may use."""
        return self._rows(Scale, f"query-sets/{key_of(query_set)}/scales")

    def lists(self, query_set: Key) -> Iterator[JudgmentList]:
        return self._rows(JudgmentList, f"query-sets/{key_of(query_set)}/lists")

    def judgment_list(self, judgment_list: Key) -> JudgmentList:
        return self._read(JudgmentList, f"lists/{key_of(judgment_list)}")

    def create_list(
        self, query_set: Key, *, name: str, scale: Key, **settings: Unpack[ListSettings]
    ) -> JudgmentList:
        """For admins."""
        values = {"name": name, "scale": key_of(scale), **settings}
        return self._change(JudgmentList, "POST", f"query-sets/{key_of(query_set)}/lists", values)

    def pause(self, judgment_list: Key, *, paused: bool = True, note: str = "") -> JudgmentList:
        """Pauses a list, or resumes it. Raters read the note. For admins."""
        values = {"paused": paused, "note": note}
        return self._change(JudgmentList, "PUT", f"lists/{key_of(judgment_list)}/paused", values)

    def versions(self, judgment_list: Key) -> Iterator[Version]:
        return self._rows(Version, f"lists/{key_of(judgment_list)}/versions")

    def version(self, judgment_list: Key, number: int) -> Version:
        return self._read(Version, f"lists/{key_of(judgment_list)}/versions/{number}")

    def freeze(self, judgment_list: Key, *, note: str = "", after: int | None = None) -> Version:
        """A version of the grades of now, which stays for good. `after`: the last version that you know of; another one since
        is refused. For admins."""
        values = given({"note": note, "after": after})
        return self._change(Version, "POST", f"lists/{key_of(judgment_list)}/versions", values)

    def batches(self, judgment_list: Key) -> Iterator[Batch]:
        """Imports of judgments that can be undone or were, the oldest first. For admins."""
        return self._rows(Batch, f"lists/{key_of(judgment_list)}/batches")

    def read_batch(self, judgment_list: Key, batch: Key) -> Batch:
        return self._read(Batch, f"lists/{key_of(judgment_list)}/batches/{key_of(batch)}")

    def preview_undo(self, judgment_list: Key, batch: Key) -> UndoEffect:
        """What undoing an import would do. Nothing changes. For admins."""
        return self._read(UndoEffect, f"lists/{key_of(judgment_list)}/batches/{key_of(batch)}/undo-preview")

    def undo(self, judgment_list: Key, batch: Key) -> UndoEffect | Batch:
        """Undoes an import. A worker undoes a large one: then the answer is the batch, which is `being_undone`. For admins."""
        path = f"lists/{key_of(judgment_list)}/batches/{key_of(batch)}/undo"
        answer = self.connection.change("POST", path)
        if answer.status_code == HTTPStatus.ACCEPTED:
            return read_record(Batch, answer.json())
        return read_record(UndoEffect, answer.json())

    def additions(self, judgment_list: Key) -> list[Addition]:
        """What added pairs to the list, the newest first. For admins."""
        answer = self.connection.read(f"lists/{key_of(judgment_list)}/pairs/added").json()
        return [read_record(Addition, one) for one in answer["additions"]]

    def preview_removal(self, judgment_list: Key, *, added: Key | None = None, text: str = "") -> Removal:
        """What `remove_pairs` would do. Nothing changes. For admins."""
        query = given({"added": None if added is None else key_of(added), "text": text})
        answer = self.connection.read(f"lists/{key_of(judgment_list)}/pairs/removal-preview", query)
        return read_record(Removal, answer.json())

    def remove_pairs(
        self,
        judgment_list: Key,
        *,
        pairs: Sequence[int] | None = None,
        added: Key | None = None,
        text: str = "",
        all: bool = False,
    ) -> Removal:
        """Takes pairs that nobody has judged out of the list: those with these IDs, of one addition, with these words, or all.

        For admins. 10,000 at once: call it again while some are `left`.
        """
        values = given(
            {
                "pairs": None if pairs is None else list(pairs),
                "added": None if added is None else key_of(added),
                "text": text,
                "all": all,
            }
        )
        return self._change(Removal, "POST", f"lists/{key_of(judgment_list)}/pairs/remove", values)

    def contests(self, judgment_list: Key) -> Iterator[Contest]:
        """Pairs of runs between which raters of the list decide or decided, the oldest first. For admins."""
        return self._rows(Contest, f"lists/{key_of(judgment_list)}/contests")

    def start_contest(
        self,
        judgment_list: Key,
        *,
        runs: Sequence[Key],
        depth: int = 10,
        judgments: int | None = None,
        budget: int | None = None,
        formula: str | None = None,
        priority: str | None = None,
    ) -> Contest:
        """Sends what decides between two runs, the baseline first, to the raters, batch by batch, until that is decided. For admins.

        A batch has `judgments` at most, and all batches the `budget`. Refused while the list decides between two other runs.
        """
        values = {"runs": [key_of(run) for run in runs], "depth": depth}
        asked = {"judgments": judgments, "budget": budget, "formula": formula, "priority": priority}
        return self._change(Contest, "POST", f"lists/{key_of(judgment_list)}/contests", values | given(asked))

    def stop_contest(self, contest: Key) -> Contest:
        """Pairs that wait for raters stay in the list. For admins."""
        return self._change(Contest, "POST", f"contests/{key_of(contest)}/stop", {})

    def export(
        self,
        judgment_list: Key,
        path: str | Path,
        *,
        format: str = "qrels",
        version: int | None = None,
        round: bool = False,
    ) -> Path:
        """Writes grades, or what single raters said, into a file. A broken download leaves no file behind."""
        query = {"format": format, "version": version, "round": round}
        return self._download(f"lists/{key_of(judgment_list)}/export", query, Path(path))

    def import_queries(self, query_set: Key, source: Sendable, **reading: Unpack[ImportSettings]) -> Job:
        """Starts the import of a file or DataFrame; wait for its job. For admins."""
        return self._import(f"query-sets/{key_of(query_set)}/imports/queries", source, reading)

    def import_documents(self, query_set: Key, source: Sendable, **reading: Unpack[ImportSettings]) -> Job:
        """Starts the import of a file or DataFrame; wait for its job. For admins."""
        return self._import(f"query-sets/{key_of(query_set)}/imports/documents", source, reading)

    def import_judgments(
        self, judgment_list: Key, source: Sendable, **reading: Unpack[JudgmentImportSettings]
    ) -> Job:
        """Starts the import of a file or DataFrame; wait for its job. For admins."""
        return self._import(f"lists/{key_of(judgment_list)}/imports", source, reading)

    def agreement(
        self, judgment_list: Key, *, timeout: float | None = None, progress: OnProgress | None = None
    ) -> Agreement:
        """Waits while a worker works it out."""
        path = f"lists/{key_of(judgment_list)}/agreement"
        answer = self.connection.when_ready(path, None, timeout=timeout, progress=progress)
        return read_record(Agreement, answer)

    def agreement_by_rater(
        self,
        judgment_list: Key,
        *,
        without: Key | None = None,
        timeout: float | None = None,
        progress: OnProgress | None = None,
    ) -> AgreementByRater:
        """Each rater compared with all others, `without` one who is left out. Waits as `agreement` does. For admins."""
        path = f"lists/{key_of(judgment_list)}/agreement/raters"
        query = {"without": _key_or_none(without)}
        answer = self.connection.when_ready(path, query, timeout=timeout, progress=progress)
        return read_record(AgreementByRater, answer)

    def agreement_of_machines(
        self, judgment_list: Key, *, timeout: float | None = None, progress: OnProgress | None = None
    ) -> AgreementOfMachines:
        """Machines that don't count, compared with people. Waits as `agreement` does. For admins."""
        path = f"lists/{key_of(judgment_list)}/agreement/machines"
        answer = self.connection.when_ready(path, None, timeout=timeout, progress=progress)
        return read_record(AgreementOfMachines, answer)

    def agreement_by_rater_pair(
        self,
        judgment_list: Key,
        *,
        rater: Key | None = None,
        other: Key | None = None,
        without: Key | None = None,
        offset: int = 0,
        limit: int = 1000,
        timeout: float | None = None,
        progress: OnProgress | None = None,
    ) -> AgreementByPair:
        """Every two raters, or those with `rater`. With `other`, too, also which grades the two gave. For admins."""
        raters = {"rater": rater, "other": other, "without": without}
        query = {name: _key_or_none(one) for name, one in raters.items()} | {"offset": offset, "limit": limit}
        path = f"lists/{key_of(judgment_list)}/agreement/rater-pairs"
        answer = self.connection.when_ready(path, query, timeout=timeout, progress=progress)
        return read_record(AgreementByPair, answer)

    def list_overview(self, judgment_list: Key) -> Overview:
        """Progress, pace and forecast, and what to review."""
        return self._read(Overview, f"lists/{key_of(judgment_list)}/overview")

    def _import(self, path: str, source: Sendable, reading: ImportSettings) -> Job:
        file = sent_file(source, reading.get("file_name", ""))
        query = {**reading, "file_name": file.name}
        return read_record(Job, self.connection.change("POST", path, query=query, file=file).json())


def _key_or_none(one: Key | None) -> int | None:
    return None if one is None else key_of(one)
