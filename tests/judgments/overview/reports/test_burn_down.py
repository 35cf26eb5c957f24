"""What was still required on each day, counted back from today."""

import re
from datetime import date, timedelta

import numpy as np
import pytest

from judgments.overview.reports.burn_down import burn_down
from judgments.overview.sql import MOST, Daily

TODAY = date(2026, 11, 20)


def days_ago(number):
    return TODAY - timedelta(days=number)


def activity(*counts, rater=1):
    """The last count is today's."""
    days = [days_ago(len(counts) - 1 - at) for at in range(len(counts))]
    return [Daily(rater, day, count, count) for day, count in zip(days, counts, strict=True) if count]


def test_the_judgments_of_later_days_were_still_required():
    days = burn_down(activity(5, 0, 3, 2), missing=10, today=TODAY).days

    assert [(day.judgments, day.left) for day in days] == [(5, 15), (0, 15), (3, 12), (2, 10)]
    assert [days[0].day, days[-1].day] == [days_ago(3), TODAY]


def test_raters_are_added_up():
    both = activity(1, 1) + activity(2, 0, rater=2)

    assert [day.judgments for day in burn_down(both, missing=1, today=TODAY).days] == [3, 1]


def test_a_finished_list_and_one_where_nobody_judged_have_none():
    assert burn_down(activity(5), missing=0, today=TODAY) is None
    assert burn_down([], missing=9, today=TODAY) is None


def test_on_the_first_day_there_is_no_line_yet():
    assert burn_down(activity(5), missing=9, today=TODAY) is None
    assert burn_down(activity(MOST), missing=9, today=TODAY) is None
    assert burn_down(activity(5, 0), missing=9, today=TODAY) is not None


def test_days_are_left_out_where_the_activity_of_a_busy_rater_is_cut():
    busy = activity(MOST - 10, 10, 0, rater=2)

    days = burn_down([*activity(1, 1, 1, 1), *busy], missing=9, today=TODAY).days

    assert days[0].day == days_ago(1)


def test_only_required_judgments_are_counted_back():
    """One rater was left out, and a fifth of the other's answers are to gold pairs."""
    excluded = [Daily(2, one.day, 400, 0) for one in activity(*[400] * 8)]
    gold = [Daily(1, one.day, one.judgments, 8) for one in activity(*[10] * 8)]

    report = burn_down([*gold, *excluded], missing=20, today=TODAY)

    assert [day.left for day in report.days] == [76, 68, 60, 52, 44, 36, 28, 20]
    assert report.rhythm.mean == 8
    assert burn_down(excluded, missing=20, today=TODAY) is None


def test_judgments_that_are_added_where_grades_differ_are_mentioned():
    words = "Judgments that are added where grades differ aren’t included."
    steady = activity(*[10] * 8, 0)

    assert burn_down(steady, missing=25, today=TODAY, is_adaptive=True).in_words.endswith(words)
    assert words not in burn_down(steady, missing=25, today=TODAY).in_words
    assert words not in burn_down(activity(4, 4), missing=25, today=TODAY, is_adaptive=True).in_words


def test_the_range_has_two_days_even_at_a_steady_pace():
    chart = burn_down(activity(*[10] * 8, 0), missing=25, today=TODAY)

    assert chart.finish == (days_ago(-2), days_ago(-3))
    assert "between Sun, Nov 22 and Mon, Nov 23" in chart.in_words


def test_minutes_of_work_have_no_days():
    few = activity(1, 3, 2, 1, 2, 3, 2, 0)

    assert burn_down(few, missing=6, today=TODAY).finish is not None
    sparse = burn_down(few, missing=6, today=TODAY, hours=0.02)
    assert sparse.finish is None
    assert "only minutes a day" in sparse.in_words
    assert sparse.chart.expected == sparse.chart.fan == ""
    # At two a day, six take three days: a quarter of an hour on each is enough.
    assert burn_down(few, missing=6, today=TODAY, hours=0.75).finish is not None
    assert burn_down(few, missing=6, today=TODAY, hours=0.74).finish is None
    # One day is enough at a steady pace, but not surely at another one.
    assert burn_down(activity(*[6] * 8, 0), missing=6, today=TODAY, hours=0.02).finish is not None
    assert burn_down(activity(1, 9, 2, 10, 6, 8, 6, 0), missing=6, today=TODAY, hours=0.02).finish is None
    # Without a week there is no forecast, and nothing to say of it.
    assert not burn_down(activity(1, 3), missing=6, today=TODAY, hours=0.02).is_sparse


def test_today_is_no_day_of_the_pace():
    assert burn_down(activity(*[10] * 7, 3), missing=25, today=TODAY).rhythm.mean == 10


def test_without_a_week_there_is_a_line_and_no_forecast():
    report = burn_down(activity(4, 4, 4), missing=9, today=TODAY)

    assert (report.finish, report.chart.fan, report.chart.today) == (None, "", "100.0")
    assert "needs a week" in report.in_words


def test_an_uneven_pace_has_a_first_day_only():
    report = burn_down(activity(70, 0, 0, 0, 0, 0, 70, 0), missing=500, today=TODAY)

    assert report.finish[1] is None
    assert "isn’t finished before" in report.in_words


def test_what_takes_more_than_a_year_has_no_day():
    report = burn_down(activity(*[1] * 8), missing=5_000, today=TODAY)

    assert report.finish is None
    assert "more than a year" in report.in_words


def test_the_chart_stays_in_its_square():
    for counts, missing in (
        ([20, 1, 30, 4, 15, 0, 9, 8], 40),
        ([70, 0, 0, 0, 0, 0, 70, 0], 500),
        ([1, 0], 1),
    ):
        chart = burn_down(activity(*counts), missing=missing, today=TODAY).chart
        points = [float(one) for one in re.findall(r"-?[\d.]+", f"{chart.line} {chart.expected} {chart.fan}")]
        assert min(points) >= 0
        assert max(points) <= 100


@pytest.mark.parametrize("share", [0, 0.5, 1, None])
@pytest.mark.parametrize("most", [1, 120])
def test_the_range_holds_the_true_day_at_any_time_of_today(share, most):
    """In nine of ten cases, of which `share` of today's work is done, or a random one; from a tenth of a day's work left on."""
    rng, held, count = np.random.default_rng(5), 0, 300
    for _ in range(count):
        mean = np.exp(rng.uniform(np.log(20), np.log(500)))
        counts = rng.poisson(rng.gamma(4, np.full(14 + 200, mean) / 4)).tolist()
        done = round(counts[14] * (rng.uniform() if share is None else share))
        missing = max(1, int(mean * np.exp(rng.uniform(np.log(0.1), np.log(most)))))
        further = np.array([counts[14] - done, *counts[15:]])
        true = TODAY + timedelta(days=int(np.searchsorted(further.cumsum(), missing)))
        first, last = burn_down(activity(*counts[:14], done), missing=missing, today=TODAY).finish
        held += first <= true and (last is None or true <= last)
    assert held / count >= 0.9
