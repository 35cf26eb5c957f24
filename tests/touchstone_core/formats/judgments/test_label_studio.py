"""Label Studio's JSON, in the shape that https://labelstud.io/guide/task_format documents."""

import json

import pytest

from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.judgments.judgment_files import open_judgment_text


def rating(grade):
    return {
        "value": {"rating": grade},
        "id": "Dx_aB91ISN",
        "from_name": "grade",
        "to_name": "text",
        "type": "rating",
    }


def choices(*labels):
    return {"value": {"choices": [*labels]}, "from_name": "relevance", "to_name": "text", "type": "choices"}


def annotation(*results, rater=10, was_cancelled=False):
    return {
        "id": 1001,
        "completed_by": rater,
        "result": [*results],
        "was_cancelled": was_cancelled,
        "ground_truth": False,
        "created_at": "2021-03-09T22:16:08.728353Z",
        "lead_time": 4.288,
    }


def task(*annotations, **data):
    return {
        "id": 1,
        "annotations": [*annotations],
        "file_upload": "tasks.json",
        "drafts": [],
        "predictions": [{"model_version": "model 1", "result": [rating(9)]}],
        "data": data or {"query": "q1", "document_id": "d1", "text": "Red shoes"},
        "meta": {},
        "created_at": "2021-03-09T21:52:49.513742Z",
        "project": 83,
    }


def read(*tasks):
    judgments = open_judgment_text(text_of(json.dumps(tasks, indent=1))).read()
    assert judgments.format == "label-studio"
    return judgments


def answers(judgments):
    return [(one.query, one.document, one.grade_text, one.rater) for one in judgments.records]


def test_each_annotation_is_a_judgment_by_the_person_who_completed_it():
    email = {"id": 11, "email": "bob@a.example", "first_name": "Bob", "last_name": ""}
    label = {"value": {"text": "shoes", "labels": ["Product"]}, "type": "labels"}
    comment = {"value": {"text": ["Old page", "or not"]}, "type": "textarea"}

    judgments = read(
        task(annotation(label, rating(3), comment), annotation(choices("Good"), rater=email)),
        task(
            annotation(rating(0), rater=None),
            annotation(rating(1), rater={"id": 12, "email": ""}),
            query="q2",
            doc_id=7,
        ),
    )

    assert judgments.report.ok
    assert answers(judgments) == [
        ("q1", "d1", "3", "10"),
        ("q1", "d1", "Good", "bob@a.example"),
        ("q2", "7", "0", ""),
        ("q2", "7", "1", "12"),
    ]
    assert [one.comment for one in judgments.records] == ["Old page\nor not", "", "", ""]
    assert [one.grade for one in judgments.records] == [3, None, 0, 1]


@pytest.mark.parametrize(
    "annotations",
    [[], [annotation(rating(3), was_cancelled=True)], [annotation()], [annotation(choices())]],
    ids=["none", "skipped", "empty", "no choice"],
)
def test_a_task_that_nobody_answered_is_a_pair_to_be_judged(annotations):
    judgments = read(task(*annotations))

    assert judgments.report.ok
    assert [(one.query, one.document, one.unjudged, one.rater) for one in judgments.records] == [
        ("q1", "d1", True, "")
    ]


@pytest.mark.parametrize(
    ("data", "query", "document", "query_text", "by_text"),
    [
        ({"query": "q1", "document": "d1"}, "q1", "d1", "", False),
        ({"query": "red shoes", "docid": "d1"}, "red shoes", "d1", "", True),
        ({"query_text": "shoes", "doc_id": "d1"}, "shoes", "d1", "", True),
        ({"query_id": 4, "query": "red shoes", "document": "A text", "document_id": "d1"}, "4", "d1", "red shoes", False),
    ],
)  # fmt: skip
def test_the_data_of_a_task_names_query_and_document(data, query, document, query_text, by_text):
    (record,) = read(task(annotation(rating(1)), **data)).records

    assert (record.query, record.document, record.query_text, record.by_text) == (
        query,
        document,
        query_text,
        by_text,
    )


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (task(annotation(rating(1)), text="Red shoes"), "an ID"),
        (task(annotation(rating(1), choices("Good"))), "one rating or choice in each annotation"),
        (task(annotation(choices("Good", "Old"))), "one rating or choice in each annotation"),
        ({**task(annotation(rating(1))), "data": None}, "an object"),
        (task("?"), "an object"),
    ],
)
def test_what_is_no_judgment_is_refused_with_its_line(bad, words):
    report = read(bad).report

    assert not report.ok
    assert report.errors.first[0].line == 2
    assert any(words in sentence for sentence in report.errors.sentences())
