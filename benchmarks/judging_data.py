"""A judgment list of any size, made from a seed by COPY, and the accounts of its raters, in an empty database.

Keys are given out in order, so that pair number k belongs to query (k - 1) // documents + 1. Foreign keys are not
looked at while the rows go in (they are right by construction), which makes a million pairs a matter of a minute.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY as BACKEND
from django.contrib.auth import HASH_SESSION_KEY as HASH
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import connection, transaction

from judgments.models import JudgmentList, Membership, QuerySet, Rater, Role, Scale, User

SEED = 20261121
CORPUS = 20_000
WORDS = 4_000
SCALE = "TREC 0–3"
GRADES = (0.0, 1.0, 2.0, 3.0)


@dataclass(frozen=True, slots=True)
class Shape:
    """`judged` queries have all their judgments already, each pair from the same `overlap` raters."""

    queries: int
    documents: int = 20
    overlap: int = 3
    judged: int = 0

    @property
    def pairs(self) -> int:
        return self.queries * self.documents


# Slots of a pair that is judged are done; what stands in the list's counts follows.
PAIRS = """
INSERT INTO judgments_listquery (query_set_id, judgment_list_id, query_id, position, revision, pairs_revision,
                                 pair_count, graded_count, judgment_count, open_count, priority)
SELECT %(set)s, %(list)s, nth, nth, 1, 1, %(documents)s,
       CASE WHEN nth <= %(judged)s THEN %(documents)s ELSE 0 END,
       CASE WHEN nth <= %(judged)s THEN %(documents)s * %(overlap)s ELSE 0 END,
       CASE WHEN nth <= %(judged)s THEN 0 ELSE %(documents)s * %(overlap)s END, 0
FROM generate_series(1, %(queries)s) nth;
INSERT INTO judgments_slot (query_set_id, judgment_list_id, pair_id, query_position, priority, surplus, ordinal,
                            state, rater_id, lease_until)
SELECT %(set)s, %(list)s, pair.id, pair.query_id, 0, false, nth,
       CASE WHEN pair.query_id <= %(judged)s THEN 'done' ELSE 'open' END,
       CASE WHEN pair.query_id <= %(judged)s THEN (%(earlier)s::bigint[])[nth] END, to_timestamp(0)
FROM judgments_pair pair CROSS JOIN generate_series(1, %(overlap)s) nth ORDER BY pair.id, nth;
INSERT INTO judgments_judgment (query_set_id, judgment_list_id, pair_id, rater_id, request_id, value, reason, comment,
                                extra, method, device, created_at, updated_at, active_ms, wall_ms, guidelines_version)
SELECT %(set)s, %(list)s, pair.id, (%(earlier)s::bigint[])[nth], gen_random_uuid(), pair.id %% 4, '', '',
       false, 'key', 'mouse', now(), now(), 3000, 3500, 1
FROM judgments_pair pair CROSS JOIN generate_series(1, %(overlap)s) nth
WHERE pair.query_id <= %(judged)s ORDER BY pair.id, nth;
INSERT INTO judgments_consensusgrade (pair_id, query_set_id, judgment_list_id, query_id, document_id, value, judgments,
                                      undecided)
SELECT pair.id, %(set)s, %(list)s, pair.query_id, pair.document_id, pair.id %% 4, %(overlap)s, false
FROM judgments_pair pair WHERE pair.query_id <= %(judged)s
"""


def migrate() -> None:
    call_command("migrate", interactive=False, verbosity=0)


def make_list(shape: Shape, *, raters: int) -> tuple[JudgmentList, list[User]]:
    """The list, ready to be judged, and its raters."""
    rng = random.Random(SEED)
    with transaction.atomic():
        query_set = QuerySet.objects.create(name="Load")
        judgment_list = JudgmentList.objects.create(
            query_set=query_set,
            name="Load",
            scale=Scale.objects.get(query_set=None, name=SCALE),
            overlap=shape.overlap,
            guidelines="Judge *what the searcher wanted*, not what the words say.",
        )
        users = [_member(query_set, f"rater{nth:02}") for nth in range(1, raters + 1)]
        earlier = [_member(query_set, f"earlier{nth}") for nth in range(1, shape.overlap + 1)]
        keys = [
            Rater.objects.create(query_set=query_set, user=user, name=user.username).pk for user in earlier
        ]
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
        _copy_contents(query_set.pk, shape, rng)
        _copy_pairs(judgment_list, shape, rng)
        values: dict[str, Any] = {"set": query_set.pk, "list": judgment_list.pk, "earlier": keys}
        values |= {name: getattr(shape, name) for name in ("queries", "documents", "overlap", "judged")}
        with connection.cursor() as cursor:
            for statement in PAIRS.split(";"):
                cursor.execute(statement, values)
    _tidy()
    return judgment_list, users


def session_of(user: User) -> str:
    """The cookie of a signed-in browser: signing in is not what is measured."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def _member(query_set: QuerySet, name: str) -> User:
    user = User.objects.create_user(name)
    Membership.objects.create(query_set=query_set, user=user, role=Role.RATER)
    return user


def _copy_contents(query_set_id: int, shape: Shape, rng: random.Random) -> None:
    words = ["".join(rng.choices("aeioubcdfglmnprst", k=rng.randint(3, 9))) for _ in range(WORDS)]

    def text(shortest: int, longest: int) -> str:
        return " ".join(rng.choices(words, k=rng.randint(shortest, longest)))

    queries = (
        (nth, query_set_id, f"q{nth}", text(1, 4), text(8, 20), 1.0, "{}")
        for nth in range(1, shape.queries + 1)
    )
    _copy("judgments_query (id, query_set_id, external_id, text, information_need, weight, tags)", queries)
    documents = (
        (nth, query_set_id, f"d{nth}", text(3, 9), text(60, 160), f"https://example.com/{nth}", "", "{}")
        for nth in range(1, CORPUS + 1)
    )
    _copy("judgments_document (id, query_set_id, external_id, title, body, url, image, fields)", documents)


def _copy_pairs(judgment_list: JudgmentList, shape: Shape, rng: random.Random) -> None:
    common = judgment_list.query_set_id, judgment_list.pk

    def rows() -> Iterator[tuple[int, ...]]:
        for query in range(1, shape.queries + 1):
            first, step = rng.randrange(CORPUS), 2 * rng.randrange(1, 900) + 1  # distinct documents
            for nth in range(shape.documents):
                number = (query - 1) * shape.documents + nth + 1
                yield number, *common, query, (first + nth * step) % CORPUS + 1, 0

    _copy("judgments_pair (id, query_set_id, judgment_list_id, query_id, document_id, priority)", rows())


def _copy(table: str, rows: Iterator[tuple[object, ...]]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _tidy() -> None:
    """Sequences past the keys that were given out, and statistics as autovacuum would have made them."""
    with connection.cursor() as cursor:
        for table in ("query", "document", "pair"):
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('judgments_{table}', 'id'), max(id)) FROM judgments_{table}"  # noqa: S608
            )
        cursor.execute("VACUUM (ANALYZE)")
        cursor.execute("CHECKPOINT")
