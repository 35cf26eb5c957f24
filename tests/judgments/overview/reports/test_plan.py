"""How long a team takes, and what fits before a deadline. Working days are checked against numpy's calendar."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgments.overview.reports import plan as reports
from judgments.overview.reports.plan import FITS, LATE, TIGHT, Wishes
from tests import factories as make

FRIDAY = datetime(2026, 11, 20, 12, tzinfo=ZoneInfo("UTC"))
DAYS = st.dates(date(2020, 1, 1), date(2040, 1, 1))


def plan(*, missing=0, overlap=1, **changes):
    judgment_list = make.make_list(make.make_query_set(), overlap=overlap)
    usual = {"raters": 4, "hours": 2, "weekends": True, "queries": 500, "documents": 10, "seconds": 36}
    return reports.plan(judgment_list, Wishes(**usual | changes), missing=missing, at=FRIDAY)


@pytest.mark.django_db
def test_the_finish_is_a_range_around_the_pace():
    """5,000 judgments of 36 s are 50 h, at a quarter less and more 40 h and 62.5 h; the team judges 8 h a day."""
    option = plan().current

    assert (option.judgments, option.hours) == (5_000, pytest.approx((40, 62.5)))
    assert option.finish == (date(2026, 11, 25), date(2026, 11, 28))


@pytest.mark.django_db
def test_weekends_are_free_unless_the_plan_says_otherwise():
    assert plan(weekends=False).current.finish == (date(2026, 11, 27), date(2026, 12, 2))


@pytest.mark.django_db
@pytest.mark.parametrize(("day", "verdict"), [(24, LATE), (25, TIGHT), (27, TIGHT), (28, FITS)])
def test_a_deadline_is_met_for_sure_perhaps_or_not(day, verdict):
    answer = plan(deadline=date(2026, 11, day))

    assert answer.current.verdict == verdict
    assert answer.deadline_in_words


@pytest.mark.django_db
def test_documents_that_fit_before_the_deadline():
    """Ten days of 8 h are 288,000 s: 6,400 judgments of 45 s or 10,000 of 28.8 s, less the 400 that the list needs."""
    options = plan(missing=400, deadline=date(2026, 11, 30)).options

    assert [option.overlap for option in options] == [1, 2, 3, 4]
    assert [option.fit for option in options] == [(12, 19), (6, 9), (4, 6), (3, 4)]


@pytest.mark.django_db
def test_fewer_raters_than_a_pair_needs_finish_nothing():
    answer = plan(raters=2, overlap=3)

    assert answer.current is None
    assert answer.in_words == "Each pair needs 3 raters, so 2 raters can’t finish this list."


@pytest.mark.django_db
def test_without_new_documents_the_plan_is_for_what_is_missing():
    answer = plan(documents=0, missing=800, overlap=2)

    assert [(option.overlap, option.judgments) for option in answer.options] == [(2, 800)]
    assert "4 raters finish 800 judgments" in answer.in_words


@pytest.mark.django_db
def test_nothing_to_judge_is_said():
    assert "Nothing is left to judge" in plan(documents=0).in_words


@pytest.mark.django_db
def test_more_than_ten_years_have_no_date():
    answer = plan(raters=1, hours=0.1, queries=1_000_000)

    assert answer.current.finish is None
    assert "more than ten years" in answer.in_words


@pytest.mark.django_db
def test_an_empty_pace_is_that_of_the_forecast():
    answer = plan(seconds=None)

    assert (answer.own_times, answer.seconds) == (False, pytest.approx((20, 35, 61)))
    assert "the times of experts" in answer.pace_in_words


@pytest.mark.django_db
@pytest.mark.parametrize(("overlap", "documents", "is_given"), [(3, 10, True), (2, 10, False), (3, 0, False)])
def test_more_queries_are_advised_where_new_pairs_get_three_raters(overlap, documents, is_given):
    """What it says is tested beside the noise of raters."""
    advice = plan(overlap=overlap, documents=documents, missing=5).advice

    assert ("more queries help more than more raters" in advice) == is_given


@given(DAYS, st.integers(1, 3_000))
def test_the_last_of_some_working_days(today, days):
    expected = np.busday_offset(np.datetime64(today) + 1, days - 1, roll="forward").astype(date)

    assert reports._after(today, days, weekends=False) == expected
    assert reports._after(today, days, weekends=True) == today + timedelta(days=days)


@given(DAYS, st.integers(-20, 4_000))
def test_working_days_until_a_deadline(today, ahead):
    deadline = today + timedelta(days=ahead)
    expected = np.busday_count(np.datetime64(today) + 1, np.datetime64(deadline) + 1) if ahead > 0 else 0

    assert reports._working_days(today, deadline, weekends=False) == expected
    assert reports._working_days(today, deadline, weekends=True) == max(0, ahead)
