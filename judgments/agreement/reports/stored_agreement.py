"""All that the page of agreement shows: worked out from the judgments, and read back from what is stored of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np

from judgments.agreement.figures import Figure
from judgments.agreement.reports.agreement import ByQuery, GradeUse, Headline, Steps, agreement
from judgments.agreement.reports.drift import Chart, Drift, RaterDrift, Slice, drift
from judgments.agreement.reports.rater_agreement import Raters, grade_uses, labels_of
from judgments.agreement.resampling import Interval
from judgments.agreement.sql.agreement import Couples
from judgments.agreement.units import Floats
from judgments.models import JudgmentList

Figures = dict[str, Any]
SUMS = 7
"""Of a couple of raters on a scale without fixed steps."""


@dataclass(frozen=True, slots=True)
class Told:
    """`uses` has every rater of the list, also one who is left out; `alphas` are those without each rater."""

    headline: Headline
    by_query: ByQuery
    uses: dict[int, GradeUse]
    raters: Raters
    alphas: dict[int, float]
    drift: Drift


def work_out(judgment_list: JudgmentList, steps: Steps, *, without: Sequence[int]) -> Told:
    """Reads every judgment of the list: a second for half a million. `without` are the ids of raters who are left out."""
    found = agreement(judgment_list, steps, without=without)
    uses = grade_uses(judgment_list, steps)
    raters = Raters(judgment_list, steps, uses, without=without)
    alphas = raters.alphas_without(found)
    ids = [one.rater_id for one in raters.figures()]
    over_time = drift(judgment_list, steps, raters.names, ids, without=without)
    return Told(found.headline, found.by_query, uses, raters, alphas, over_time)


def as_json(told: Told) -> Figures:
    """Numbers without the words that may change under them: names of raters and labels of grades. None for NaN."""
    by_query, couples = told.by_query, told.raters.couples
    return {
        "headline": asdict(told.headline),
        "by_query": {
            "query_ids": by_query.query_ids,
            "pairs": by_query.pairs.tolist(),
            "agreement": _numbers(by_query.agreement),
            "distance": _numbers(by_query.distance),
            "alpha": _numbers(by_query.alpha),
        },
        "uses": [[rater_id, use.counts, use.cannot] for rater_id, use in told.uses.items()],
        "couples": {
            "rater_ids": couples.rater_ids,
            "first": couples.first.tolist(),
            "second": couples.second.tolist(),
            "counts": couples.counts.tolist(),
        },
        "alphas": list(zip(told.alphas, _numbers(np.array(list(told.alphas.values()))), strict=True)),
        "drift": {
            "ordered": told.drift.ordered,
            "looked_at": told.drift.looked_at,
            "raters": [_drift_as_json(rater) for rater in told.drift.raters],
        },
    }


def from_json(
    figures: Figures, judgment_list: JudgmentList, steps: Steps, *, without: Sequence[int] = ()
) -> Told:
    """The same `steps` and `without` as when they were worked out. One query, for names."""
    uses = {
        rater_id: GradeUse(labels_of(steps), counts, cannot) for rater_id, counts, cannot in figures["uses"]
    }
    couples = _couples(figures["couples"], steps)
    raters = Raters(judgment_list, steps, uses, without=without, couples=couples)
    by_query, over_time = figures["by_query"], figures["drift"]
    return Told(
        _headline(figures["headline"]),
        ByQuery(
            by_query["query_ids"],
            np.array(by_query["pairs"], dtype=np.int64),
            *(np.array(by_query[name], dtype=np.float64) for name in ("agreement", "distance", "alpha")),
        ),
        uses,
        raters,
        {rater_id: np.nan if alpha is None else alpha for rater_id, alpha in figures["alphas"]},
        Drift(
            [_drift(rater, raters.names) for rater in over_time["raters"]],
            over_time["ordered"],
            over_time["looked_at"],
        ),
    )


def _numbers(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _headline(told: Figures) -> Headline:
    interval = told["interval"] and Interval(**told["interval"])
    figures = {
        name: Figure(**value)
        for name, value in told.items()
        if name != "interval" and isinstance(value, dict)
    }
    return Headline(**told | figures | {"interval": interval})


def _couples(told: Figures, steps: Steps) -> Couples:
    cells = (SUMS,) if steps.continuous else (len(steps.values), len(steps.values))
    return Couples(
        told["rater_ids"],
        np.array(told["first"], dtype=np.int64),
        np.array(told["second"], dtype=np.int64),
        np.array(told["counts"], dtype=np.float64).reshape(-1, *cells),
    )


def _drift_as_json(rater: RaterDrift) -> Figures:
    told = asdict(rater)
    for one in told["slices"]:
        one |= {"since": one["since"].isoformat(), "until": one["until"].isoformat()}
    return told | {"name": ""}


def _drift(told: Figures, names: dict[int, str]) -> RaterDrift:
    slices = [
        Slice(
            **one
            | {
                "since": datetime.fromisoformat(one["since"]),
                "until": datetime.fromisoformat(one["until"]),
            }
        )
        for one in told["slices"]
    ]
    chart = told["chart"] and Chart(**told["chart"])
    return RaterDrift(**told | {"name": names[told["rater_id"]], "slices": slices, "chart": chart})


def figures_of(headline: Headline) -> dict[str, Any]:
    """What AgreementHeadline keeps. `percent` agree, `near` or exactly, as the page of agreement says."""
    interval = headline.interval
    return {
        "alpha": headline.alpha.value,
        "why": headline.alpha.why,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "level": headline.level,
        "pairs": headline.pairs,
        "queries": headline.queries,
        "percent": None if headline.agreement.value is None else 100 * headline.agreement.value,
    }
