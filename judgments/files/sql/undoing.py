"""Takes the judgments of a batch back, set by set; whatever raters changed since belongs to no batch any more."""

from datetime import datetime

from judgments.base.sql import copy
from judgments.files.sql import judgment_merges
from judgments.models import ANSWER_FIELDS

# An import changes an answer once. “+ 0” keeps the planner from the index on raters: right after an import it doesn't know
# yet how much history a rater has, and would read all of it for each pair.
EARLIER = """
LEFT JOIN judgments_judgmenthistory earlier
  ON earlier.pair_id = judgment.pair_id AND earlier.rater_id + 0 = judgment.rater_id
 AND earlier.action = 'changed' AND earlier.replaced_by_id = %(batch)s
"""
COUNT = f"""
SELECT count(*) FILTER (WHERE earlier.id IS NULL), count(earlier.id)
FROM judgments_judgment judgment {EARLIER}
WHERE judgment.judgment_list_id = %(list)s AND judgment.batch_id = %(batch)s
"""  # noqa: S608 -- nothing but the constant above
# In the shape of the judgments of a file, so that an undo takes its pairs as an import does (judgment_merges).
STAGE_GIVEN = """
CREATE TEMP TABLE staged_given ON COMMIT DROP AS
SELECT judgment.pair_id, pair.query_id, judgment.rater_id
FROM judgments_judgment judgment JOIN judgments_pair pair ON pair.id = judgment.pair_id
WHERE judgment.judgment_list_id = %(list)s AND judgment.batch_id = %(batch)s
"""
# Once more of the pairs that were taken, because raters went on until then.
STAGE_UNDONE = f"""
CREATE TEMP TABLE staged_undone ON COMMIT DROP AS
SELECT judgment.id AS judgment_id, judgment.pair_id, judgment.rater_id, earlier.id AS earlier_id
FROM staged_pair pair JOIN judgments_judgment judgment ON judgment.pair_id = pair.pair_id {EARLIER}
WHERE pair.held = %(held)s AND judgment.batch_id = %(batch)s
"""  # noqa: S608
ANSWERS = ", ".join(ANSWER_FIELDS)
KEEP = f"""
INSERT INTO judgments_judgmenthistory
    (query_set_id, pair_id, rater_id, action, answered_at, replaced_at, batch_id, replaced_by_id, {ANSWERS})
SELECT query_set_id, judgment.pair_id, judgment.rater_id, 'withdrawn', updated_at, %(at)s, batch_id, batch_id, {ANSWERS}
FROM staged_undone undone JOIN judgments_judgment judgment ON judgment.id = undone.judgment_id
"""  # noqa: S608
RESTORE = f"""
UPDATE judgments_judgment judgment
SET {", ".join(f"{name} = earlier.{name}" for name in ANSWER_FIELDS)},
    batch_id = earlier.batch_id, updated_at = earlier.answered_at,
    method = earlier.facts->>'method', device = earlier.facts->>'device',
    active_ms = (earlier.facts->>'active_ms')::int, wall_ms = (earlier.facts->>'wall_ms')::int
FROM staged_undone undone JOIN judgments_judgmenthistory earlier ON earlier.id = undone.earlier_id
WHERE judgment.id = undone.judgment_id
"""  # noqa: S608
WITHDRAW = """
DELETE FROM judgments_judgment judgment USING staged_undone undone
WHERE judgment.id = undone.judgment_id AND undone.earlier_id IS NULL
"""
# What the rater held when the file came is free. Settling takes away what is too many.
OPEN_SLOTS = """
UPDATE judgments_slot slot SET state = 'open', rater_id = NULL, lease_until = to_timestamp(0)
FROM staged_undone undone
WHERE undone.earlier_id IS NULL
  AND slot.pair_id = undone.pair_id AND slot.rater_id = undone.rater_id AND slot.state = 'done'
"""
AWAIT_DRAWN = """
UPDATE judgments_golddraw draw SET answered = false
FROM staged_undone undone
WHERE undone.earlier_id IS NULL AND draw.pair_id = undone.pair_id AND draw.rater_id = undone.rater_id AND draw.answered
"""


def count(*, list_id: int, batch_id: int) -> tuple[int, int]:
    """How many judgments an undo would withdraw, and how many would get their earlier answer back."""
    withdrawn, restored = copy.row(COUNT, list=list_id, batch=batch_id)
    return int(withdrawn), int(restored)


def stage(*, list_id: int, batch_id: int) -> int:
    """Gathers the judgments that the batch still has; how many."""
    copy.drop("staged_given", "staged_pair")
    given = copy.run(STAGE_GIVEN, list=list_id, batch=batch_id)
    judgment_merges.begin_to_take()
    return given


def take_back(*, batch_id: int, at: datetime, with_leases: bool) -> tuple[int, int]:
    """Takes back the judgments of the pairs that were taken last; how many are withdrawn, and how many restored."""
    copy.drop("staged_undone")
    copy.run(STAGE_UNDONE, batch=batch_id, held=with_leases)
    copy.run("ANALYZE staged_undone, staged_pair")
    copy.run(KEEP, at=at)
    restored = copy.run(RESTORE)
    withdrawn = copy.run(WITHDRAW)
    copy.run(OPEN_SLOTS)
    copy.run(AWAIT_DRAWN)
    return withdrawn, restored
