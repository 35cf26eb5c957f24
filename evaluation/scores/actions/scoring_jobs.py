"""Many scores at once: leaving them to a worker, and making them in the background (ADR 79)."""

import hashlib
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from procrastinate import JobContext
from procrastinate.contrib.django import app

from evaluation.base.errors import EvaluationError
from evaluation.models import Run
from evaluation.scores.actions.measures import (
    bring_measures_up_to_date,
    measures_are_up_to_date,
    score_outdated_measures,
)
from evaluation.scores.actions.rescoring import TooManyScoresError
from evaluation.scores.actions.scores import bring_up_to_date, freshness_of, score_outdated
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.sql.scores import read_fingerprint
from judgments.base.background import RETRY, ask_worker, is_asked
from judgments.base.sql import locks
from judgments.models import JudgmentList, Version
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import read_measures, write_measures

AT_ONCE: Final = 30_000
"""Queries times runs that a request scores by itself: about two seconds of a processor. Times measures, of measures."""
TASK: Final = "score_runs"


class BeingScoredError(EvaluationError):
    """A worker scores the runs under a list, or will; `running` says which. `done` of so many `runs` have the scores."""

    sentence = "The scores are being worked out; try again in a few seconds."

    def __init__(self, judgment_list: JudgmentList, *, running: bool, done: int, runs: int) -> None:
        super().__init__()
        self.judgment_list, self.running, self.done, self.runs = judgment_list, running, done, runs


def score_or_ask(scoring: ScoringRequest) -> None:
    """Brings scores and further measures up to date, but leaves to a worker what would keep a request for seconds.

    Raises BeingScoredError until that is done, and MetricsError. Where a worker has failed, this request does it, and finds
    out why.
    """
    old_measures, freshness = not measures_are_up_to_date(scoring), freshness_of(scoring)
    if not (old_measures or freshness.outdated):
        return

    def score(most: int | None = None) -> None:
        if old_measures:
            score_outdated_measures(scoring, most)
        if freshness.outdated:
            score_outdated(scoring, freshness, most)

    judgment_list, runs = scoring.judgment_list, len(scoring.runs)
    job = _job_arguments(scoring)
    if not is_asked(score_in_background, job["question"]):
        with suppress(TooManyScoresError):
            return score(AT_ONCE)
    state = read_fingerprint(judgment_list.pk, scoring.version)
    running = ask_worker(score_in_background, job | {"state": state})
    if running is None:
        return score()
    done = runs - freshness_of(replace(scoring, every_average=False)).outdated
    raise BeingScoredError(judgment_list, running=running, done=done, runs=runs)


@app.task(name=TASK, retry=RETRY, pass_context=True)
def score_in_background(context: JobContext, /, **arguments: Any) -> None:
    """The job. Scores some runs at a time, each time in a transaction of its own, so that nobody waits long for its locks.

    What it was asked for may be gone.
    """
    locks.let_others_wait(context.job.id)
    judgment_list = JudgmentList.objects.select_related("scale").filter(pk=arguments["list_id"]).first()
    version = Version.objects.filter(pk=arguments["version_id"]).first()
    if judgment_list is None or (version is None) != (arguments["version_id"] is None):
        return
    measures = read_measures(arguments["measures"])
    queries = version.query_count if version else judgment_list.list_queries.count()
    portion = max(AT_ONCE // max(queries * (1 + len(measures)), 1), 1)
    keys = arguments["run_ids"]
    for start in range(0, len(keys), portion):
        scoring = ScoringRequest(
            judgment_list=judgment_list,
            runs=list(Run.objects.filter(pk__in=keys[start : start + portion])),
            formula=Formula.from_key(arguments["formula"]),
            measures=measures,
            version=version,
            every_average=arguments["every_average"],
        )
        bring_measures_up_to_date(scoring)
        bring_up_to_date(scoring)


def _job_arguments(scoring: ScoringRequest) -> dict[str, Any]:
    """What a job is given. `question` names the same for everybody who asks for it."""
    judgment_list, version = scoring.judgment_list, scoring.version
    arguments: dict[str, Any] = {
        "list_id": judgment_list.pk,
        "version_id": version and version.pk,
        "run_ids": sorted(run.pk for run in scoring.runs),
        "formula": scoring.formula.key,
        "measures": write_measures(scoring.measures),
        "every_average": scoring.every_average,
    }
    digest = hashlib.sha256(repr(sorted(arguments.items())).encode()).hexdigest()[:32]
    return arguments | {"question": f"score {judgment_list.pk} {digest}"}
