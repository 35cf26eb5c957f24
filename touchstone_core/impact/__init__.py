"""What changed between two runs before anybody judges: pure numpy, no Django."""

from touchstone_core.impact.pages import PageChanges, page_changes
from touchstone_core.impact.rbo import persistence, rbo, weight_of_top

__all__ = ["PageChanges", "page_changes", "persistence", "rbo", "weight_of_top"]
