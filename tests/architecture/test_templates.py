"""Lines of templates that a person can read."""

from tests.architecture.test_rules import ROOT

LONGEST = 140
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))

# How many longer lines are left in templates from before the limit.
LONG_LINES = {
    "base.html": 1,
    "django/forms/field.html": 4,
    "evaluation/comparisons/compared_queries.html": 7,
    "evaluation/comparisons/compared_query.html": 7,
    "evaluation/comparisons/compared_refused.html": 1,
    "evaluation/comparisons/comparison.html": 2,
    "evaluation/comparisons/comparison_edit.html": 1,
    "evaluation/comparisons/comparison_settings.html": 2,
    "evaluation/comparisons/comparisons.html": 5,
    "evaluation/comparisons/intents.html": 3,
    "evaluation/comparisons/parts/being_compared.html": 2,
    "evaluation/comparisons/parts/chart_save.html": 1,
    "evaluation/comparisons/parts/compared_change.html": 3,
    "evaluation/comparisons/parts/compared_charts.html": 5,
    "evaluation/comparisons/parts/compared_choices.html": 2,
    "evaluation/comparisons/parts/compared_closed.html": 1,
    "evaluation/comparisons/parts/compared_opened.html": 1,
    "evaluation/comparisons/parts/compared_pool.html": 4,
    "evaluation/comparisons/parts/compared_rows.html": 4,
    "evaluation/comparisons/parts/compared_runs.html": 4,
    "evaluation/comparisons/parts/compared_values.html": 2,
    "evaluation/comparisons/parts/explained.html": 4,
    "evaluation/comparisons/parts/intent.html": 8,
    "evaluation/comparisons/parts/intent_counts.html": 2,
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
