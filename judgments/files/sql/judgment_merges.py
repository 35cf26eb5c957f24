"""Staged judgments to rows: queries, documents and pairs that are missing, then the judgments, set by set."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from judgments.base.sql import copy
from judgments.files.sql.judgment_imports import DIFFERS, FIND_DOCUMENTS, HAS_ANSWER
from judgments.lists.sql import pairs, required_slots
from touchstone_core.formats.judgments.judgments import SELECTIONS

CHUNK = 20_000
_SELECTIONS: Final = list(reversed(SELECTIONS))  # the one that asks for most care has the highest place

FIND_QUERIES = """
UPDATE staged_judgment s SET query_id = q.id
FROM judgments_query q WHERE q.query_set_id = %(query_set)s AND q.external_id = s.external_id AND s.query_id IS NULL
"""
ADD_QUERIES = """
INSERT INTO judgments_query (query_set_id, external_id, text, information_need, weight, tags)
SELECT %(query_set)s, external_id, coalesce(nullif(min(query_text), ''), min(query)),
       coalesce(min(information_need), ''), 1, '{}'
FROM staged_judgment WHERE query_id IS NULL GROUP BY external_id ORDER BY min(ordinal) ON CONFLICT DO NOTHING
"""
ADD_LONELY_QUERIES = """
INSERT INTO judgments_query (query_set_id, external_id, text, information_need, weight, tags)
SELECT %(query_set)s, id, text, need, 1, '{}'
FROM unnest(%(ids)s::text[], %(texts)s::text[], %(needs)s::text[]) WITH ORDINALITY AS lonely(id, text, need, place)
ORDER BY place ON CONFLICT DO NOTHING
"""
ADD_DOCUMENTS = """
INSERT INTO judgments_document (query_set_id, external_id, title, body, url, image, fields)
SELECT %(query_set)s, document, '', '', '', '', '{}' FROM staged_judgment WHERE document_id IS NULL
GROUP BY document ORDER BY min(ordinal) ON CONFLICT DO NOTHING
"""
# From here on statistics that are older than the import lead the planner astray: 45 s instead of half a second.
SOME_THOUSANDS = "SELECT FROM staged_judgment OFFSET 5000 LIMIT 1"
BRING_IN_PAIRS = """
INSERT INTO touchstone_incoming_pair (query_id, document_id, part)
SELECT query_id, document_id, coalesce(array_position(%(selections)s::text[], selection::text), 0)
FROM staged_judgment WHERE pair_id IS NULL ORDER BY ordinal
"""
# Where lines of a pair differ, the same one counts for its part and here: the one that asks for more care.
SELECTED_KEYS = """
SELECT selection, min(pair_id), max(pair_id), count(*)
FROM (
    SELECT given.pair_id, max(array_position(%(selections)s::text[], s.selection::text)) AS part
    FROM staged_judgment s JOIN staged_given given USING (ordinal)
    JOIN touchstone_added_pair added ON added.pair_id = given.pair_id
    WHERE s.selection <> '' GROUP BY given.pair_id
) selected
JOIN unnest(%(selections)s::text[]) WITH ORDINALITY AS named (selection, place) ON named.place = selected.part
GROUP BY selection ORDER BY min(pair_id)
"""
# What is left of the lines, once every pair and rater has a key.
STAGE_GIVEN = """
CREATE TEMP TABLE staged_given ON COMMIT DROP AS
SELECT s.ordinal, pair.id AS pair_id, pair.query_id, rater.id AS rater_id,
       s.value, s.reason, s.comment, s.judged_at, s.active_ms
FROM staged_judgment s
JOIN judgments_pair pair
  ON pair.judgment_list_id = %(list)s AND pair.query_id = s.query_id AND pair.document_id = s.document_id
LEFT JOIN staged_rater rater ON rater.name = s.rater
"""
STAGE_PAIRS = """
CREATE TEMP TABLE staged_pair (pair_id bigint PRIMARY KEY, held boolean NOT NULL) ON COMMIT DROP
"""
# Nobody else sees them until the end.
TAKE_NEW_PAIRS = "INSERT INTO staged_pair SELECT pair_id, false FROM touchstone_added_pair"
# Raters answer pairs that they hold, so hardly anybody misses the others; locked, they stay as they are.
TAKE_FREE_PAIRS = """
INSERT INTO staged_pair
SELECT pair.id, false FROM judgments_pair pair
WHERE pair.id IN (SELECT pair_id FROM staged_given EXCEPT SELECT pair_id FROM staged_pair)
  AND NOT EXISTS (
      SELECT FROM judgments_slot slot
      WHERE slot.pair_id = pair.id AND slot.state = 'open' AND slot.lease_until > %(at)s
  )
FOR NO KEY UPDATE OF pair SKIP LOCKED
"""
TAKE_OTHER_PAIRS = """
INSERT INTO staged_pair SELECT DISTINCT pair_id, true FROM staged_given ON CONFLICT (pair_id) DO NOTHING
"""
STAGE_ANSWERS = f"""
CREATE TEMP TABLE staged_answer ON COMMIT DROP AS
SELECT s.* FROM staged_given s JOIN staged_pair pair USING (pair_id) WHERE pair.held = %(held)s AND {HAS_ANSWER}
"""  # noqa: S608 -- nothing but the condition
NEXT_PAIRS = """
SELECT pair_id FROM staged_pair WHERE pair_id > %(after)s AND held = %(held)s ORDER BY pair_id LIMIT %(most)s
"""
TELL_QUERIES = """
UPDATE judgments_listquery SET judgments_revision = judgments_revision + 1
WHERE judgment_list_id = %(list)s AND query_id = ANY(%(queries)s::bigint[])
"""
QUERIES = "SELECT coalesce(array_agg(DISTINCT query_id), '{}') FROM staged_given"
# Foreign keys are looked at when a transaction ends, which for a million rows takes seconds.
LOOK_AT_KEYS = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED"
KEEP_EARLIER = f"""
INSERT INTO judgments_judgmenthistory
    (query_set_id, pair_id, rater_id, action, answered_at, replaced_at,
     value, reason, comment, evidence, confidence, view, place, batch_id, replaced_by_id, facts)
SELECT j.query_set_id, j.pair_id, j.rater_id, 'changed', j.updated_at, %(at)s,
       j.value, j.reason, j.comment, j.evidence, j.confidence, j.view, j.place, j.batch_id, %(batch)s,
       jsonb_build_object('method', j.method, 'device', j.device, 'active_ms', j.active_ms, 'wall_ms', j.wall_ms)
FROM staged_answer s JOIN judgments_judgment j ON j.pair_id = s.pair_id AND j.rater_id = s.rater_id
WHERE {DIFFERS}
"""  # noqa: S608 -- nothing but the condition
# What was said beside the earlier answer, and how it was given, is not said of the new one.
CHANGE = f"""
UPDATE judgments_judgment j
SET value = s.value, reason = s.reason, comment = coalesce(s.comment, j.comment), method = 'import',
    updated_at = greatest(coalesce(s.judged_at, %(at)s), j.updated_at), active_ms = s.active_ms,
    evidence = '[]', confidence = NULL, view = '', place = NULL, wall_ms = NULL, device = '', batch_id = %(batch)s
FROM staged_answer s
WHERE j.pair_id = s.pair_id AND j.rater_id = s.rater_id AND {DIFFERS}
"""  # noqa: S608
EXCLUDED_RATERS = """
ANY (ARRAY(SELECT rater_id FROM judgments_exclusion WHERE judgment_list_id = %(list)s AND lifted_at IS NULL))
"""
# A judgment beyond the overlap is kept and marked, as on the rating screen; so is each of an excluded rater, and those of
# others are counted without them. Counted pair by pair: the planner takes a file of new judgments for a single one, and would
# pass over all counts for each.
ADD = f"""
INSERT INTO judgments_judgment (query_set_id, judgment_list_id, pair_id, rater_id, value, reason, comment, extra,
                                created_at, updated_at, active_ms, method, device, guidelines_version, batch_id)
SELECT %(query_set)s, %(list)s, s.pair_id, s.rater_id, s.value, s.reason, coalesce(s.comment, ''),
       s.rater_id = {EXCLUDED_RATERS}
       OR row_number() OVER (PARTITION BY s.pair_id ORDER BY s.rater_id = {EXCLUDED_RATERS}, s.ordinal)
          + stored.judgments > %(overlap)s,
       coalesce(s.judged_at, %(at)s), coalesce(s.judged_at, %(at)s), s.active_ms, 'import', '', %(guidelines)s,
       %(batch)s
FROM staged_answer s
CROSS JOIN LATERAL (
    SELECT count(*) AS judgments FROM judgments_countingjudgment j WHERE j.pair_id = s.pair_id AND j.gold = ''
) stored
WHERE NOT EXISTS (SELECT FROM judgments_judgment j WHERE j.pair_id = s.pair_id AND j.rater_id = s.rater_id)
ORDER BY s.ordinal
"""  # noqa: S608 -- nothing but the condition above
# A slot that the rater held for a pair that the file judges is used up. What an excluded rater held is for others, who judge
# in that rater's stead; settling takes away what is too many.
USE_HELD_SLOTS = f"""
UPDATE judgments_slot slot
SET surplus = false, state = CASE WHEN held.excluded THEN 'open' ELSE 'done' END,
    rater_id = CASE WHEN NOT held.excluded THEN held.rater_id END,
    lease_until = CASE WHEN held.excluded THEN %(at)s ELSE to_timestamp(0) END
FROM (SELECT s.pair_id, s.rater_id, s.rater_id = {EXCLUDED_RATERS} AS excluded FROM staged_answer s) held
WHERE slot.pair_id = held.pair_id AND slot.rater_id = held.rater_id AND slot.state = 'open'
"""  # noqa: S608
# A gold pair that waits for the rater, and that the file judges, is not waited for any more.
ANSWER_DRAWN = """
UPDATE judgments_golddraw draw SET answered = true
FROM staged_answer s WHERE draw.pair_id = s.pair_id AND draw.rater_id = s.rater_id AND NOT draw.answered
"""
COUNT_OWN = """
INSERT INTO judgments_raterqueue (judgment_list_id, rater_id, seed, query_position, judgment_count, guidelines_seen)
SELECT %(list)s, rater.id, hashtextextended('queue ' || %(list)s, rater.id), 0, count(j.id), 0
FROM judgments_rater rater
LEFT JOIN judgments_realjudgment j ON j.rater_id = rater.id AND j.judgment_list_id = %(list)s
WHERE rater.user_id IS NOT NULL AND rater.id IN (SELECT rater_id FROM staged_given)
GROUP BY rater.id
ON CONFLICT (judgment_list_id, rater_id) DO UPDATE SET judgment_count = excluded.judgment_count
"""


def add_missing(query_set_id: int) -> None:
    """Makes the queries and documents that the file names and the query set lacks.

    What an import that was waited for has made since the file was read, or somebody by page, is there and is taken as it is.
    """
    copy.run(ADD_QUERIES, query_set=query_set_id)
    copy.run(ADD_DOCUMENTS, query_set=query_set_id)
    copy.run(FIND_QUERIES, query_set=query_set_id)
    copy.run(FIND_DOCUMENTS, query_set=query_set_id)


def add_lonely_queries(query_set_id: int, queries: Mapping[str, tuple[str, str]]) -> None:
    """Makes queries that the file names without a document, as far as they are missing: texts and information needs by ID."""
    if queries:
        texts, needs = (list(column) for column in zip(*queries.values(), strict=True))
        copy.run(ADD_LONELY_QUERIES, query_set=query_set_id, ids=list(queries), texts=texts, needs=needs)


def add_pairs(query_set_id: int, list_id: int, priority: int) -> list[int]:
    """Makes the pairs that the list lacks, without slots: settling gives them as many as are wanted.

    The queries that are to be put in order anew, with `finish`.
    """
    pairs.bring_in([])
    copy.run(BRING_IN_PAIRS, selections=_SELECTIONS)
    copy.run("ANALYZE touchstone_incoming_pair")
    queries = pairs.incoming_queries() if priority else []
    pairs.add_incoming(query_set_id=query_set_id, list_id=list_id, overlap=0, priority=priority)
    return queries


class SelectedPairs(NamedTuple):
    """The pairs that were selected in one way: the keys of the first and the last one, and how many there are."""

    selection: str
    first: int
    last: int
    pairs: int


def selected_pairs() -> list[SelectedPairs]:
    """Of the pairs of `add_pairs` those of which the file says how they were selected to decide between two runs.

    After `stage_answers`, which knows their keys.
    """
    return [SelectedPairs(*row) for row in copy.rows(SELECTED_KEYS, selections=_SELECTIONS)]


def stage_answers(list_id: int) -> int:
    """Gathers what the file says of which pair, all of which exist by now; the number of pairs."""
    if copy.rows(SOME_THOUSANDS):
        copy.analyze("judgments_pair", "judgments_listquery")
    copy.drop("staged_given", "staged_pair")
    copy.run(STAGE_GIVEN, list=list_id)
    begin_to_take()
    return count_given()


def begin_to_take() -> None:
    """Makes room for the pairs of the gathered judgments, none of which is taken yet."""
    copy.run(STAGE_PAIRS)
    copy.run("ANALYZE staged_given")


def count_given() -> int:
    """The number of pairs of the gathered judgments."""
    return int(copy.value("SELECT count(DISTINCT pair_id) FROM staged_given"))


def take_pairs(*, with_leases: bool, at: datetime) -> int:
    """Takes the pairs that no rater holds, and keeps raters from them, without waiting; or the rest. How many there are."""
    return copy.run(TAKE_OTHER_PAIRS) if with_leases else copy.run(TAKE_FREE_PAIRS, at=at)


def take_new_pairs() -> int:
    """Takes the pairs that this import made, before `take_pairs`; how many there are."""
    return copy.run(TAKE_NEW_PAIRS)


def look_at_keys() -> None:
    """Checks the foreign keys of all that was written so far, which the end of the transaction would do with the list locked."""
    copy.run(LOOK_AT_KEYS)


def merge(
    *,
    query_set_id: int,
    list_id: int,
    batch_id: int,
    overlap: int,
    guidelines: int,
    at: datetime,
    with_leases: bool,
) -> int:
    """Writes the staged judgments of the pairs that were taken last (`held` by raters, or not); how many."""
    copy.drop("staged_answer")
    copy.run(STAGE_ANSWERS, held=with_leases)
    copy.run("ANALYZE staged_answer, staged_pair")
    copy.run(KEEP_EARLIER, at=at, batch=batch_id)
    written = copy.run(CHANGE, at=at, batch=batch_id)
    written += copy.run(
        ADD,
        query_set=query_set_id,
        list=list_id,
        overlap=overlap,
        guidelines=guidelines,
        at=at,
        batch=batch_id,
    )
    if copy.rows("SELECT FROM staged_answer OFFSET 5000 LIMIT 1"):
        copy.analyze("judgments_judgment")
    copy.run(USE_HELD_SLOTS, list=list_id, at=at)
    copy.run(ANSWER_DRAWN)
    return written


def pair_chunks(*, with_leases: bool) -> Iterator[list[int]]:
    """The keys of the pairs that were taken, some thousands at a time, those of a query together."""
    after = 0
    while chunk := [key for (key,) in copy.rows(NEXT_PAIRS, after=after, held=with_leases, most=CHUNK)]:
        yield chunk
        after = chunk[-1]


def finish(list_id: int, query_order: list[int]) -> None:
    """Writes the rows that every rater needs: of queries, their order among them, and of raters."""
    pairs.count_added(list_id=list_id, overlap=0)
    if query_order:
        pairs.order_queries(list_id=list_id, query_ids=query_order)
    recount(list_id)


def recount(list_id: int) -> None:
    """Counts anew for the queries and raters of the gathered judgments."""
    query_ids = copy.value(QUERIES)
    required_slots.recount_queries(list_id=list_id, query_ids=query_ids)
    copy.run(TELL_QUERIES, list=list_id, queries=query_ids)
    copy.run(COUNT_OWN, list=list_id)
