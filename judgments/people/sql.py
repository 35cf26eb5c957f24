"""Statements about accounts."""

from datetime import datetime

from judgments.base.sql import copy

COUNT_CALL = """
INSERT INTO judgments_apiuse AS used (user_id, since, count) VALUES (%(user)s, %(at)s, 1)
ON CONFLICT (user_id) DO UPDATE SET
    since = CASE WHEN used.since <= %(at)s - interval '1 minute' THEN excluded.since ELSE used.since END,
    count = CASE WHEN used.since <= %(at)s - interval '1 minute' THEN 1 ELSE used.count + 1 END
RETURNING since, count
"""
"""Counts a call of an account, whose minute begins with the first call after the minute before."""

TRY_LOCK_CALL = "SELECT pg_try_advisory_xact_lock(hashtextextended('touchstone call ' || %(key)s, %(user)s))"

NAMES_OF = "SELECT name, shared FROM touchstone_names_of(%(user)s) ORDER BY name"
LINE_COUNT = """
SELECT (
    SELECT count(*) FROM judgments_act WHERE by_id = %(user)s AND by_name NOT IN ('', 'erased-' || %(user)s)
) + (
    SELECT count(*) FROM touchstone_lines_about(%(user)s) about JOIN judgments_act act ON act.id = about.id
    WHERE act.by_id IS DISTINCT FROM %(user)s OR act.by_name IN ('', 'erased-' || %(user)s)
)
"""
"""As many as `touchstone_lines_naming` gives. Those of the account itself, which may be many, are counted by an index alone."""
LINES_ABOUT = """
SELECT act.at, act.verb, act.subject
FROM touchstone_lines_about(%(user)s) about JOIN judgments_act act ON act.id = about.id
WHERE act.by_id IS DISTINCT FROM %(user)s
ORDER BY act.id
"""
ERASE = "SELECT touchstone_erase_person(%(user)s, %(actor)s, %(comments)s)"
END_SESSIONS = """
DELETE FROM django_session USING judgments_signin signin
WHERE signin.user_id = %(user)s AND encode(sha256(convert_to(session_key, 'UTF8')), 'hex') = signin.session
"""


def names_of(user_id: int) -> dict[str, bool]:
    """Every name that this account has or had, as far as the log tells, and whether another account has it, too."""
    return dict(copy.rows(NAMES_OF, user=user_id))


def lines_naming(user_id: int) -> int:
    """How many lines of the log name this account. Indexes find them, however long the log is."""
    return int(copy.value(LINE_COUNT, user=user_id))


def lines_about(user_id: int) -> list[tuple[datetime, str, str]]:
    """When others did what to this account, as verb and subject, without who did it."""
    return copy.rows(LINES_ABOUT, user=user_id)


def erase_person(user_id: int, actor_id: int | None, *, comments: bool) -> None:
    """Replaces the names in the log and in versions, and blanks `comments`. Logs that it did (migration 0031)."""
    copy.run(ERASE, user=user_id, actor=actor_id, comments=comments)


def end_sessions(user_id: int) -> None:
    """Deletes the stored sessions of this account that are on its list."""
    copy.run(END_SESSIONS, user=user_id)


def count_call(user_id: int, at: datetime) -> tuple[datetime, int]:
    """When the account's current minute began, and how many calls it has seen."""
    since, count = copy.row(COUNT_CALL, user=user_id, at=at)
    return since, count


def try_lock_call(user_id: int, key: str) -> bool:
    """Whether nobody else answers a call under this key, of which this transaction keeps others until it ends."""
    return bool(copy.value(TRY_LOCK_CALL, user=user_id, key=key))
