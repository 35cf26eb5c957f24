"""Small files of other tools, made here after their real ones, come back from an export as they were.

The real files are in the shared test data, which a checkout need not have.
"""

import json

import pytest

from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.judgments.judgment_files import WRITABLE, open_judgment_text
from touchstone_core.formats.writing import Description

RRE_WITH_GROUPS = {
    "id_field": "id",
    "index": "shop",
    "query_placeholder": "$text",
    "topics": [
        {
            "description": "Shoes",
            "query_groups": [
                {
                    "name": "sandals",
                    "queries": [
                        {
                            "template": "one.json",
                            "placeholders": {"$text": "sandals", "$boost": "2"},
                            "relevant_documents": {"d1": {"gain": 3}, "d2": {"gain": 1}},
                        },
                        {
                            "template": "two.json",
                            "placeholders": {"$text": "beach shoes"},
                            "relevant_documents": {"d1": {"gain": 3}},
                        },
                    ],
                }
            ],
        },
        {
            "description": "Hats",
            "query_groups": [
                {
                    "name": "straw hats",
                    "queries": [
                        {
                            "template": "one.json",
                            "placeholders": {"$text": "straw hat"},
                            "relevant_documents": {"2": ["d3", "d4"], "0": ["d1"]},
                        }
                    ],
                }
            ],
        },
    ],
}
RRE_WITHOUT_GROUPS = {
    "id_field": "id",
    "index": "shop",
    "template": "one.json",
    "queries": [{"placeholders": {"$query": "hat"}, "relevant_documents": {"d1": {"gain": 2}}}],
}
QUEPID_CASE = {
    "case_name": "Shop",
    "scorer": {"name": "nDCG@10", "scale": [0, 1, 2]},
    "queries": [
        {
            "arranged_next": 2,
            "query_text": "hat",
            "information_need": "a hat against the sun",
            "ratings": [
                {"doc_id": "d1", "rating": 2, "user_email": "ann@example.org"},
                {"doc_id": "d2", "rating": 0},
            ],
        }
    ],
}


def come_back(format, document):
    stream = open_judgment_text(text_of(json.dumps(document, indent=1)))
    judgments = stream.read()
    assert judgments.report.ok, list(judgments.report.errors.sentences())
    grades = [one._replace(grade=float(one.grade)) for one in judgments.records]
    return json.loads(
        "".join(WRITABLE[format].write(grades, Description("My list", "Shop", head=stream.head)))
    )


@pytest.mark.parametrize(
    ("format", "document"),
    [("rre", RRE_WITH_GROUPS), ("rre", RRE_WITHOUT_GROUPS), ("quepid-case", QUEPID_CASE)],
    ids=["rre with groups", "rre without groups", "quepid's case"],
)
def test_what_another_tool_says_comes_back(format, document):
    assert come_back(format, document) == document


def test_the_queries_of_a_group_have_its_documents():
    group = {
        "queries": [{"placeholders": {"$query": "hat"}}, {"placeholders": {"$query": "cap"}}],
        "relevant_documents": {"d1": 2},
    }

    judgments = open_judgment_text(text_of(json.dumps({"query_groups": [group]}))).read()

    assert [(one.query, one.document, one.grade) for one in judgments.records] == [
        ("hat", "d1", 2),
        ("cap", "d1", 2),
    ]


def test_credentials_of_a_case_are_kept_nowhere():
    endpoint = {"url": "search.example", "basic_auth_credential": "ann:secret", "custom_headers": None}
    case = QUEPID_CASE | {"try": {"search_endpoint": endpoint, "number": 3}}
    stream = open_judgment_text(text_of(json.dumps(case)))

    assert len(stream.read().records) == 2
    assert stream.head["try"] == {
        "search_endpoint": endpoint | {"basic_auth_credential": None},
        "number": 3,
    }
    assert stream.report.warnings.counts == {"not kept": 1}
