"""Compares runs: from stored scores, once for each state of the grades."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

import numpy as np
from django.db import IntegrityError

from evaluation.comparisons.actions.comparing_errors import (
    GoneMeanwhileError,
    GradesMovingError,
    HeldOutClosedError,
    NothingToCompareError,
)
from evaluation.comparisons.reports.deciding import with_outlooks
from evaluation.comparisons.reports.evidence import (
    ScoresMoved,
    StoredPages,
    read_compared_values,
    read_judged,
)
from evaluation.comparisons.reports.pool_history import pool_history
from evaluation.comparisons.reports.saved_comparisons import SAVED_KEYS
from evaluation.comparisons.sql import read_tags_digest
from evaluation.models import Comparing, ComparisonLook, ComparisonResult, Evaluation, Run
from evaluation.scores.actions.measures import (
    bring_measures_up_to_date,
    measures_are_scored,
    measures_are_up_to_date,
)
from evaluation.scores.actions.scores import bring_up_to_date, is_scored, is_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.models import JudgmentList, Query, QuerySet, User, Version
from touchstone_core.comparison.comparison import (
    ComparisonOptions,
    Figures,
    RunValues,
    comparable_queries,
    figures,
    tested_values,
)
from touchstone_core.comparison.coverage import judged_shares
from touchstone_core.comparison.verdict import measure_text
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.left_out import no_gain_words
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.significance.draws import SEED
from touchstone_core.significance.permutation import DRAWS
from touchstone_core.significance.weighted_mean import Sampling

NOTHING_HELD_OUT: Final = "No held-out query has a value in every run."
_TRIES: Final = 3
_MOST_RESULTS: Final = 200
_LAYOUT: Final = 21  # grows when the figures change their meaning, so that none of the old ones is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which runs (the baseline first) under which formula against which grades, and on what: see `ComparisonOptions.on`.

    `confirming` looks at the held-out queries instead of all others.
    """

    judgment_list: JudgmentList
    version: Version | None
    runs: tuple[Run, ...]
    formula: Formula
    on: str
    measures: tuple[RoundedMeasure, ...] = ()
    confirming: bool = False
    settings: Comparing = field(default_factory=Comparing)

    @property
    def scoring(self) -> ScoringRequest:
        """Which stored values it rests on: those that count a query without an answer."""
        return ScoringRequest(
            judgment_list=self.judgment_list,
            runs=self.runs,
            formula=self.formula.counting_missing,
            measures=[one.counting_missing for one in self.measures],
            version=self.version,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The figures of `reports.comparison` and how they came to be; `evaluations` are of the runs in their order.

    `outdated`: the figures are of an earlier state of the grades, while a worker makes those of the present one.
    """

    figures: Figures
    result: ComparisonResult
    evaluations: list[Evaluation]
    outdated: bool = False


class ComparedScores(NamedTuple):
    """All judged queries, those that the comparison is over, the runs joined to the grades of these, and their pages; None
    under a formula without bounds."""

    whole: RunValues
    compared: RunValues
    judged_runs: Sequence[JudgedRun]
    pages: StoredPages | None


def settings_of(query_set: QuerySet) -> Comparing:
    """How runs are compared in this query set; the defaults where nobody said. One query, or none where it is there."""
    settings: Comparing | None = getattr(query_set, "comparing", None)
    return settings or Comparing(query_set=query_set)


def compare_runs(*, question: Question, user: User | None, at: datetime) -> Answer:
    """Answers from what is stored, or computes and stores it; counts the look (see ComparisonLook).

    A stored answer costs five statements, whatever the number of queries. Raises NothingToCompareError, and MetricsError
    for a formula or measure that the scale does not allow.
    """
    evaluations = bring_question_up_to_date(question)
    key = question_key(question, evaluations)
    result = _stored_result(question, key)
    if result is None:  # else whoever made it has looked already
        with telling_what_is_gone(question):
            result, values = _compute(question, key, at)
            count_look(question, user, at, values)
    return Answer(result.figures, result, evaluations)


def find_answer(question: Question) -> Answer | None:
    """What is stored for the grades as they are now, without computing anything; None where nothing is.

    Raises HeldOutClosedError.
    """
    evaluations = current_evaluations(question)
    result = evaluations and _stored_result(question, question_key(question, evaluations))
    return Answer(result.figures, result, evaluations) if evaluations and result else None


def current_evaluations(question: Question) -> list[Evaluation] | None:
    """As `bring_question_up_to_date`, but computes nothing: None where something has to be scored."""
    refuse_closed(question)
    if is_up_to_date(question.scoring) and measures_are_up_to_date(question.scoring):
        return _evaluations(question)
    return None


def was_scored(question: Question) -> bool:
    """Whether each run has been scored, at whatever state of the grades: what is out of date is the few queries that changed.

    One statement, and one more with measures.
    """
    return is_scored(question.scoring) and measures_are_scored(question.scoring)


def find_earlier_answer(question: Question) -> Answer | None:
    """The newest of any state of the grades; None also where scores that it was made from are forgotten. Two statements."""
    results = ComparisonResult.objects.filter(judgment_list=question.judgment_list)
    result = results.filter(key__startswith=key_of(question)).order_by("-pk").first()
    evaluations = result and _evaluations(question)
    return Answer(result.figures, result, evaluations, outdated=True) if result and evaluations else None


def _stored_result(question: Question, key: str) -> ComparisonResult | None:
    return ComparisonResult.objects.filter(judgment_list=question.judgment_list, key=key).first()


def read_compared(question: Question, runs: Sequence[Run]) -> ComparedScores:
    """What is stored, brought up to date, with the pages of `runs`.

    Raises NothingToCompareError, also where somebody judges so fast that the grades do not rest.
    """
    for _ in range(_TRIES):
        with suppress(ScoresMoved):
            evaluations = bring_question_up_to_date(question)
            whole = read_compared_values(
                evaluations, measures=question.measures, tag=question.settings.held_out
            )
            values = _comparable(whole, question)
            of = question.judgment_list, question.version, values.queries.tolist()
            return ComparedScores(whole, values, *read_judged(*of, question.formula, runs))
    raise GradesMovingError


def bring_question_up_to_date(question: Question) -> list[Evaluation]:
    """The evaluations of the runs, in their order. Raises HeldOutClosedError, and GoneMeanwhileError."""
    refuse_closed(question)
    with telling_what_is_gone(question):
        bring_measures_up_to_date(question.scoring)
        bring_up_to_date(question.scoring)
    evaluations = _evaluations(question)
    if evaluations is None:
        raise GoneMeanwhileError
    return evaluations


@contextmanager
def telling_what_is_gone(question: Question) -> Iterator[None]:
    """Raises GoneMeanwhileError where something cannot be stored because a run or the list is there no more."""
    try:
        yield
    except IntegrityError as error:
        there = Run.objects.filter(pk__in=[run.pk for run in question.runs]).count()
        list_there = JudgmentList.objects.filter(pk=question.judgment_list.pk).exists()
        if list_there and there == len(question.runs):
            raise
        raise GoneMeanwhileError from error


def refuse_closed(question: Question) -> None:
    """Raises HeldOutClosedError for held-out queries that nobody has opened. No statement for all other queries."""
    if question.confirming and not is_open(question):
        raise HeldOutClosedError


def _evaluations(question: Question) -> list[Evaluation] | None:
    """In the order of the runs; None where one is missing, as after it was forgotten (see `pruning`)."""
    rows = Evaluation.objects.filter(
        judgment_list=question.judgment_list,
        version=question.version,
        run__in=question.runs,
        formula=question.formula.counting_missing.key,
    )
    by_run = {one.run_id: one for one in rows}
    evaluations = [by_run[run.pk] for run in question.runs if run.pk in by_run]
    return evaluations if len(evaluations) == len(question.runs) else None


def _comparable(whole: RunValues, question: Question) -> RunValues:
    values = whole.of(whole.tagged if question.confirming else ~whole.tagged)
    mask = comparable_queries(values, question.on)
    if not mask.any():
        if values.is_without_gain:
            raise NothingToCompareError(no_gain_words(None))
        raise NothingToCompareError(NOTHING_HELD_OUT if question.confirming else "")
    return values.of(mask)


def _compute(question: Question, key: str, at: datetime) -> tuple[ComparisonResult, RunValues]:
    whole, values, judged_runs, pages = read_compared(question, question.runs)
    of = question.judgment_list
    options = ComparisonOptions(
        question.on, drawn=Sampling(question.settings.drawn), pairs=not question.confirming
    )
    in_question = whole.tagged if question.confirming else ~whole.tagged
    left_out = whole.of(in_question & ~np.isin(whole.queries, values.queries))
    tags = Query.objects.filter(pk__in=values.queries.tolist()).exclude(tags=[]).values_list("pk", "tags")
    evidence = None if pages is None else pages.all_evidence()
    stored_runs = Run.objects.filter(query_set=of.query_set_id).only("name")
    judged = judged_shares(judged_runs, question.formula, question.on)
    result_figures = figures(values, options, evidence, left_out, judged, list(tags)) | {
        "held_out": int(whole.tagged.sum()),
        "pooled_from": pool_history(of, stored_runs),
    }
    if not question.confirming:
        result_figures = with_outlooks(
            result_figures,
            question.formula,
            question.on,
            judgment_list=of,
            version=question.version,
            runs=question.runs,
            held_out=question.settings.held_out,
        )
    forget_oldest(of)
    result, _ = ComparisonResult.objects.get_or_create(
        judgment_list=of,
        key=key,
        defaults={
            "query_set_id": of.query_set_id,
            "seed": SEED,
            "draws": DRAWS,
            "figures": result_figures,
            "computed_at": at,
        },
    )
    return result, values


def forget_oldest(judgment_list: JudgmentList) -> None:
    """All but the newest: each state of the grades that is looked at leaves a result. What saved comparisons said stays."""
    every = ComparisonResult.objects.filter(judgment_list=judgment_list)
    results = every.exclude(key__startswith=SAVED_KEYS).order_by("-pk")
    oldest = results.values_list("pk", flat=True)[_MOST_RESULTS - 1 : _MOST_RESULTS].first()
    if oldest is not None:
        results.filter(pk__lte=oldest).delete()


def question_key(question: Question, evaluations: Sequence[Evaluation], *, by_tag: bool = True) -> str:
    """Everything that the figures depend on: what is asked, then the state of the grades and tags that it is asked of, and for
    figures `by_tag` the stored runs, which tell of the pool.

    One statement; none for figures that are not told `by_tag`, unless queries are held out.
    """
    tags = runs = ""
    if by_tag or question.settings.held_out:
        tags, runs = read_tags_digest(question.judgment_list.query_set_id)
    state = [[one.revision for one in evaluations], tags, runs if by_tag else ""]
    return key_of(question) + _digest(state)


def key_of(question: Question) -> str:
    """What the keys of all answers to a question begin with, whatever the state of the grades."""
    return _digest(
        [
            _LAYOUT,
            question.version and question.version.pk,
            question.formula.key,
            question.on,
            [str(measure) for measure in question.measures],
            [run.pk for run in question.runs],
            question.settings.held_out,
            question.confirming,
            question.settings.drawn,
        ]
    )


def _digest(what: list[Any]) -> str:
    """128 bits, so that two of them make a key."""
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:32]


def is_open(question: Question) -> bool:
    """Whether somebody has opened the held-out queries for each of these runs beside the baseline, on this measure; also
    where none are held out."""
    if not question.settings.held_out:
        return True
    baseline, *candidates = question.runs
    pairs = [sorted([baseline.pk, candidate.pk]) for candidate in candidates]
    looks = ComparisonLook.objects.filter(
        query_set=question.judgment_list.query_set_id,
        judgment_list=question.judgment_list,
        measure=measure_text(question.formula, question.on),
        held_out=True,
    )
    open_pairs = set(looks.values_list("first", "second"))
    return all((first, second) in open_pairs for first, second in pairs)


def count_look(
    question: Question,
    user: User | None,
    at: datetime,
    run_values: RunValues | None = None,
    candidates: Sequence[Run] | None = None,
) -> None:
    """Each of the candidates, or with None each run but the first, beside the baseline, once at these `run_values`
    (see ComparisonLook); with None, that the held-out queries are open."""
    of, baseline = question.judgment_list, question.runs[0]
    measure = measure_text(question.formula, question.on)
    ComparisonLook.objects.bulk_create(
        [
            ComparisonLook(
                query_set_id=of.query_set_id,
                judgment_list=of,
                first_id=min(baseline.pk, candidate.pk),
                second_id=max(baseline.pk, candidate.pk),
                measure=measure,
                held_out=question.confirming,
                state=""
                if run_values is None
                else _values_digest(run_values, question, {baseline.pk, candidate.pk}),
                queries=None if run_values is None else len(run_values.queries),
                by=user,
                at=at,
            )
            for candidate in candidates or question.runs[1:]
        ],
        ignore_conflicts=True,
    )


def _values_digest(run_values: RunValues, question: Question, pair: set[int]) -> str:
    """Of the values that two of the runs have, query by query, in the order of their keys."""
    places = sorted((run.pk, place) for place, run in enumerate(question.runs) if run.pk in pair)
    values = tested_values(run_values, question.on)
    digest = hashlib.sha256(run_values.queries.tobytes())
    for _, place in places:
        digest.update(values[place].tobytes())
    return digest.hexdigest()
