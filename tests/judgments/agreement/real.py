"""Real judgments with known answers, and the example of the paper on alpha."""

import csv
import json

import numpy as np

from judgments.agreement.units import Units
from tests.shared_data import shared_data
from tests.touchstone_core.grades.make_crowd_kit_answers import first_labels

# Krippendorff 2011, “Computing Krippendorff's Alpha-Reliability”, part C: four observers, twelve units. The same table is
# `cac.raw4raters` of Gwet's irrCAC.
NAN = None
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
FIVE = np.arange(1.0, 6)
FOUR = np.arange(4.0)
TWO = np.arange(2.0)


def krippendorff_units():
    columns = zip(*OBSERVERS, strict=True)
    return Units.of([(0, [one for one in column if one is not None], 1) for column in columns], queries=1)


def chorus_ratings():
    """(query, grades of the three raters) of 3,188 pairs."""
    path = shared_data("chorus_ratings") / "Broad_Query_Set_individual_ratings.csv"
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [(row["query"], [float(row[f"agent_{rater}_rating"]) for rater in (1, 2, 3)]) for row in rows]


def chorus_units():
    rows = chorus_ratings()
    queries = {query: index for index, query in enumerate(dict.fromkeys(query for query, _ in rows))}
    return Units.of([(queries[query], grades, 1) for query, grades in rows], len(queries))


def vuurens_labels():
    return first_labels(shared_data("vuurens_crowd2011") / "votes")


def expected_agreement():
    return json.loads(shared_data("expected_agreement.json").read_text())
