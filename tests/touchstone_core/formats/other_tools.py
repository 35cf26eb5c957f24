"""Small answers of other tools, in the shapes that their documentation and sources show."""

from typing import Any

RANK_EVAL = {
    "metric_score": 0.4,
    "details": {
        "q1": {
            "metric_score": 0.6,
            "unrated_docs": [{"_index": "shop", "_id": "d3"}],
            "hits": [
                {"hit": {"_index": "shop", "_id": "d1", "_score": 9.5}, "rating": 1},
                {"hit": {"_index": "shop", "_id": "d3", "_score": 2.25}, "rating": None},
            ],
            "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 2}},
        },
        "q2": {"metric_score": 0.0, "unrated_docs": [], "hits": [], "metric_details": {}},
        "q3": {
            "metric_score": 0.2,
            "unrated_docs": [],
            "hits": [
                {"hit": {"_index": "shop", "_id": "d2", "_score": None}, "rating": 0},
                {"hit": {"_index": "shop", "_id": "d1", "_score": None}, "rating": 0},
            ],
        },
    },
    "failures": {"q4": {"error": {"type": "parsing_exception"}}},
}


def evaluation_result(text: str, documents: list[str], configuration: str = "c1") -> dict[str, Any]:
    return {
        "_index": "search-relevance-evaluation-result",
        "_id": f"{configuration}-{text}",
        "_score": 1.0,
        "_source": {
            "searchConfigurationId": configuration,
            "searchText": text,
            "judgmentIds": ["j1"],
            "documentIds": documents,
            "metrics": [{"metric": "NDCG@8", "value": 0.0}],
        },
    }


def search_response(*hits: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    value = len(hits) if total is None else total
    return {"took": 59, "hits": {"total": {"value": value, "relation": "eq"}, "hits": list(hits)}}


def rre_evaluation(query: str, **documents: list[str]) -> dict[str, Any]:
    return {
        "metrics": {"P@10": {"name": "P@10", "versions": {}}},
        "query": query,
        "results": {
            version.replace("_", "."): {
                "total-hits": len(ids),
                "hits": [{"name": "x", "_id": one, "_isRelevant": True, "_gain": 3} for one in ids],
            }
            for version, ids in documents.items()
        },
    }


def rre_report(*groups: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": "Ranking Evaluation Report",
        "metrics": {},
        "corpora": [
            {
                "name": "basses",
                "metrics": {},
                "topics": [
                    {"name": "brands", "query-groups": [{"name": "g", "query-evaluations": group}]}
                    for group in groups
                ],
            }
        ],
    }


SNAPSHOTS = """\
Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\r
(3/5/26) Base,2026-03-05T12:00:00Z,8,star wars,d1,1,A\r
(3/5/26) Base,2026-03-05T12:00:00Z,8,star wars,d2,2,"B, C"\r
(3/6/26) New,2026-03-06T12:00:00Z,8,star wars,d2,1,"B, C"\r
(3/6/26) New,2026-03-06T12:00:00Z,8, =dog,d9,1,D\r
"""
