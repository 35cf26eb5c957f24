"""Every table of runs, scores and comparisons. Import models from here."""

from evaluation.models.comparison import ComparedRun, Comparing, Comparison, ComparisonLook, ComparisonResult
from evaluation.models.contest import Contest
from evaluation.models.intent import IntendedQuery, Intent
from evaluation.models.measure import MeasureEvaluation, MeasureScore, SavedFormula
from evaluation.models.run import Ranking, Run
from evaluation.models.saved_view import SavedView
from evaluation.models.score import Evaluation, EvaluationTotals, Score

__all__ = [
    "ComparedRun",
    "Comparing",
    "Comparison",
    "ComparisonLook",
    "ComparisonResult",
    "Contest",
    "Evaluation",
    "EvaluationTotals",
    "IntendedQuery",
    "Intent",
    "MeasureEvaluation",
    "MeasureScore",
    "Ranking",
    "Run",
    "SavedFormula",
    "SavedView",
    "Score",
]
