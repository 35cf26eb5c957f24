"""Scores and compares DataFrames, dicts and files from Python."""

from touchstone_core.notebook.comparing import Comparison, compare
from touchstone_core.notebook.scoring import Scores, score
from touchstone_core.notebook.sources import InputError, Source

__all__ = ["Comparison", "InputError", "Scores", "Source", "compare", "score"]
