"""What is said of runs in files."""

from touchstone_core.comparison.plain_verdict import plain_verdict
from touchstone_core.comparison.recommendation import recommendation
from touchstone_core.comparison.verdict import on_of, verdict_of
from touchstone_core.offline.file_comparison import compare_files


def said(world, queries, measure, cutoff, *, measures=""):
    """The verdict of the first run beside the baseline, in plain words too, and what to do."""
    qrels, runs = world(queries)
    compared = compare_files(qrels, runs, measures=measures or measure, cutoff=cutoff, max_grade=3)
    on = on_of(compared.formula, measure)
    found = verdict_of(compared.measures[measure], 0, on=on)
    plain = plain_verdict(compared.measures[measure], 0, found, run="new", baseline="old", on=on)
    return found, plain, recommendation(["new"], [plain], ranks=True)
