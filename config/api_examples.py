"""Examples of calls and answers, by the name of the operation. A test holds them to the description."""

from typing import Any, Final

QUERY_SET: Final = {
    "id": 3,
    "name": "Shop",
    "description": "",
    "show_images": False,
    "archived": False,
    "queries": 150,
    "documents": 4200,
    "lists": 1,
    "created_at": "2026-11-23T09:00:00Z",
}
LIST: Final = {
    "id": 7,
    "query_set_id": 3,
    "name": "Main",
    "description": "",
    "guidelines": "",
    "scale_id": 2,
    "overlap": 1,
    "rule": "median",
    "tie": "lower",
    "paused": False,
}
RUN: Final = {
    "id": 12,
    "query_set_id": 3,
    "name": "bm25",
    "notes": "",
    "tags": ["nightly"],
    "commit": "4f2c1aa",
    "link": "",
    "is_baseline": True,
    "order": "score",
    "file_name": "bm25.trec",
    "sha256": "",
    "queries": 150,
    "documents": 15000,
    "created_at": "2026-11-23T09:05:00Z",
}
JOB: Final = {
    "id": "8b9bd0a5-3c1c-4c68-8f0e-6c7d4d1f1a11",
    "query_set_id": 3,
    "list_id": None,
    "what": "import of queries",
    "file": "queries.csv",
    "state": "waiting",
    "progress": None,
    "result": None,
    "failure": "",
    "requested_at": "2026-11-23T09:01:00Z",
    "done_at": None,
}
REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "create_query_set": {"name": "Shop", "description": "What people search for in the shop."},
    "change_query_set": {"description": "Queries of November."},
    "create_list": {"name": "Main", "scale": 2, "overlap": 1},
    "freeze": {"note": "For the release of December."},
    "change_run": {"tags": ["nightly"], "is_baseline": True},
}
ANSWERS: Final[dict[str, tuple[int, dict[str, Any]]]] = {
    "query_set": (200, QUERY_SET),
    "create_query_set": (201, QUERY_SET),
    "judgment_list": (200, LIST),
    "create_list": (201, LIST),
    "read_run": (200, RUN),
    "upload": (201, {"runs": [RUN], "already_stored": False, "warnings": [], "documents": ""}),
    "import_queries": (202, JOB),
    "gate": (
        200,
        {
            "passed": True,
            "report": {"passed": True, "queries": 150},
            "table": "dense (dense.trec) beside bm25, over 150 queries.\n…\nPassed.\n",
            "markdown": "<!-- touchstone-gate: Relevance gate -->\n### ✓ Relevance gate: passed\n",
            "junit": '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites/>\n',
            "warnings": [],
        },
    ),
    "job": (200, JOB | {"state": "done", "result": {"new": 150, "changed": 0, "unchanged": 0}}),
    "comparison": (
        200,
        {
            "recommendation": "Ship dense.",
            "verdicts": [
                {
                    "run_id": 13,
                    "run": "dense",
                    "kind": "better",
                    "sentence": "dense is better than bm25.",
                    "text": "NDCG-global@10 is 0.0312 higher.",
                }
            ],
            "unknown": [],
            "formula_words": "Linear gain (the grade itself), log2 discount 1/log2(rank+1), cutoff 10.",
            "up_to_date": True,
            "comparison": {},
        },
    ),
}
