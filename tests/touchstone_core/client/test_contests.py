"""Judging that goes on until it is decided, by the client."""

import pytest

from tests.touchstone_core.client.test_site import scene
from touchstone_core.client import InvalidError

__all__ = ["scene"]


def test_it_is_started_listed_and_stopped(site, scene):
    query_set, main, base, _ = scene
    other = site.upload(query_set, {"q1": {"x": 2.0, "a": 1.0}, "q2": {"y": 1.0}}, name="other").run

    contest = site.start_contest(main, runs=[base, other], depth=3, judgments=2, budget=4)

    assert (contest.baseline, contest.run, contest.judgments_requested, contest.outcome) == (
        base.id,
        other.id,
        2,
        "",
    )
    assert (contest.standing.waiting, contest.standing.decided) == (2, False)
    with pytest.raises(InvalidError, match="already being added to this list"):
        site.start_contest(main, runs=[base, other])
    stopped = site.stop_contest(contest)
    assert (stopped.outcome, stopped.ended_at is not None) == ("stopped", True)
    assert [one.id for one in site.contests(main)] == [contest.id]
