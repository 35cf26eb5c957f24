"""Examples of answers about comparisons, raters and the log."""

from typing import Any, Final

COMPARISON: Final = {
    "recommendation": "Ship dense.",
    "verdicts": [
        {
            "run_id": 13,
            "run": "dense",
            "kind": "better",
            "sentence": "dense is better than bm25.",
            "text": "NDCG-global@10 is 0.0312 higher.",
            "p": 0.004,
            "interval_low": 0.0101,
            "interval_high": 0.0523,
            "always_valid": False,
        }
    ],
    "unknown": [],
    "formula_words": "Linear gain (the grade itself), log2 discount 1/log2(rank+1), cutoff 10.",
    "up_to_date": True,
    "comparison": {},
}
RESULT: Final = {
    "rank": 4,
    "document": "d4711",
    "title": "Down sleeping bag, −15 °C",
    "grade": 2,
    "label": "Yes",
    "how": "2 of 2 raters gave 2.",
    "gain": 2,
    "discount": 0.4307,
    "contribution": 0.8614,
    "move": "up",
    "baseline_rank": 4,
    "run_rank": 1,
    "change_of_dcg": 1.1386,
}
RANKING: Final = {
    "answered": True,
    "unknown": False,
    "retrieved": 100,
    "unjudged": 2,
    "lost": {"order": 1.1386, "depth": 0, "recall": 0, "content": 3.2},
    "results": [RESULT],
    "best_swap": None,
    "below_the_cutoff": [],
    "never_retrieved": [],
    "lower_than_the_top_grade": 0,
    "too_few_judged": 4,
}
GRADED_PAIR: Final = {
    "pair_id": 501,
    "query_id": "q17",
    "query": "winter sleeping bag",
    "document_id": "d4711",
    "title": "Down sleeping bag, −15 °C",
    "list_id": 7,
    "grade": 2,
    "label": "Yes",
    "how": "2 of 2 raters gave 2.",
}
TWO_RATERS: Final = [{"id": 31, "name": "Ann"}, {"id": 32, "name": "Bob"}]
FIGURES: Final[dict[str, tuple[int, dict[str, Any]]]] = {
    "comparison": (200, COMPARISON),
    "comparison_report": (
        200,
        COMPARISON
        | {
            "subtitle": "Main · NDCG-global@10 · 150 queries · 23 Nov 2026",
            "runs": [
                {
                    "run_id": 13,
                    "run": "dense",
                    "steps_of": "nDCG(ideal='global')@10",
                    "steps": [
                        {"part": "recall", "difference": 0.021},
                        {"part": "order", "difference": 0.008},
                        {"part": "depth", "difference": -0.002},
                    ],
                    "lost": [
                        {
                            "cause": "relevant documents fell below rank 10",
                            "queries": 12,
                            "difference": "−0.0041",
                        }
                    ],
                    "worse": [],
                    "better": [
                        {
                            "id": 17,
                            "query_id": "q17",
                            "query": "winter sleeping bag",
                            "baseline": "0.4307",
                            "run": "1.0000",
                            "difference": "+0.5693",
                            "cause": "the first relevant document rose from rank 4 to 1",
                            "baseline_results": ["Summer sleeping bag"],
                            "run_results": ["Down sleeping bag, −15 °C"],
                        }
                    ],
                }
            ],
            "page": "https://touchstone.example.com/lists/7/compare/?runs=12-13&k=10",
            "text": "### Ship dense.\n…\n",
        },
    ),
    "machine_help": (
        200,
        {
            "list": {},
            "formula": "DCG()@10",
            "formula_words": "Linear gain (the grade itself), log2 discount 1/log2(rank+1), cutoff 10.",
            "measure": "NDCG-max@10",
            "baseline": "bm25",
            "rows": [
                {
                    "machine": "llama-3-70b",
                    "run": "dense",
                    "queries": 700,
                    "changed": 610,
                    "people": 60,
                    "others": 548,
                    "left_out": 2,
                    "difference": 0.0171,
                    "difference_low": -0.0043,
                    "difference_high": 0.0385,
                    "difference_with_machine": 0.0198,
                    "difference_with_machine_low": 0.0075,
                    "difference_with_machine_high": 0.0321,
                    "correlation": 0.81,
                    "sentence": "+0.0198 on average, in an interval 57.5 % as wide as that of people alone.",
                }
            ],
        },
    ),
    "compared_query": (
        200,
        {
            "list": {},
            "formula": "DCG()@10",
            "formula_words": "Linear gain (the grade itself), log2 discount 1/log2(rank+1), cutoff 10.",
            "measure": "nDCG-global@10",
            "baseline": {"id": 12, "name": "bm25"},
            "run": {"id": 13, "name": "dense"},
            "on_held_out_queries": False,
            "query": {"id": "q17", "text": "winter sleeping bag", "information_need": ""},
            "compared": None,
            "moved": {"same": 0, "moved": 1, "new": 0, "lost": 0},
            "values": [{"measure": "DCG@10", "baseline": 0.8614, "run": 2.0, "difference": 1.1386}],
            "baseline_ranking": RANKING,
            "run_ranking": RANKING
            | {"results": [RESULT | {"rank": 1, "discount": 1.0, "contribution": 2.0}]},
        },
    ),
    "agreement_by_rater": (
        200,
        {
            "up_to_date": True,
            "headline": {"alpha": 0.71, "low": 0.64, "high": 0.77},
            "raters": [
                {
                    "id": 31,
                    "name": "Ann",
                    "judgments": 1200,
                    "cannot_judge": 4,
                    "compared": 430,
                    "enough": True,
                    "agreement": 0.82,
                    "kappa": 0.74,
                    "higher_by": -0.1,
                    "alpha_without": 0.69,
                    "grades": [{"label": "No", "count": 700}, {"label": "Yes", "count": 496}],
                    "to_review": "grades higher than before",
                    "over_time": [],
                }
            ],
        },
    ),
    "agreement_of_machines": (
        200,
        {
            "up_to_date": True,
            "labels": ["0 No", "1 Yes"],
            "machines": [
                {
                    "id": 35,
                    "machine": "gpt-4o",
                    "origin": "gpt-4o-2024-08-06, prompt “umbrela”, 2026-11-20",
                    "judgments": 1200,
                    "compared": 430,
                    "enough": True,
                    "agreement": 0.83,
                    "kappa": 0.63,
                    "higher_by": 0.08,
                    "higher_by_low": 0.03,
                    "higher_by_high": 0.13,
                    "counts": [[230, 54], [19, 127]],
                }
            ],
        },
    ),
    "agreement_by_rater_pair": (
        200,
        {
            "up_to_date": True,
            "listed": 1,
            "items": [
                {
                    "raters": TWO_RATERS,
                    "pairs": 430,
                    "agreement": 0.82,
                    "kappa": 0.74,
                    "higher_by": -0.1,
                }
            ],
            "grades": {
                "raters": TWO_RATERS,
                "sentence": "Ann grades 0.10 lower on average.",
                "kappas": [{"name": "unweighted", "value": 0.64, "why": ""}],
                "labels": ["No", "Yes"],
                "counts": [[230, 60], [17, 123]],
            },
        },
    ),
    "site_log": (
        200,
        {
            "items": [
                {
                    "at": "2026-11-23T09:20:00+00:00",
                    "who": "eve",
                    "token": "API token nightly (…x9Qk)",
                    "did": "changed the role of",
                    "subject": "ann",
                    "list": None,
                    "before": {"role": "rater"},
                    "after": {"role": "engineer"},
                    "note": "",
                    "query_set": "Shop",
                }
            ],
            "next": None,
        },
    ),
    "list_overview": (
        200,
        {
            "progress": {"queries": 150, "pairs": 3100, "graded": 2800, "judgments": 2950, "missing": 150},
            "forecast": {
                "in_words": "150 judgments at 8–10 s each on average (as this list’s raters take): 20–25 minutes.",
                "missing": 150,
                "hours": [0.33, 0.38, 0.42],
                "hours_each": [0.17, 0.19, 0.21],
                "eligible_raters": 2,
                "pace": 410.0,
                "days_left": 1,
                "finish_in_words": "A forecast needs a week of judging.",
            },
            "steps": [{"label": "1 judgment (complete)", "pairs": 2950, "share": 0.95}],
            "estimated_from_every": 1,
            "days": [{"day": "2026-11-23", "judgments": 410, "raters": 2}],
            "held": {"pairs": 5, "raters": 1, "until": "2026-11-23T10:00:00Z"},
            "agreement": None,
            "to_review": [
                {"kind": "few", "query_id": "q17", "query": "winter sleeping bag", "part": 3, "whole": 20}
            ],
            "raters": [{"name": "Ann", "today": 200, "days": 1200, "warnings": []}],
        },
    ),
    "query_pairs": (200, {"items": [GRADED_PAIR], "next": None}),
    "document_pairs": (200, {"items": [GRADED_PAIR], "next": None}),
    "preview_query_set_deletion": (
        200,
        {
            "things": ["150 queries", "4,200 documents", "1 judgment list", "2,950 judgments"],
            "scored_versions": ["Main, version 2"],
        },
    ),
    "preview_list_deletion": (200, {"things": ["3,100 pairs", "2,950 judgments"], "scored_versions": []}),
}
