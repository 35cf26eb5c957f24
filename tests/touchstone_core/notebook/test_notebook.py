"""Scores and comparisons of DataFrames and dicts: the digits of the same files, and errors that name the place."""

import json
import math
from collections import defaultdict

import numpy as np
import polars as pl
import pytest

from touchstone_core.notebook import InputError, compare, score
from touchstone_core.offline.file_comparison import as_json as comparison_as_json
from touchstone_core.offline.file_comparison import compare_files
from touchstone_core.offline.file_scores import as_json, score_files

MEASURES = "nDCG@10 nDCG(zero='skip')@3 AP P@2"
QRELS = [
    ("q1", "good", 3),
    ("q1", "bad", 0),
    ("q2", "good", 2),
    ("q2", "fair", 1),
    ("q3", "bad", 0),
    ("q4", "good", 1),
]
# q3 has no good document, q4 isn't answered, and nobody has judged q5.
RUN = [("q1", "bad", 3.5), ("q1", "new", 2.25), ("q1", "good", 0.1), ("q2", "good", 2.0), ("q2", "fair", 1.0)]
RUN += [("q3", "bad", 1.0), ("q5", "good", 1.0)]
BETTER = [(query, document, -value) for query, document, value in RUN]


class OnlyArrow:
    """A table that knows the Arrow interface and nothing else."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self.frame.__arrow_c_stream__(requested_schema)


def as_polars(rows, names):
    return pl.DataFrame(rows, schema=names, orient="row")


def as_pandas(rows, names):
    return pytest.importorskip("pandas").DataFrame(rows, columns=names)


def as_pyarrow(rows, names):
    return pytest.importorskip("pyarrow").table(
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    )


def as_stream(rows, names):
    return OnlyArrow(as_polars(rows, names))


def as_dict(rows, names):
    found = defaultdict(dict)
    for query, document, value in rows:
        found[query][document] = value
    return dict(found)


def as_dict_of_numpy(rows, names):
    return as_dict([(query, document, np.float64(value)) for query, document, value in rows], names)


KINDS = [as_polars, as_pandas, as_pyarrow, as_stream, as_dict, as_dict_of_numpy]


@pytest.fixture
def files(tmp_path):
    """Qrels, run and better run as TREC files."""
    texts = {
        "qrels": "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in QRELS),
        "run": "".join(f"{query} Q0 {document} 0 {value} run\n" for query, document, value in RUN),
        "better": "".join(f"{query} Q0 {document} 0 {value} better\n" for query, document, value in BETTER),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in texts]


def values(frame):
    """Rows of a DataFrame of any library, with None for what is missing."""
    rows = frame.to_dict("records") if hasattr(frame, "to_dict") and not hasattr(frame, "iter_rows") else None
    rows = rows or (frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_pylist())
    return [
        {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
        for row in rows
    ]


def digits(record):
    """A record of scores or of a comparison without what only files have."""
    text = json.dumps(record, default=str)
    return json.loads(
        text, object_hook=lambda one: {key: one[key] for key in one if key not in ("file", "name")}
    )


@pytest.mark.parametrize("make", KINDS)
def test_scores_have_the_digits_of_the_same_files(make, files):
    qrels = make(QRELS, ["qid", "docno", "relevance"])
    run = make(RUN, ["query", "doc_id", "score"])

    scores = score(qrels, run, measures=MEASURES)
    expected = score_files(*files[:1], files[1:2], measures=MEASURES)

    record = as_json(scores.file_scores, per_query=True)
    assert digits(record) == digits(as_json(expected, per_query=True))
    assert record["runs"][0]["queries"] == {
        "judged": 4,
        "answered": 3,
        "missing": 1,
        "empty": 0,
        "unjudged": 1,
    }


@pytest.mark.parametrize("make", KINDS)
def test_comparisons_have_the_digits_of_the_same_files(make, files):
    qrels, run, better = (
        make(rows, ["query", "document", name])
        for rows, name in ((QRELS, "grade"), (RUN, "score"), (BETTER, "score"))
    )

    comparison = compare(qrels, run, better, measures=MEASURES, names=["run", "better"])
    expected = compare_files(files[0], files[1:], measures=MEASURES, cutoff=10)

    assert digits(comparison_as_json(comparison.file_comparison)) == digits(comparison_as_json(expected))


def test_files_and_frames_mix(files):
    frame = as_polars(RUN, ["query", "document", "score"])

    scores = score(files[0], [files[1], str(files[2]), frame], measures="nDCG@10")

    rows = values(scores.means)
    assert [row["run"] for row in rows] == ["run", "better", "run 3"]
    assert rows[0]["mean"] == rows[2]["mean"] != rows[1]["mean"]


def test_per_query_values_carry_formula_and_state():
    qrels, run = as_dict(QRELS, ()), as_dict(RUN, ())

    found = values(score(qrels, run, measures="nDCG(zero='skip')@2").per_query)

    # q1 shows nothing good in its first two; the ideal of q3 is 0.
    measure = {"run": "run", "measure": "nDCG(zero='skip')@2"}
    assert found == [
        measure | {"query": "q1", "value": 0.0, "state": "scored", "shown": 2, "unjudged": 1},
        measure | {"query": "q2", "value": 1.0, "state": "scored", "shown": 2, "unjudged": 0},
        measure | {"query": "q3", "value": None, "state": "undefined", "shown": 1, "unjudged": 0},
        measure | {"query": "q4", "value": 0.0, "state": "no answer", "shown": 0, "unjudged": 0},
    ]


def test_means_say_what_missing_grades_could_make_of_them():
    """Means of 0, 1 and 0; with one more query of 0 or 1."""
    (row,) = values(score(as_dict(QRELS, ()), as_dict(RUN, ()), measures="nDCG(zero='skip')@2").means)

    assert row["mean"] == pytest.approx(1 / 3)
    assert (row["judged"], row["answered"], row["missing"], row["left_out"]) == (4, 3, 1, 1)
    assert (row["low_if_graded"], row["high_if_graded"]) == (0.25, 0.5)


def test_differences_per_query_have_both_values():
    """q1 has its good document at rank 3, and then at rank 1. q2 has both of its documents in the other order."""
    comparison = compare(as_dict(QRELS, ()), as_dict(RUN, ()), as_dict(BETTER, ()), names=["old", "new"])

    by_query = {row["query"]: row for row in values(comparison.per_query)}
    assert {row["baseline"] for row in by_query.values()} == {"old"}
    assert (by_query["q1"]["baseline_value"], by_query["q1"]["value"]) == (0.5, 1.0)
    assert by_query["q1"]["difference"] == 0.5
    best, other = 2 + 1 / math.log2(3), 1 + 2 / math.log2(3)
    assert by_query["q2"]["difference"] == pytest.approx(other / best - 1)
    states = ("baseline_state", "state", "baseline_unjudged", "unjudged")
    assert [by_query["q1"][key] for key in states] == ["scored", "scored", 1, 1]
    assert [by_query["q4"][key] for key in states] == ["no answer", "no answer", 0, 0]


def test_verdicts_are_in_the_words_of_the_pages():
    comparison = compare(as_dict(QRELS, ()), as_dict(RUN, ()), as_dict(BETTER, ()), names=["old", "new"])

    (row,) = values(comparison.verdicts)
    assert row["verdict"] == "Too few changed queries"
    assert row["sentence"] == "new and old: too few queries changed to tell which is better."
    assert (row["interval_low"], row["p"], row["queries"]) == (None, None, 4)
    assert "Too few changed queries" in repr(comparison)
    (figures,) = values(comparison.figures)
    assert (figures["measure"], figures["seed"]) == ("nDCG@10", 1)


@pytest.mark.parametrize("make", [as_polars, as_pandas, as_pyarrow])
def test_results_are_tables_of_the_library_that_was_given(make):
    run = make(RUN, ["query", "document", "score"])

    scores = score(as_dict(QRELS, ()), run, measures="nDCG(zero='skip')@3")

    assert type(scores.per_query) is type(run)
    assert [row["value"] for row in values(scores.per_query)][2] is None


def test_without_a_frame_results_are_in_polars(files):
    assert isinstance(score(files[0], files[1]).means, pl.DataFrame)


def test_whole_numbers_and_categories_name_queries_and_documents():
    qrels = as_polars([(1, 7, 2)], ["query", "document", "grade"])
    run = as_polars([("1", "7", 2)], ["query", "document", "rank"]).with_columns(
        pl.col("document").cast(pl.Categorical)
    )

    assert values(score(qrels, run, measures="P@1").means)[0]["mean"] == 1


def test_32_bit_scores_are_read_exactly():
    """As 64 bits have them: .1 in 32 bits is more than .1."""
    qrels = {"q": {"a": 1, "b": 0}}
    run = pl.DataFrame(
        {"query": ["q", "q"], "document": ["a", "b"], "score": pl.Series([0.1, 0.1], dtype=pl.Float32)}
    )

    assert score(qrels, run, measures="RR", order="double").file_scores.scores[0].run.tied == 1


def test_the_rank_decides_by_choice():
    qrels = {"q": {"a": 1, "b": 0}}
    run = as_polars([("q", "a", 1.0, 1), ("q", "b", 2.0, 2)], ["query", "document", "score", "rank"])

    assert values(score(qrels, run, measures="RR").means)[0]["mean"] == 0.5
    assert values(score(qrels, run, measures="RR", order="rank").means)[0]["mean"] == 1


def test_warnings_name_rows():
    scores = score(
        as_polars([("q", "a", 1), ("q", "a", 1), ("q", "b", 0)], ["query", "document", "grade"]),
        {"q": ["a"], "p": ["a"]},
    )

    assert scores.warnings == [
        "qrels: Row 1, column document: “a” should be listed once for a query (row 0 says the same; counted once).",
        "run: 1 query of the run is not in the qrels and is left out.",
    ]


def frame(*rows, names=("query", "document", "score")):
    return as_polars(list(rows), list(names))


GOOD = {"q": {"a": 1}}


@pytest.mark.parametrize(
    ("qrels", "run", "sentence"),
    [
        (GOOD, frame(("q", "a", 1.0), ("q", "b", math.nan)), "Row 1, column score: “nan” should be a finite number."),
        (GOOD, frame(("q", "a", 1.0), ("q", None, 2.0)), "Row 1, column document: empty, but should be an ID."),
        (GOOD, frame(("q", "a", 1.0), ("q", "a", 2.0)), "Row 1, column document: “a” should be listed once for query q (it is in row 0 already)."),
        (GOOD, frame((1.5, "a", 1.0)), "run: the column “query” holds Float64; expected text or whole numbers."),
        (GOOD, frame(("q", "a", True)), "run: the column “score” holds Boolean; expected numbers."),
        (GOOD, frame(("q", 1.0), names=("query", "score")), "run needs a column for document. Its columns: “query”, “score”."),
        (GOOD, frame(("q", "a", 1.0)).clear(), "run is empty. Pass rows with query, document and score."),
        (GOOD, frame(("q", "a", 1), names=("query", "document", "grade")), "run holds judgments: it has a column “grade”, and neither rank nor score."),
        (GOOD, frame(("q", "a", 1.0)).lazy(), "run is of type LazyFrame. Pass a DataFrame, a dict or the path of a file."),
        (GOOD, frame(("q", "a", 1.0))["query"], "run is of type Series. Pass a DataFrame, a dict or the path of a file."),
        (GOOD, 7, "run is of type int. Pass a DataFrame, a dict or the path of a file."),
        (GOOD, {"q": {"a": "much"}}, "Query q, document a: “\"much\"” should be a number."),
        (GOOD, {}, "run holds no ranking."),
        (GOOD, [], "There is no run to score."),
        (GOOD, {"q": 7}, "Query q: “7” should be documents with scores, or a list of documents."),
        (GOOD, "nowhere.trec", "nowhere.trec cannot be read: No such file or directory."),
        (frame(("q", "a", 1.0)), GOOD, "The DataFrame of judgments needs a column for grade. Its columns: “query”, “document”, “score”."),
        (frame(("q", "a", "much"), names=("query", "document", "grade")), GOOD, "Row 0, column grade: “much” should be a number."),
        (frame(("q", "a", 1), ("q", "a", 2), names=("query", "document", "grade")), GOOD, "Row 1, column document: “a” should be listed once for a query (row 0 gives it another grade)."),
        ({"q": {"a": math.inf}}, GOOD, "Query q, document a: “inf” should be a number."),
        ({"q": ["a"]}, GOOD, "Query q: “['a']” should be a dict of documents with grades."),
        ({"": {"a": 1}}, GOOD, "Query: empty, but should be an ID."),
        ({}, GOOD, "The judgments are empty. Pass rows with query, document and grade."),
    ],
)  # fmt: skip
def test_what_is_wrong_names_row_and_column(qrels, run, sentence):
    with pytest.raises(InputError) as error:
        score(qrels, run)

    assert str(error.value).splitlines()[0] == sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"measures": "nope"}, "“nope” can’t be read as a measure"),
        ({"names": ["one", "two"]}, "There are 2 names for 1 run. Give one name for each run."),
        ({"max_grade": 0.5}, "holds the grade 1, which lies above the top grade 0.5."),
    ],
)
def test_choices_that_make_no_sense_are_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        score(GOOD, GOOD, **options)


def test_a_query_without_a_value_has_no_difference():
    """The ideal of q3 is 0."""
    comparison = compare(
        as_dict(QRELS, ()), as_dict(RUN, ()), as_dict(BETTER, ()), measures="nDCG(zero='skip')@10"
    )

    (row,) = [row for row in values(comparison.per_query) if row["query"] == "q3"]
    assert (row["value"], row["difference"], row["state"]) == (None, None, "undefined")
    assert comparison.warnings[0] == "baseline: 1 query of the run is not in the qrels and is left out."


def test_printed_scores_are_the_table_of_the_command():
    assert repr(score(GOOD, GOOD, measures="P@1")).splitlines()[2:4] == [
        "measure              run",
        "P@1               1.0000",
    ]


def test_a_comparison_needs_something_to_gain():
    with pytest.raises(InputError, match="No grade lies above 0"):
        compare({"q": {"a": 0}}, {"q": ["a"]}, {"q": ["b"]})


@pytest.mark.parametrize(
    ("ranking", "what"),
    [
        (
            {"q1": ["sku-1", "sku-2"]},
            "none of its results is judged. Do the files use the same document IDs?",
        ),
        ({"query-1": ["d1", "d2"]}, "none of its queries is judged. Do the files use the same query IDs?"),
        ({"q1": ["sku-1", "d1"]}, ""),
        ({"q1": []}, ""),
    ],
)
def test_ids_that_do_not_meet_are_warned_of(ranking, what):
    """Else the run would look like a bad one: every value is 0."""
    warnings = score({"q1": {"d1": 2, "d2": 0}}, ranking).warnings

    assert [one for one in warnings if "Do the files" in one] == ([f"run: {what}"] if what else [])


def test_measures_may_be_a_list():
    """As the metrics of ranx and ir_measures are."""
    grades, run = {"q1": {"a": 1}}, {"q1": ["b", "a"]}

    scores = score(grades, run, measures=["RR", "P@2"])
    comparison = compare(grades, run, run, measures=("RR", "P@2"))

    assert scores.means["mean"].to_list() == [0.5, 0.5]
    assert comparison.verdicts["measure"].to_list() == ["RR", "P@2"]
