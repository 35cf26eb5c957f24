"""Answers that raters changed or withdrew, the newest first, with the answers that replaced them. For the log."""

from dataclasses import dataclass
from datetime import datetime

from judgments.base.sql import copy

NEWEST = 2**63 - 1

# Reads at most the newest `most` answers of each rater, with the index on rater and key. A page never reads the whole
# history of a query set: an import may change 100,000 answers at once, all of one rater.
NAME = "coalesce(nullif(btrim(concat(account.first_name, ' ', account.last_name)), ''), account.username, rater.name)"
LATEST = f"""
SELECT latest.*, {NAME} AS rater_name
FROM judgments_rater rater
LEFT JOIN judgments_user account ON account.id = rater.user_id
CROSS JOIN LATERAL (
    SELECT history.id, history.replaced_at, history.answered_at, history.action, history.value, history.reason,
        history.comment, history.rater_id, history.pair_id,
        history.replaced_by_id IS NOT NULL AS by_import, pair.judgment_list_id, pair.query_id, pair.document_id
    FROM judgments_judgmenthistory history
    JOIN judgments_pair pair ON pair.id = history.pair_id
    WHERE history.rater_id = rater.id AND history.id < %(before)s
      AND (%(list)s::bigint IS NULL OR pair.judgment_list_id = %(list)s)
      AND (%(since)s::timestamptz IS NULL OR history.replaced_at >= %(since)s)
      AND (%(until)s::timestamptz IS NULL OR history.replaced_at < %(until)s)
      AND (%(text)s = '' OR EXISTS (
          SELECT FROM judgments_query query, judgments_document document
          WHERE query.id = pair.query_id AND document.id = pair.document_id
            AND (query.text ILIKE %(text)s OR document.title ILIKE %(text)s OR document.external_id ILIKE %(text)s)
      ))
    ORDER BY history.id DESC LIMIT %(most)s
) latest
WHERE rater.query_set_id = %(query_set)s AND (%(person)s = '' OR {NAME} ILIKE %(person)s)
ORDER BY latest.id DESC LIMIT %(most)s
"""  # noqa: S608
# An answer was replaced by the rater's next answer to the same pair. A withdrawn answer was only replaced if the next one
# is from the same moment (restored); a later answer is a new one.
CHANGES = f"""
SELECT change.id, change.replaced_at, change.rater_name, change.action = 'withdrawn' AS withdrawn,
    change.action = 'withdrawn' AND change.by_import AS undone,
    change.judgment_list_id, change.query_id, change.document_id,
    left(query.text, %(length)s), coalesce(nullif(left(document.title, %(length)s), ''), document.external_id),
    change.value, change.reason, change.comment, following.present IS NOT NULL, following.value,
    coalesce(following.reason, ''), coalesce(following.comment, '')
FROM ({LATEST}) change
JOIN judgments_query query ON query.id = change.query_id
JOIN judgments_document document ON document.id = change.document_id
LEFT JOIN LATERAL (
    SELECT true AS present, answer.* FROM (
        SELECT later.id, later.value, later.reason, later.comment, later.answered_at AS at
        FROM judgments_judgmenthistory later
        WHERE later.pair_id = change.pair_id AND later.rater_id = change.rater_id AND later.id > change.id
        UNION ALL
        SELECT {NEWEST}, judgment.value, judgment.reason, judgment.comment, judgment.updated_at
        FROM judgments_judgment judgment
        WHERE judgment.pair_id = change.pair_id AND judgment.rater_id = change.rater_id
    ) answer ORDER BY answer.id LIMIT 1
) following ON change.action = 'changed' OR following.at <= greatest(change.replaced_at, change.answered_at)
ORDER BY change.id DESC
"""  # noqa: S608
TEXT_LENGTH = 140


@dataclass(frozen=True, slots=True)
class Change:
    """An answer that was changed or withdrawn, and the one that replaced it, if any (`has_new`).

    `undone`: an import had given it, and was undone.
    """

    id: int
    at: datetime
    rater: str
    withdrawn: bool
    undone: bool
    list_id: int
    query_id: int
    document_id: int
    query: str
    document: str
    value: float | None
    reason: str
    comment: str
    has_new: bool
    new_value: float | None
    new_reason: str
    new_comment: str

    @property
    def is_same(self) -> bool:
        """Whether the new answer is the earlier one, apart from the passages and how sure the rater was, which aren't shown."""
        new = (self.new_value, self.new_reason, self.new_comment)
        return self.has_new and new == (self.value, self.reason, self.comment)


def changes(
    *,
    query_set_id: int,
    list_id: int | None,
    before: int,
    most: int,
    since: datetime | None = None,
    until: datetime | None = None,
    person: str = "",
    text: str = "",
) -> list[Change]:
    """The newest `most` with a key below `before`. Searches for `person` in names, and `text` in queries and documents."""
    rows = copy.rows(
        CHANGES,
        query_set=query_set_id,
        list=list_id,
        before=before,
        most=most,
        since=since,
        until=until,
        person=_within(person),
        text=_within(text),
        length=TEXT_LENGTH,
    )
    return [Change(*row) for row in rows]


def _within(text: str) -> str:
    """A LIKE pattern that matches this text anywhere; empty stays empty."""
    pattern = text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{pattern}%" if text else ""
