"""What changed between two runs before anybody judges: pure numpy, no Django."""

from evaluation.impact.pages import PageChange, page_change
from evaluation.impact.rbo import persistence, rbo, weight_of_top

__all__ = ["PageChange", "page_change", "persistence", "rbo", "weight_of_top"]
