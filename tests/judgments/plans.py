"""What PostgreSQL says of a plan."""

import json


def plan_of(cursor):
    """The plan that `EXPLAIN (FORMAT JSON)` has just told."""
    (plan,) = cursor.fetchone()
    return (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
