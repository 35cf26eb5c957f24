"""Our values against those that the tools people use gave when they were run on the same cases."""

import json

import numpy as np
import pytest

from tests.shared_data import shared_data
from tests.touchstone_core.metrics.conformance import (
    CASES,
    DIVERGENCES,
    EXACT,
    OTHER,
    REPRODUCED,
    divergence,
    expected,
    ours,
)
from touchstone_core.metrics.arrays import ScaleInfo
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ties import ranking_spreads

CASE_NAMES = (
    [case["name"] for case in json.loads(CASES.read_bytes())["cases"]] if CASES.exists() else ["(absent)"]
)


@pytest.fixture(scope="module")
def conformance():
    return json.loads((shared_data("conformance") / "cases.json").read_bytes())


@pytest.fixture
def case(conformance, request):
    return next(case for case in conformance["cases"] if case["name"] == request.param)


each_case = pytest.mark.parametrize("case", CASE_NAMES, indirect=True)


@each_case
@pytest.mark.parametrize("tool", REPRODUCED)
def test_every_number_of_a_tool_is_reproduced_or_its_divergence_is_named(case, tool):
    for name, value in expected(case, tool).items():
        if (tool, name) in OTHER:
            continue
        way = REPRODUCED[tool][name]
        same = pytest.approx(value, abs=way.tolerance)
        if (found := divergence(tool, name, case)) is None:
            assert ours(case, way) == same, name
            continue
        try:
            assert ours(case, way) != same, f"{name} does not diverge any more: {found.reason}"
        except MetricsError as error:
            assert "holds a document twice" in str(error) or "above the top" in str(error)  # noqa: PT017


def test_every_divergence_happens_somewhere(conformance):
    happened = {
        divergence(tool, name, case)
        for case in conformance["cases"]
        for tool in REPRODUCED
        for name in expected(case, tool)
        if (tool, name) not in OTHER
    }

    assert set(DIVERGENCES) - happened == set()


def test_scikit_learn_averages_over_ties_as_the_spread_says(conformance):
    for case in conformance["cases"]:
        if case["scores"] is None or case["name"] == "duplicate_relevant_doc":
            continue
        missing = sorted(set(case["judgments"]) - set(case["ranking"]))
        below = min(case["scores"]) - 1 - np.arange(len(missing))
        given = expected(case, "scikit-learn-1.9.1")

        retrieved = averaged_over_ties(case, case["ranking"], np.array(case["scores"], dtype=np.float64))
        union = averaged_over_ties(case, case["ranking"] + missing, np.append(case["scores"], below))

        assert retrieved == pytest.approx(given["ndcg_score@k[retrieved]"], abs=EXACT), case["name"]
        assert union == pytest.approx(given["ndcg_score@k[union]"], abs=EXACT), case["name"]


def averaged_over_ties(case, documents, scores):
    grades = np.array([case["judgments"].get(document, np.nan) for document in documents])
    formula, scale = Formula(cutoff=case["k"]), ScaleInfo(top_grade=max(case["judgments"].values()))
    judged = grades[~np.isnan(grades)]
    ideal = ranking_spreads(np.nan_to_num(grades), grades, judged, formula, scale).dcg.of(0).greatest
    return ranking_spreads(scores, grades, judged, formula, scale).dcg.of(0).expected / (ideal or 1)
