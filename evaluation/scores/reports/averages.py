"""The average that a table shows: which fields hold it, and what it is called."""

from typing import Final

MEAN: Final = "mean"
PREFIX: Final = {"mean": "", "median": "median_", "weighted": "weighted_"}
MEASURE_FIELD: Final = {"mean": "mean", "median": "median", "weighted": "weighted"}
WORDS: Final = {"mean": "Means", "median": "Medians", "weighted": "Traffic-weighted means"}
