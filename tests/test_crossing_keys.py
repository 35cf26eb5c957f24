"""Keys of one query set, sent to the addresses of another: they are worth as much as keys of nothing.

Whoever asks is a member of query set A, and knows keys of B. Every key in a path, in an address and in a form is sent
once as one of B and once as one that nothing has; the answers must be the same, and nothing of B may change.
"""

import re
from contextlib import contextmanager
from itertools import pairwise
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest
from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.http import QueryDict
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from judgments.judging.actions import judging, queue
from judgments.lists.actions.pairs import add_pairs
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act, Assignment, Draft, Judgment, Membership, Upload
from tests import factories as make
from tests.sweeps import SHARES, draw_addresses

pytestmark = pytest.mark.django_db

NOTHING, NO_UPLOAD = 8_999_999, UUID(int=8_999_999)

# What a parameter is a key of, by its name: every kind that it is a key of in some address.
KEYS = {
    "after": ("query", "document", "pair"),
    "before": ("query", "document", "judgment", "act"),
    **dict.fromkeys(("added", "earlier"), ("act",)),
    "last": ("query", "document", "pair"),
    "choice": ("formula",),
    **dict.fromkeys(("discard", "kept", "leave_out", "remove"), ("upload",)),
    **dict.fromkeys(("have", "pair"), ("pair",)),
    **dict.fromkeys(("one", "other", "rater", "without"), ("rater",)),
    **dict.fromkeys(("baseline", "run", "runs"), ("run",)),
    "saved": ("comparison",),
    **{name: (name,) for name in "document intent list membership query query_set scale slot user".split()},  # noqa: SIM905
}
NO_KEYS = set(
    """
    account act action active_ms adaptive_step add agreed ahead all among answer answers archived as assignment average base between body bounds
    break_minutes cannot card cause chapter check column columns comment commit confidence confirm confirmed cure cutoff daily_goal days deadline
    depth description device discount documents duplicates encoding end enough evidence evidence_grades example external_id field_name
    field_value format formula full gain gave gold_rate good_lines grade group guidelines header_line hit hours image information_need is_default judgments k
    known least level link marks measures method budget missing name names negative next note notes number on onboarding once order other_gave
    overlap overlap_most pair_count page paused person place preset priority put_off puzzle q queries quota quotes raters reason remove repeat_rate
    request_id reset retrieved review role rows rule scope seconds seen several show since single_key_shortcuts skip skipped sort start_with state table tag
    tags text threshold tie title to undo undo_id unjudged unknown until until_decided url uses_most value values version view wall_ms was week weight zero
    """.split()  # noqa: SIM905 - a list would take a line for each
)
"""Words, numbers, choices, IDs of requests; and every name with a hyphen: rows of a form, columns and raters of a file."""
OF_PATHS = {
    "lists": "list",
    "query-sets": "query_set",
    "queries": "query",
    "documents": "document",
    "runs": "run",
    "scales": "scale",
    "invitations": "invitation",
    "run-views": "view",
    "saved-formulas": "formula",
    "intents": "intent",
    "contests": "contest",
    "comparisons": "comparison",
    "new": "draft",
    "jobs": "upload",
    "uploads": "upload",
    "batches": "batch",
    "disagreements": "pair",
    "raters": "rater",
    "tokens": "api_token",
    "accounts": "user",
}
"""What a number in a path is a key of, by the word before it."""


def rows_of(letter: str) -> dict[str, Any]:
    """One of everything in a query set of its own, whose names begin with `letter`."""
    query_set = make.make_query_set(name=f"{letter} set")
    queries = [
        make.make_query(query_set, f"{letter}-q{n}", text=f"{letter} {n}", weight=n) for n in (1, 2, 3)
    ]
    documents = [make.make_document(query_set, f"{letter}-d{n}", title=f"{letter} {n}") for n in (1, 2, 3)]
    scale = query_set.scales.create(name=f"{letter} scale", maximum=1)
    for value in (0, 1):
        scale.grades.create(value=value, label=str(value), gain=value, key=str(value))
    judgment_list = make.make_list(query_set, scale=scale, name=f"{letter} list", overlap=2)
    add_pairs(judgment_list=judgment_list, pairs=[(q.pk, d.pk) for q in queries for d in documents])
    rater = make.make_member(query_set, "rater", username=f"{letter}-rater")
    Assignment.objects.create(judgment_list=judgment_list, user=rater)
    at = timezone.now()
    held = queue.claim(user=rater, judgment_list=judgment_list, at=at, count=3)
    for one in held[:2]:
        judging.record_judgment(
            user=rater,
            judgment_list=judgment_list,
            pair_id=one.pair_id,
            request_id=UUID(int=one.pair_id),
            value=1,
            at=at,
        )
    external = make.make_rater(query_set)
    for judgment in Judgment.objects.filter(judgment_list=judgment_list):
        make.make_judgment(judgment.pair, external, 0)
    freeze_version(judgment_list=judgment_list)
    runs = [make.make_run(query_set, name=f"{letter}{n}") for n in (1, 2)]
    pair = judgment_list.pairs.get(pk=held[0].pair_id)
    admin = make.make_member(query_set, "admin", username=f"{letter}-admin")
    upload = Upload.objects.create(
        query_set=query_set,
        user=admin,
        purpose="queries",
        name="queries.csv",
        size=18,
        sha256="0" * 64,
        file=ContentFile(b"query_id,query\nq1,a\n", name="queries.csv"),
    )
    return {
        "query_set": query_set,
        "list": judgment_list,
        "query": pair.query,
        "document": pair.document,
        "pair": pair,
        "scale": scale,
        "run": runs[0],
        "runs": runs,
        "rater": external,
        "user": rater,
        "admin": admin,
        "membership": Membership.objects.get(user=rater),
        "slot": judgment_list.slots.filter(state="open", rater__isnull=False).first(),
        "judgment": Judgment.objects.filter(rater__user=rater).first(),
        "invitation": make.make_invitation(query_set),
        "formula": make.make_saved_formula(query_set),
        "view": make.make_saved_view(query_set),
        "comparison": make.make_comparison(judgment_list, runs),
        "intent": make.make_intent(query_set, [pair.query]),
        "contest": make.make_contest(judgment_list, *runs[:2]),
        "upload": upload,
        "batch": make.make_batch(judgment_list, Judgment.objects.filter(rater=external)),
        "draft": Draft.objects.create(user=admin, name=f"{letter} draft"),
        "api_token": make.make_own_token(admin),
        "act": Act.objects.filter(query_set=query_set).order_by("pk").first(),
    }


@pytest.fixture
def sets():
    """A and B. Keys of B differ from each other and from every other number of a page, whatever they are keys of."""
    own = rows_of("mine")
    before = sequences()
    count_on({name: 7_000_000 + 1_000 * nth for nth, name in enumerate(sorted(before))})
    yield own, rows_of("foreign")
    count_on(before)


def sequences() -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sequencename, coalesce(last_value, 1) FROM pg_sequences WHERE sequencename ~ '^(judgments|evaluation)_'"
        )
        return dict(cursor.fetchall())


def count_on(values: dict[str, int]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany("SELECT setval(%s::regclass, %s)", list(values.items()))


def addresses() -> dict[str, URLPattern]:
    included = [entry for entry in get_resolver().url_patterns if isinstance(entry, URLResolver)]
    return {
        pattern.name: pattern
        for entry in included
        if entry.namespace is None
        for pattern in entry.url_patterns
        if isinstance(pattern, URLPattern) and pattern.name
    }


def kinds_of(pattern: URLPattern) -> list[str]:
    """What the parts of a path that are not fixed are: kinds of keys, or the part's own name."""
    words = str(pattern.pattern).strip("/").split("/")
    return [
        OF_PATHS.get(before, word.strip("<>").split(":")[-1])
        for before, word in pairwise(["", *words])
        if word.startswith("<")
    ]


ELSEWHERE = {"sign-in", "sign-out", "sign-out-elsewhere", "demo-sign-in", "password-change", "judge-worker"}
"""Addresses that take no key, and would sign the account out."""
FIXED = {"number": 1, "format": "hashed", "token": "x" * 43, "provider_id": "oidc"}


def key(rows: dict[str, Any] | None, kind: str) -> Any:
    if rows is None:
        return NO_UPLOAD if kind in ("upload", "draft") else NOTHING
    return rows[kind].pk


def arguments(kinds, rows, *, instead=None, at=None):
    """The arguments of a path of `rows`; the one at `at` is that of `instead`."""
    return [
        FIXED[kind] if kind in FIXED else key(instead if nth == at else rows, kind)
        for nth, kind in enumerate(kinds)
    ]


@contextmanager
def read_names():
    """The names that are looked up in addresses and forms meanwhile."""
    names, methods = set(), ("__getitem__", "__contains__", "get", "getlist")

    def noting(method):
        def noted(data, name, *rest, **more):
            names.add(name)
            return method(data, name, *rest, **more)

        return noted

    with patch.multiple(QueryDict, **{name: noting(getattr(QueryDict, name)) for name in methods}):
        yield names


def seen(response) -> tuple[int, str]:
    """An answer without what differs each time, and without the keys of B and of nothing."""
    if response.streaming:
        text = b"".join(response.streaming_content).decode(errors="replace")
    else:
        text = response.content.decode(errors="replace")
    text = f"{response.get('Location', '')}\n{text}"
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b", "UUID", text)
    text = re.sub(r'"(csrfmiddlewaretoken|once)\\?" value=\\?"[\w-]*|X-CSRFToken[^}]*', "TOKEN", text)
    text = re.sub(r"\d\d:\d\d(:\d\d(\.\d+)?)?", "TIME", text)
    return response.status_code, re.sub(r"\b(7,?\d\d\d,?\d\d\d|8,?999,?999)\b", "KEY", text)


def foreign_rows(rows: dict[str, Any]) -> dict[str, str]:
    """A checksum of what each table has of the query set."""
    of = "to_jsonb(t)->>'{}' = ANY(%(keys)s)"
    of_parents = "query_set judgment_list pair scale version fit run comparison"
    parents = [f"{name}_id" for name in of_parents.split()]
    keys = [str(one.pk) for name in ("query_set", "list", "scale", "comparison") for one in [rows[name]]]
    keys += [str(one.pk) for one in (*rows["runs"], *rows["list"].pairs.all(), *rows["list"].versions.all())]
    with connection.cursor() as cursor:
        names = [
            name
            for name in connection.introspection.table_names(cursor)
            if name.startswith(("judgments_", "evaluation_"))
        ]
        cursor.execute(
            " UNION ALL ".join(
                f"SELECT '{name}', md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM {name} t "  # noqa: S608 - our own tables
                f"WHERE {' OR '.join(map(of.format, parents))}"
                for name in sorted(names)
            ),
            {"keys": keys},
        )
        return dict(cursor.fetchall())


def written() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables")
        return int(cursor.fetchone()[0])


class Asking:
    """A client of A that sends keys of B, and collects what is wrong with the answers."""

    def __init__(self, client, own, foreign):
        self.client, self.own, self.foreign = client, own, foreign
        self.before = foreign_rows(foreign)
        self.asked, self.wrong = 0, []
        self.names = set()

    def send(self, method, path, data, *, foreign=False):
        """What comes back, and the names that were looked up; all that was changed is taken back."""
        self.client.cookies.pop("messages", None)  # what an earlier answer left for the next page
        before = written()
        with transaction.atomic(), read_names() as names:
            kept = {"data": data} if method == "get" else {"data": data, "query_params": data}
            response = seen(getattr(self.client, method)(path, **kept))
            if foreign and written() != before and foreign_rows(self.foreign) != self.before:
                self.wrong.append(f"{method} {path} {data} changed something of the other query set")
            transaction.set_rollback(True)
        self.asked += 1
        return response, names

    def compare(self, what, method, there, nothing):
        """The status of both, and the names that were looked up."""
        first, _ = self.send(method, *there, foreign=True)
        second, names = self.send(method, *nothing)
        if first != second:
            self.wrong.append(f"{what}: {first[0]} is not {second[0]}, or other words")
        return first[0], names

    def try_paths(self, method, name, kinds):
        for at, kind in enumerate(kinds):
            if kind in FIXED:
                continue
            there, nothing = (
                (reverse(name, args=arguments(kinds, self.own, instead=rows, at=at)), {})
                for rows in (self.foreign, None)
            )
            status, _ = self.compare(f"{method} {name}, {kind} of the path", method, there, nothing)
            if status not in (302, 404, 405):  # some send elsewhere before they look
                self.wrong.append(f"{method} {name}, {kind} of the path: {status}")

    def try_names(self, method, name, path, base):
        """Sends keys by every name that the address looks up, those too that it looks up only then."""
        (status, _), names = self.send(method, path, base)
        if status == 405:
            return
        done = set()
        while rest := sorted((names & KEYS.keys()) - done):
            done |= set(rest)
            for one in rest:
                for kind in KEYS[one]:
                    there, nothing = (
                        base | {one: self.written(one, key(rows, kind))} for rows in (self.foreign, None)
                    )
                    what = f"{method} {name} {base}: {one} as {kind}"
                    names |= self.compare(what, method, (path, there), (path, nothing))[1]
        self.names |= names

    def written(self, name, value):
        if name == "choice":
            return f"own-{value}"
        return f"{self.own['run'].pk}-{value}" if name == "runs" else str(value)


def bases(method, name, own):
    """Forms and addresses with which an address looks at all its parameters."""
    key_of = {kind: str(row.pk) for kind, row in own.items() if hasattr(row, "pk")}
    runs = "-".join(str(run.pk) for run in own["runs"])
    list_fields = {
        "name": "A", "overlap": "1", "rule": "median", "tie": "lower", "assignment": "open", "view": "document",
        "evidence": "off", "gold_rate": "0", "onboarding": "0", "repeat_rate": "0", "confirmed": "1",
    }  # fmt: skip
    found = {
        **{("get", name): [{"runs": runs}] for name in ("comparison", "compared-queries", "compared-query")},
        **{("get", name): [{"runs": runs}] for name in ("comparison-report", "comparison-machines")},
        ("get", "query-set-export"): [{"format": "beir"}],
        ("get", "runs-export"): [{"format": "json"}],
        ("get", "impact"): [{"runs": runs}, {"runs": runs, "format": "csv"}],
        ("get", "formulas"): [{"list": key_of["list"], "query": key_of["query"]}],
        ("get", "query-set-queries"): [{"sort": sort} for sort in ("id", "text", "weight")],
        ("get", "query-set-documents"): [{"sort": sort} for sort in ("id", "text")],
        ("get", "list-disagreements"): [{"state": "open"}, {"names": "shown"}],
        ("get", "list-log"): [{"format": "csv"}],
        ("post", "query-set-members"): [{"action": "remove"}, {"action": "change", "role": "engineer"}],
        ("post", "list-raters"): [
            {"action": action, "quota": "3"}
            for action in ("assign", "quota", "unassign", "release-slot", "release")
        ],
        ("post", "list-gold"): [{"value": "1"}, {"action": "remove"}],
        ("post", "query-tags"): [{"tag": "new"}, {"tag": "new", "act": "remove"}],
        **{("post", name): [list_fields] for name in ("list-new", "list-edit")},
        ("post", "scale-new"): [{"name": "A", "level": "ordinal", "threshold": "1"}],
        ("post", "judge-answer"): [{"grade": "1.0", "request_id": str(UUID(int=9))}],
        ("post", "list-pairs"): [{"depth": "10", "run": key_of["run"]}],
        ("post", "intents"): [{"name": "A", "queries": "mine-q1"}],
        ("post", "comparison-save"): [{"name": "A", "runs": runs}],
        ("post", "run-upload"): [{"name": "A"}],
    }
    return [{}, *found.get((method, name), [])]


@SHARES
@pytest.mark.parametrize("role", ["admin", "user"])
def test_keys_of_another_query_set_are_worth_as_much_as_keys_of_nothing(role, share, sets, client):
    own, foreign = sets
    client.force_login(own[role])
    client.get(reverse("judge", args=[own["list"].pk]))  # the order of pairs follows from this visit
    asking = Asking(client, own, foreign)

    of_all = addresses()
    with patch("django.utils.timezone.now", return_value=timezone.now()):
        names = [name for name in of_all if role == "admin" or name.startswith(("judge", "own"))]
        for name in draw_addresses(set(names) - ELSEWHERE, share):
            kinds = kinds_of(of_all[name])
            for method in ("get", "post"):
                asking.try_paths(method, name, kinds)
                path = reverse(name, args=arguments(kinds, own))
                for base in bases(method, name, own):
                    asking.try_names(method, name, path, base)

    assert asking.wrong == []
    unknown = {name for name in asking.names - KEYS.keys() - NO_KEYS if "-" not in name}
    assert not unknown, "say in KEYS or NO_KEYS what these parameters are"
    assert asking.asked > {"admin": 700, "user": 50}[role] * share**2  # a part may have few keys
