"""Writes about runs."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

import numpy as np
from django.db import IntegrityError, connection, transaction

from evaluation.base.errors import QueryDeletedError, RunExists, RunRefused
from evaluation.base.sql import pack_joined, pack_scores
from evaluation.models import ComparedRun, Evaluation, Run
from evaluation.runs.actions.details import NO_DETAILS, Details, checked_tags
from evaluation.runs.reports.incoming import NamedRun
from evaluation.runs.sql import RankingRow, copy_rankings
from judgments.content.actions import deletion_jobs
from judgments.files.sql import progress
from judgments.log.actions import record_act
from judgments.models import Deletion, Query, QuerySet, User, Verb
from touchstone_core.formats.runs.rankings import Ranking
from touchstone_core.formats.runs.runs import ParsedRun
from touchstone_core.metrics.ties import first_tie


def store_run(
    *,
    query_set: QuerySet,
    parsed: ParsedRun,
    name: str,
    order: str = Run.Order.SCORE,
    file_name: str = "",
    sha256: str = "",
    user: User | None = None,
    details: Details = NO_DETAILS,
) -> Run:
    """Stores a run whole or not at all.

    Every query of `parsed` must be one of the query set (see `check_queries`), and its report free of errors, else
    RunRefused. Raises RunExists where the query set has a run of that name, QueryDeletedError where somebody deletes one of the
    queries meanwhile, and TooManyTagsError. Which documents are judged is found when the run is first scored.
    """
    if not parsed.report.ok:
        raise RunRefused(next(parsed.report.errors.sentences()))
    ids = dict(Query.objects.filter(query_set=query_set).values_list("external_id", "pk"))
    try:
        with transaction.atomic():
            run = Run.objects.create(
                query_set=query_set,
                name=name,
                notes="\n".join(filter(None, (details.notes, parsed.notes))),
                tags=checked_tags(name, list(details.tags)),
                commit=details.commit,
                link=details.link,
                order=order,
                file_name=file_name[:255],
                sha256=sha256,
                row_count=parsed.rows,
                query_count=len(parsed.rankings),
                report=parsed.report.to_json(),
                uploaded_by=user,
            )
            copy_rankings(_rows(run, parsed, ids))
            connection.check_constraints()  # from here on nobody can delete its queries
            record_act(Verb.IMPORTED, f"run {run}", query_set=query_set, after=_in_words(run))
    except IntegrityError as error:
        if "run_name_unique" in str(error):
            raise RunExists(name) from error
        if gone := _queries_gone(parsed, ids):
            raise QueryDeletedError(gone) from error
        raise
    return run


@transaction.atomic
def store_runs(
    *,
    query_set: QuerySet,
    runs: Sequence[NamedRun],
    order: str = Run.Order.SCORE,
    file_name: str = "",
    sha256: str = "",
    user: User | None = None,
    details: Details = NO_DETAILS,
    progress_key: UUID | None = None,
) -> list[Run]:
    """Stores all runs of a file, or none. Raises RunExists and RunRefused as `store_run` does."""
    names = Counter(run.name.casefold() for run in runs)
    for run in runs:
        if names[run.name.casefold()] > 1:
            raise RunRefused(f"The file holds several runs named “{run.name}”, upper and lower case aside.")
    stored: list[Run] = []
    rankings, total, began = 0, sum(len(run.parsed.rankings) for run in runs), time.monotonic()
    for run in runs:
        progress.tell(progress_key, progress.RANKING, rankings, total, int(time.monotonic() - began))
        stored.append(
            store_run(
                query_set=query_set,
                parsed=run.parsed,
                name=run.name,
                order=order,
                file_name=file_name,
                sha256=sha256,
                user=user,
                details=details,
            )
        )
        rankings += len(run.parsed.rankings)
    return stored


def _queries_gone(parsed: ParsedRun, ids: dict[str, int]) -> list[str]:
    """Those that were there when the run began to be stored."""
    there = set(Query.objects.filter(pk__in=ids.values()).values_list("pk", flat=True))
    return [one.query for one in parsed.rankings if one.query in ids and ids[one.query] not in there]


def _rows(run: Run, parsed: ParsedRun, ids: dict[str, int]) -> Iterator[RankingRow]:
    """Packs one ranking at a time. Asks the database nothing: its connection is busy with the COPY."""
    for ranking in parsed.rankings:
        if ranking.query not in ids:
            raise RunRefused(f"“{ranking.query}” is no query of this query set.")
        yield RankingRow(
            query_set_id=run.query_set_id,
            query_id=ids[ranking.query],
            run_id=run.pk,
            size=ranking.size,
            documents=pack_joined(ranking.joined, ranking.size),
            scores=None if ranking.scores is None else pack_scores(ranking.scores),
            tied=ranking.tied,
            first_tie=_first_tie(run, ranking),
        )


def _first_tie(run: Run, ranking: Ranking) -> int | None:
    if ranking.scores is None or not ranking.tied:
        return None
    scores = run.compared_scores(np.array(ranking.scores))
    return None if scores is None else first_tie(scores)


def _in_words(run: Run) -> dict[str, Any]:
    facts = {
        "file": run.file_name,
        "sha256": run.sha256,
        "queries": run.query_count,
        "documents": run.row_count,
        "order": Run.Order(run.order).label,
        "tags": run.tags,
        "commit": run.commit,
        "link": run.link,
    }
    return {name: value for name, value in facts.items() if value not in ("", [])}


@transaction.atomic
def delete_run(*, run: Run) -> None:
    """Deletes a run with its rankings and every value computed from it.

    Waits for pages that are scoring the run, and keeps others from starting: they would add values to what is going.
    """
    Run.objects.select_for_update().filter(pk=run.pk).first()
    list(Evaluation.objects.select_for_update().filter(run=run).order_by("pk").values_list("pk"))
    run.delete()
    record_act(Verb.DELETED, f"run {run}", query_set=run.query_set_id, before=_in_words(run))


@transaction.atomic
def delete_runs(*, runs: Iterable[Run]) -> None:
    """Deletes several runs, or none, each with its line in the log. In a fixed order, so that two deletions can't deadlock."""
    for run in sorted(runs, key=attrgetter("pk")):
        delete_run(run=run)


@transaction.atomic
def delete_runs_or_ask(*, runs: Sequence[Run], user: User, at: datetime) -> Deletion | None:
    """As `delete_runs`; where that takes long, the runs are only out of reach afterwards, and a worker deletes them."""
    keys = [run.pk for run in runs]
    if not deletion_jobs.is_large(Run, keys):
        delete_runs(runs=runs)
        return None
    stored = list(Run.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))
    if not stored:
        raise Run.DoesNotExist
    for run in stored:
        record_act(Verb.DELETED, f"run {run}", query_set=run.query_set_id, before=_in_words(run))
    ComparedRun.objects.filter(run__in=stored).update(run=None)
    Run.objects.filter(pk__in=keys, is_baseline=True).update(is_baseline=False)
    return deletion_jobs.ask_for_deletion(
        kind=Deletion.Kind.RUNS,
        rows=stored,
        query_set=stored[0].query_set_id,
        subject=f"run {stored[0]}" if len(stored) == 1 else f"{len(stored)} runs",
        user=user,
        at=at,
    )
