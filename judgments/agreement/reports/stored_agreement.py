"""All figures of the agreement page: computed from judgments, and converted to and from the stored JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np

from judgments.agreement.figures import Figure
from judgments.agreement.rater_pairs import SUMS
from judgments.agreement.reports.agreement import ByQuery, GradeUse, Headline, Steps, agreement
from judgments.agreement.reports.drift import Chart, Drift, RaterDrift, Slice, drift
from judgments.agreement.reports.machines import MachineFigures, MachineRow, machine_figures, machine_rows
from judgments.agreement.reports.rater_agreement import Raters, grade_uses, labels_of, number_or_none
from judgments.agreement.resampling import Interval
from judgments.agreement.sql.agreement import RaterPairs
from judgments.agreement.sql.machines import machines_left_out
from judgments.agreement.units import Floats
from judgments.models import JudgmentList
from judgments.raters.reports.exclusions import standing_exclusions

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    """`uses` has every rater of the list, even one who is left out; `alphas` are those without each rater.

    `machines` are those that don't count in the list. They are in none of the other figures but `uses`. `counting_headline` is the
    headline of the judgments that count in the list, without those of excluded people, and `counting_judgments` their number.
    """

    headline: Headline
    counting_headline: Headline
    counting_judgments: int
    by_query: ByQuery
    uses: dict[int, GradeUse]
    raters: Raters
    alphas: dict[int, float]
    drift: Drift
    machines: list[MachineFigures]

    @property
    def machine_rows(self) -> list[MachineRow]:
        return machine_rows(self.machines, {rater_id: use.total for rater_id, use in self.uses.items()})


def compute_agreement(
    judgment_list: JudgmentList, steps: Steps, *, without: Sequence[int]
) -> AgreementFigures:
    """Reads every judgment of the list: a second for half a million. `without` are the IDs of raters who are left out."""
    machines = machines_left_out(judgment_list.pk)
    without = [*without, *machines]
    overall = agreement(judgment_list, steps, without=without)
    uses = grade_uses(judgment_list, steps)
    raters = Raters(judgment_list, steps, uses, without=without)
    alphas = raters.alphas_without(overall)
    ids = [one.rater_id for one in raters.figures()]
    over_time = drift(judgment_list, steps, raters.names, ids, without=without)
    compared = machine_figures(judgment_list, steps, [one for one in machines if one in uses])
    excluded = {*without, *standing_exclusions(judgment_list)}
    judgments = sum(use.total for rater_id, use in uses.items() if rater_id not in excluded)
    has_others = len(excluded) > len(without)
    counting = agreement(judgment_list, steps, without=list(excluded)) if has_others else overall
    return AgreementFigures(
        overall.headline,
        counting.headline,
        judgments,
        overall.by_query,
        uses,
        raters,
        alphas,
        over_time,
        compared,
    )


def as_json(figures: AgreementFigures) -> Json:
    """Only numbers: names of raters and labels of grades may change later. NaN becomes None."""
    by_query, pairs, alphas = figures.by_query, figures.raters.pairs, figures.alphas
    return {
        "headline": asdict(figures.headline),
        "counting_headline": asdict(figures.counting_headline),
        "counting_judgments": figures.counting_judgments,
        "by_query": {
            "query_ids": by_query.query_ids,
            "pairs": by_query.pairs.tolist(),
            "agreement": _numbers(by_query.agreement),
            "distance": _numbers(by_query.distance),
            "alpha": _numbers(by_query.alpha),
        },
        "uses": [[rater_id, use.counts, use.cannot] for rater_id, use in figures.uses.items()],
        "couples": {
            "rater_ids": pairs.rater_ids,
            "first": pairs.first.tolist(),
            "second": pairs.second.tolist(),
            "counts": pairs.counts.tolist(),
        },
        "alphas": [(rater_id, number_or_none(alpha)) for rater_id, alpha in alphas.items()],
        "drift": {
            "ordered": figures.drift.ordered,
            "looked_at": figures.drift.looked_at,
            "raters": [_drift_as_json(rater) for rater in figures.drift.raters],
        },
        "machines": [asdict(one) for one in figures.machines],
    }


def from_json(
    stored: Json, judgment_list: JudgmentList, steps: Steps, *, without: Sequence[int] = ()
) -> AgreementFigures:
    """Takes the same `steps` and `without` as when the figures were computed. One query, for names."""
    labels = labels_of(steps)
    uses = {rater_id: GradeUse(labels, counts, cannot) for rater_id, counts, cannot in stored["uses"]}
    pairs = _rater_pairs(stored["couples"], steps)
    machines = [MachineFigures(**one) for one in stored["machines"]]
    left_out = [*without, *(one.rater_id for one in machines)]
    raters = Raters(judgment_list, steps, uses, without=left_out, rater_pairs=pairs)
    by_query, over_time = stored["by_query"], stored["drift"]
    return AgreementFigures(
        _headline(stored["headline"]),
        _headline(stored["counting_headline"]),
        stored["counting_judgments"],
        ByQuery(
            by_query["query_ids"],
            np.array(by_query["pairs"], dtype=np.int64),
            *(np.array(by_query[name], dtype=np.float64) for name in ("agreement", "distance", "alpha")),
        ),
        uses,
        raters,
        {rater_id: np.nan if alpha is None else alpha for rater_id, alpha in stored["alphas"]},
        Drift(
            [_drift(rater, raters.names) for rater in over_time["raters"]],
            over_time["ordered"],
            over_time["looked_at"],
        ),
        machines,
    )


def _numbers(values: Floats) -> list[float | None]:
    return [number_or_none(value) for value in values.tolist()]


def _headline(stored: Json) -> Headline:
    figures = {
        name: Figure(**value) for name, value in stored.items() if isinstance(value, dict) and "why" in value
    }
    return Headline(**stored | figures | {"interval": stored["interval"] and Interval(**stored["interval"])})


def _rater_pairs(stored: Json, steps: Steps) -> RaterPairs:
    cells = (len(SUMS),) if steps.continuous else (len(steps.values), len(steps.values))
    return RaterPairs(
        stored["rater_ids"],
        np.array(stored["first"], dtype=np.int64),
        np.array(stored["second"], dtype=np.int64),
        np.array(stored["counts"], dtype=np.float64).reshape(-1, *cells),
    )


def _drift_as_json(rater: RaterDrift) -> Json:
    slices = [
        asdict(one) | {"since": one.since.isoformat(), "until": one.until.isoformat()} for one in rater.slices
    ]
    return asdict(rater) | {"slices": slices, "name": ""}


def _drift(stored: Json, names: dict[int, str]) -> RaterDrift:
    slices = [
        Slice(**one | {name: datetime.fromisoformat(one[name]) for name in ("since", "until")})
        for one in stored["slices"]
    ]
    chart = stored["chart"] and Chart(**stored["chart"])
    return RaterDrift(**stored | {"name": names[stored["rater_id"]], "slices": slices, "chart": chart})


def headline_as_json(headline: Headline) -> Json:
    """The figures of AgreementHeadline. `percent` is the share of answers that agree, as on the agreement page."""
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
