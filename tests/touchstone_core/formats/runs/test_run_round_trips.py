"""A run that is written in a format is read back in it in the same evaluated order, by us and by trec_eval."""

import csv
import io
import json
import struct
from itertools import pairwise

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given
from hypothesis import strategies as st

from tests.touchstone_core.formats.judgments.test_judgment_round_trips import IDS, PLAIN_IDS
from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.declarations import WRITABLE
from touchstone_core.formats.runs.run_writers import RankingRecord, RunDescription, RunFacts, survey

# Values that differ in double precision only, that are equal, that overflow in single precision, and that vanish there.
SCORES = st.floats(-10, 10) | st.sampled_from(
    [1.0, 1 + 1e-9, 1 + 1e-8, 0.0, -0.0, 1e300, 2e300, 1e-300, 5e-324]
)


def in_evaluated_order(scores_by_document, order):
    """By the rule that docs/runs.md gives, in plain Python."""
    single = {document: as_single(score) for document, score in scores_by_document.items()}
    keys = scores_by_document if order == "double" else single
    return sorted(scores_by_document, key=lambda document: (keys[document], document), reverse=True)


def ranking_of(query, documents, scores):
    return RankingRecord(query, documents, None if scores is None else np.array(scores, dtype=np.float64))


def as_single(score):
    try:
        return struct.unpack("f", struct.pack("f", score))[0]
    except OverflowError:
        return float("inf") if score > 0 else float("-inf")


@st.composite
def rankings(draw, ids=IDS, least=0):
    """Queries of a run of any order, each with its own documents; some have no scores, some nothing."""
    records = []
    for query in draw(st.lists(ids, min_size=1, max_size=3, unique=True)):
        scores = draw(st.dictionaries(ids, SCORES, min_size=least, max_size=6))
        order = draw(st.sampled_from(["score", "double", "rank", "none"]))
        if order in ("score", "double"):
            documents = in_evaluated_order(scores, order)
        else:
            documents = draw(st.permutations(list(scores)))
        values = [scores[document] for document in documents]
        records.append(ranking_of(query, documents, None if order == "none" or not values else values))
    return records


def text_in(format, records):
    facts = survey(records)
    return "".join(WRITABLE[format].write(iter(records), RunDescription("my run", facts)))


def read_back(format, content):
    run = read_run(text_of(content), format=format)
    assert run.report.ok, list(run.report.errors.sentences())
    return {ranking.query: ranking.documents for ranking in run.rankings}


def pages(records):
    return {one.query: one.documents for one in records}


def with_documents(records):
    return {one.query: one.documents for one in records if one.documents}


STRIPPED = IDS.filter(lambda id: id == id.strip())
"""The reader of JSON takes blanks of every script off, and that of tables only those of ASCII."""


@given(records=rankings(STRIPPED))
@example(records=[ranking_of("q", ["a", "b"], [1.0, 1.0])])  # a stands first by its rank alone
@example(records=[ranking_of("q", [], None)])
def test_json_keeps_every_ranking(records):
    assert read_back("json", text_in("json", records)) == pages(records)


@given(records=rankings(least=1))
def test_csv_keeps_every_ranking_with_documents(records):
    assert read_back("csv", text_in("csv", records)) == with_documents(records)


@given(records=rankings(PLAIN_IDS, least=1))
def test_trec_keeps_every_ranking_with_documents(records):
    assert read_back("trec", text_in("trec", records)) == with_documents(records)


@given(records=rankings(PLAIN_IDS, least=1), order=st.sampled_from(["score", "double", "rank"]))
def test_trec_is_read_in_the_same_order_by_whatever_rule(records, order):
    run = read_run(text_of(text_in("trec", records)), format="trec", order=order)

    assert {one.query: one.documents for one in run.rankings} == with_documents(records)
    assert not any(one.tied for one in run.rankings)
    assert not run.report.warnings.total


@given(records=rankings(PLAIN_IDS, least=1))
def test_scores_of_trec_fall_from_row_to_row_even_in_single_precision(records):
    rows = [line.split(" ") for line in text_in("trec", records).splitlines()]

    for one, other in pairwise(rows):
        if one[0] == other[0]:
            assert as_single(float(one[4])) > as_single(float(other[4]))
            assert int(other[3]) == int(one[3]) + 1


@given(records=rankings(st.text("abé9_☃", min_size=1, max_size=3), least=1))
def test_trec_eval_puts_every_document_at_the_rank_of_the_file(records):
    found = pytrec_eval.parse_run(io.StringIO(text_in("trec", records)))

    for query, documents in with_documents(records).items():
        # The reciprocal rank of a single relevant document tells where trec_eval has put it.
        qrels = {document: {document: 1} for document in documents}
        runs = dict.fromkeys(documents, found[query])
        evaluated = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(runs)
        ranks = {document: values["recip_rank"] for document, values in evaluated.items()}
        assert ranks == {document: pytest.approx(1 / rank) for rank, document in enumerate(documents, 1)}


def test_scores_that_fall_are_kept_with_every_digit_and_others_count_down():
    records = [
        ranking_of("q1", ["a", "b"], [30.000000000000004, 11.0]),
        ranking_of("q2", ["b", "a", "c"], [1.0, 1.0, 0.5]),
        ranking_of("q3", ["a", "b"], [1 + 1e-9, 1.0]),
        ranking_of("q4", ["b", "a"], [0.1, 0.2]),
        ranking_of("q5", ["a"], None),
        ranking_of("q6", [], None),
    ]

    assert text_in("trec", records) == (
        "q1 Q0 a 1 30.000000000000004 my_run\nq1 Q0 b 2 11.0 my_run\n"
        "q2 Q0 b 1 3 my_run\nq2 Q0 a 2 2 my_run\nq2 Q0 c 3 1 my_run\n"
        "q3 Q0 a 1 2 my_run\nq3 Q0 b 2 1 my_run\n"
        "q4 Q0 b 1 2 my_run\nq4 Q0 a 2 1 my_run\n"
        "q5 Q0 a 1 1 my_run\n"
    )


def test_json_has_scores_where_they_alone_give_the_order():
    records = [
        ranking_of("q1", ["b", "a"], [1.0, 1.0]),  # as IDs decide
        ranking_of("q2", ["a", "b"], [1.0, 1.0]),
        ranking_of("q3", ["a"], None),
        ranking_of("q4", [], None),
    ]

    assert json.loads(text_in("json", records)) == {
        "q1": {"b": 1.0, "a": 1.0},
        "q2": ["a", "b"],
        "q3": ["a"],
        "q4": [],
    }
    assert text_in("json", []) == "{}\n"


@pytest.mark.parametrize(
    ("ranking", "heads", "cells"),
    [
        (ranking_of("q2", ["b", "a"], [3.0, -1.5]), ["rank", "score"], ["-1.5", "1.0"]),
        (ranking_of("q2", ["b", "a"], [3.0, 4.0]), ["rank", "given_score"], ["4.0", "1.0"]),
        (ranking_of("q2", ["b", "a"], None), ["rank", "given_score"], ["", "1.0"]),
    ],
    ids=["scores give the order", "ranks do", "scores are missing"],
)
def test_the_column_of_scores_is_called_so_that_it_decides_only_where_it_gives_the_order(
    ranking, heads, cells
):
    text = text_in("csv", [ranking, ranking_of("=q", ["a"], [1.0])])

    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["query", "document", *heads]
    assert [row[3] for row in rows[2:]] == cells
    assert rows[3][:3] == ["'=q", "a", "1"]
    assert read_back("csv", text) == {"q2": ["b", "a"], "=q": ["a"]}


def test_a_run_without_scores_has_no_column_of_them():
    assert text_in("csv", [ranking_of("q", ["b", "a"], None)]) == "query,document,rank\r\nq,b,1\r\nq,a,2\r\n"


@pytest.mark.parametrize(
    ("query", "document", "why"),
    [
        ("a b", "d", "“a b” holds a blank"),
        ("q", "a b", "“a b” holds a blank"),
        ("#q", "d", "start a comment"),
    ],
)
def test_trec_refuses_what_would_be_read_as_something_else(query, document, why):
    record = ranking_of(query, [document], [1.0])

    with pytest.raises(FormatError, match=why):
        WRITABLE["trec"].refuse(record)
    with pytest.raises(FormatError, match=why):
        text_in("trec", [record])


def test_a_survey_counts_what_a_format_cannot_hold():
    facts = survey(
        [
            ranking_of("q1", ["b", "a"], [1.0, 1.0]),
            ranking_of("q2", ["a", "b"], [1.0, 1.0]),
            ranking_of("q3", ["a"], None),
            ranking_of("q4", [], None),
            ranking_of("q5", ["a"], [1.0]),
        ]
    )

    assert (facts.queries, facts.empty, facts.unscored, facts.otherwise_ordered, facts.not_falling) == (
        5,
        1,
        1,
        1,
        2,
    )


@pytest.mark.parametrize(
    ("format", "facts", "notes"),
    [
        ("trec", RunFacts(3, empty=1), ["1 query without results left out."]),
        (
            "trec",
            RunFacts(3, unscored=1, not_falling=1),
            [
                "2 queries with scores that count down to 1: theirs are equal in single precision, give another order, or are missing."
            ],
        ),
        ("csv", RunFacts(3, empty=2), ["2 queries without results left out."]),
        (
            "csv",
            RunFacts(3, otherwise_ordered=2),
            [
                "Scores stand under given_score, and ranks decide: those of 2 queries give another order or are missing."
            ],
        ),
        ("json", RunFacts(3, empty=1, unscored=1), []),
        (
            "json",
            RunFacts(3, otherwise_ordered=1),
            ["1 query with a list of documents: their scores give another order."],
        ),
        *((format, RunFacts(3), []) for format in WRITABLE),
    ],
)
def test_what_a_file_leaves_out_or_changes_is_said(format, facts, notes):
    assert WRITABLE[format].notes(facts) == notes
