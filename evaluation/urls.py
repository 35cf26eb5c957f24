"""Addresses of runs, scores and comparisons."""

from evaluation.comparisons import urls as comparisons
from evaluation.effects import urls as effects
from evaluation.explain import urls as explain
from evaluation.formulas import urls as formulas
from evaluation.guide import urls as guide
from evaluation.impact import urls as impact
from evaluation.pools import urls as pools
from evaluation.runs import urls as runs
from evaluation.scores import urls as scores
from evaluation.start import urls as start

ROOMS = (start, runs, impact, comparisons, pools, effects, scores, guide, explain, formulas)

urlpatterns = [pattern for room in ROOMS for pattern in room.urlpatterns]
