"""Lines of templates that a person can read."""

from tests.architecture.test_rules import ROOT

LONGEST = 140
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))

# How many longer lines are left in templates from before the limit.
LONG_LINES = {
    "403_csrf.html": 1,
    "404.html": 1,
    "413.html": 1,
    "500.html": 1,
    "503.html": 2,
    "base.html": 1,
    "django/forms/field.html": 4,
    "evaluation/comparisons/compared_queries.html": 7,
    "evaluation/comparisons/compared_query.html": 9,
    "evaluation/comparisons/compared_refused.html": 1,
    "evaluation/comparisons/comparison.html": 5,
    "evaluation/comparisons/comparison_edit.html": 1,
    "evaluation/comparisons/comparison_report.html": 5,
    "evaluation/comparisons/comparison_settings.html": 3,
    "evaluation/comparisons/comparisons.html": 5,
    "evaluation/start/delete.html": 3,
    "evaluation/start/home.html": 10,
    "evaluation/impact/impact.html": 6,
    "evaluation/comparisons/intents.html": 4,
    "evaluation/effects/list_rule.html": 5,
    "evaluation/pools/pairs.html": 15,
    "evaluation/comparisons/parts/being_compared.html": 2,
    "evaluation/comparisons/parts/chart_save.html": 1,
    "evaluation/comparisons/parts/compared_actions.html": 3,
    "evaluation/comparisons/parts/compared_change.html": 3,
    "evaluation/comparisons/parts/compared_charts.html": 5,
    "evaluation/comparisons/parts/compared_choices.html": 2,
    "evaluation/comparisons/parts/compared_closed.html": 1,
    "evaluation/comparisons/parts/compared_count.html": 1,
    "evaluation/comparisons/parts/compared_more.html": 18,
    "evaluation/comparisons/parts/compared_opened.html": 1,
    "evaluation/comparisons/parts/compared_pool.html": 6,
    "evaluation/comparisons/parts/compared_rows.html": 5,
    "evaluation/comparisons/parts/compared_runs.html": 5,
    "evaluation/comparisons/parts/compared_segments.html": 9,
    "evaluation/comparisons/parts/compared_unjudged.html": 7,
    "evaluation/comparisons/parts/compared_values.html": 2,
    "evaluation/comparisons/parts/compared_worst.html": 5,
    "evaluation/effects/parts/effect.html": 3,
    "evaluation/comparisons/parts/explained.html": 4,
    "evaluation/impact/parts/impact_queries.html": 2,
    "evaluation/impact/parts/impact_runs.html": 3,
    "evaluation/comparisons/parts/intent.html": 12,
    "evaluation/comparisons/parts/intent_counts.html": 2,
    "evaluation/effects/parts/model.html": 19,
    "evaluation/comparisons/parts/one_ranking.html": 2,
    "evaluation/comparisons/parts/range.html": 1,
    "evaluation/comparisons/parts/saved_comparison.html": 5,
    "evaluation/comparisons/parts/saved_warnings.html": 3,
    "evaluation/comparisons/parts/two_rankings.html": 1,
    "evaluation/comparisons/parts/verdicts.html": 7,
    "evaluation/start/query_set_copy.html": 1,
    "evaluation/effects/rater_effect.html": 10,
    "evaluation/runs/run_list.html": 2,
    "evaluation/runs/run_upload.html": 4,
    "evaluation/effects/version_difference.html": 8,
    "judgments/people/account.html": 4,
    "judgments/agreement/agreement.html": 51,
    "judgments/pages/archived.html": 1,
    "judgments/agreement/disagreement.html": 16,
    "judgments/content/document.html": 7,
    "judgments/content/documents.html": 4,
    "judgments/agreement/exclusion.html": 5,
    "judgments/files/export.html": 8,
    "judgments/files/import.html": 9,
    "judgments/people/join.html": 1,
    "judgments/overview/list.html": 26,
    "judgments/agreement/list_disagreements.html": 13,
    "judgments/lists/list_form.html": 5,
    "judgments/raters/list_gold.html": 20,
    "judgments/raters/list_raters.html": 23,
    "judgments/lists/list_version.html": 8,
    "judgments/lists/list_versions.html": 10,
    "judgments/lists/lists.html": 2,
    "judgments/log/log.html": 14,
    "judgments/judging/own.html": 8,
    "judgments/agreement/parts/agreement_drift.html": 8,
    "judgments/pages/parts/archived.html": 1,
    "judgments/agreement/parts/chip.html": 1,
    "judgments/content/parts/content_count.html": 1,
    "judgments/content/parts/content_search.html": 6,
    "judgments/pages/parts/content_stale.html": 2,
    "judgments/pages/parts/differences.html": 1,
    "judgments/content/parts/graded_cell.html": 1,
    "judgments/content/parts/history.html": 3,
    "judgments/lists/parts/list_rows.html": 3,
    "judgments/pages/parts/list_tabs.html": 2,
    "judgments/pages/parts/query_set_head.html": 1,
    "judgments/pages/parts/query_set_tabs.html": 1,
    "judgments/lists/parts/scale_rows.html": 2,
    "judgments/lists/parts/version_problems.html": 1,
    "judgments/content/queries.html": 10,
    "judgments/content/query.html": 7,
    "judgments/overview/query_set.html": 8,
    "judgments/files/query_set_export.html": 5,
    "judgments/content/query_set_form.html": 3,
    "judgments/people/query_set_members.html": 11,
    "judgments/content/query_sets.html": 3,
    "judgments/lists/scale.html": 6,
    "judgments/lists/scale_form.html": 3,
    "judgments/files/upload.html": 18,
    "parts/beside.html": 1,
    "parts/breadcrumb.html": 1,
    "parts/ladder.html": 3,
    "parts/ladder_legend.html": 5,
    "parts/messages.html": 2,
    "parts/styles.html": 1,
    "parts/topbar.html": 1,
}


def long_lines() -> dict[str, int]:
    counts = {
        path.relative_to(ROOT / "templates").as_posix(): sum(
            len(line) > LONGEST for line in path.read_text().splitlines()
        )
        for path in TEMPLATES
    }
    return {name: count for name, count in counts.items() if count}


def test_no_template_gets_lines_that_are_longer_than_can_be_read():
    more = {name: count for name, count in long_lines().items() if count > LONG_LINES.get(name, 0)}

    assert more == {}, f"break these lines; at most {LONGEST} characters"


def test_templates_whose_lines_have_been_broken_are_not_excused_any_more():
    assert [name for name in LONG_LINES if name not in long_lines()] == []
