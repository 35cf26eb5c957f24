"""Every address of the site, opened by every role and by a stranger."""

from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from judgments.lists.actions.versions import freeze_version
from judgments.models import Draft, Membership, Upload
from tests import factories as make
from tests.snapshot import undone

pytestmark = pytest.mark.django_db

ANYONE, MEMBERS, STAFF, ADMINS, OWNER = "anyone", "members", "staff", "admins", "owner"

# For every named address: who may open it. Whoever may not is told that there is no such page.
EXPECTED = {
    "home": ANYONE,
    "go-to": ANYONE,
    "new-evaluation": "creators",
    "draft": OWNER,
    "jobs": ANYONE,
    "job": OWNER,
    "query-set-jobs": STAFF,
    "stored-runs": OWNER,
    "account": ANYONE,
    "password-change": ANYONE,
    "site-password-change": ANYONE,
    "own-data": ANYONE,
    "second-factor": ANYONE,
    "second-factor-set-up": "nobody, unless it is offered",
    "second-factor-change": ANYONE,
    "person-data": "site administrators",
    "person-erase": "site administrators",
    "token-new": "creators",
    "token-revoke": "owner of the token",
    "sign-out": ANYONE,
    "sign-out-elsewhere": ANYONE,
    "judge": MEMBERS,
    "judge-answer": MEMBERS,
    "judge-undo": MEMBERS,
    "judge-skip": MEMBERS,
    "judge-cards": MEMBERS,
    "judge-shell": MEMBERS,
    "judge-text": MEMBERS,
    "judge-keys": ANYONE,
    "judge-done": MEMBERS,
    "judge-review": MEMBERS,
    "query-sets": "creators",
    "query-set-new": "creators",
    "query-set": STAFF,
    "query-set-edit": ADMINS,
    "query-set-export": STAFF,
    "query-set-queries": STAFF,
    "query-set-documents": STAFF,
    "query-set-lists": STAFF,
    "query-set-members": STAFF,
    "query-set-archive": ADMINS,
    "query-set-copy": ADMINS,
    "query-set-delete": ADMINS,
    "query-set-invite": ADMINS,
    "invitation-revoke": ADMINS,
    "list-delete": ADMINS,
    "query-set-runs": STAFF,
    "query": STAFF,
    "document": STAFF,
    "query-new": ADMINS,
    "query-edit": ADMINS,
    "query-delete": ADMINS,
    "query-tags": ADMINS,
    "queries-delete": ADMINS,
    "documents-delete": ADMINS,
    "document-new": ADMINS,
    "document-edit": ADMINS,
    "document-delete": ADMINS,
    "import-queries": ADMINS,
    "import-documents": ADMINS,
    "import-judgments": ADMINS,
    "batch": ADMINS,
    "upload": OWNER,
    "scales": "creators",
    "scale": STAFF,
    "scale-new": "admins of some query set",
    "scale-edit": ADMINS,
    "list": STAFF,
    "list-new": ADMINS,
    "list-edit": ADMINS,
    "list-pairs": STAFF,
    "list-candidates": STAFF,
    "contest-stop": STAFF,
    "list-pairs-remove": ADMINS,
    "list-plan": ADMINS,
    "list-pause": ADMINS,
    "list-raters": ADMINS,
    "list-gold": ADMINS,
    "list-gold-import": ADMINS,
    "gold-file": ADMINS,
    "list-log": ADMINS,
    "query-set-log": ADMINS,
    "site-log": "site administrators",
    "own-judgments": ANYONE,
    "list-agreement": STAFF,
    "rater-effect": ADMINS,
    "list-disagreements": ADMINS,
    "decisions-file": ADMINS,
    "disagreement": ADMINS,
    "rater-exclusion": ADMINS,
    "list-export": STAFF,
    "list-rule": ADMINS,
    "list-versions": STAFF,
    "list-version": STAFF,
    "version-file": STAFF,
    "version-difference": STAFF,
    "impact": STAFF,
    "run-upload": STAFF,
    "run-fetch": STAFF,
    "run-delete": STAFF,
    "run-edit": STAFF,
    "runs-tag": STAFF,
    "runs-delete": STAFF,
    "runs-export": STAFF,
    "run-baseline": STAFF,
    "run-table": STAFF,
    "run-trend": STAFF,
    "run-views": STAFF,
    "run-view-delete": STAFF,
    "comparison": STAFF,
    "comparison-report": STAFF,
    "comparison-machines": STAFF,
    "comparison-save": STAFF,
    "comparison-settings": STAFF,
    "comparison-open": STAFF,
    "comparisons": STAFF,
    "saved-comparison": STAFF,
    "saved-comparison-edit": STAFF,
    "saved-comparison-delete": STAFF,
    "saved-comparison-renew": STAFF,
    "compared-queries": STAFF,
    "compared-query": STAFF,
    "run": STAFF,
    "run-query": STAFF,
    "reconcile": STAFF,
    "formulas": "creators",
    "intents": STAFF,
    "intent": STAFF,
    "intent-delete": STAFF,
    "saved-formulas": STAFF,
    "saved-formula-rename": STAFF,
    "saved-formula-default": STAFF,
    "saved-formula-delete": STAFF,
}
OPEN_TO_ALL = {"sign-in", "demo-sign-in", "join", "judge-worker", "learn", "puzzle", "glossary"}
OPEN_TO_ALL |= {"openid_connect_login", "openid_connect_callback", "openapi", "api-docs"}
ROLES = {
    "stranger": {ANYONE},
    "rater": {ANYONE, MEMBERS},
    "engineer": {ANYONE, MEMBERS, STAFF, "creators"},
    "admin": {
        ANYONE,
        MEMBERS,
        STAFF,
        ADMINS,
        OWNER,
        "creators",
        "admins of some query set",
        "owner of the token",
    },
    "site": {ANYONE, MEMBERS, STAFF, ADMINS, "creators", "admins of some query set", "site administrators"},
}


def named_addresses() -> dict[str, URLPattern]:
    """Those of the site itself, by name. Site administration and the API, which have namespaces, have tables of their own."""
    entries = get_resolver().url_patterns
    rooms = [entry for entry in entries if isinstance(entry, URLResolver) and entry.namespace is None]
    found = [*entries, *(pattern for room in rooms for pattern in room.url_patterns)]
    return {pattern.name or "": pattern for pattern in found if isinstance(pattern, URLPattern)}


@pytest.fixture
def world():
    """One of everything, and an account of every role; the keys that each address needs."""
    query_set = make.make_query_set(name="Shop")
    query, document = make.make_query(query_set, "q1"), make.make_document(query_set, "d1")
    scale = query_set.scales.create(name="Own", maximum=1)
    for value in (0, 1):
        scale.grades.create(value=value, label=str(value), gain=value, key=str(value))
    judgment_list = make.make_list(query_set, scale=scale)
    pair = make.make_pair(judgment_list, query, document)
    make.make_consensus(pair, 1)
    freeze_version(judgment_list=judgment_list)
    run = make.make_run(query_set)
    users = {
        "stranger": make.make_user("stranger"),
        "rater": make.make_member(query_set, "rater", username="rater"),
        "engineer": make.make_member(query_set, "engineer", username="engineer"),
        "admin": make.make_member(query_set, "admin", username="admin"),
        "site": make.make_user("site", is_superuser=True, is_staff=True),
    }
    for user in users.values():
        if user.username != "stranger":
            make.make_handout(pair.pk, user)
    upload = Upload.objects.create(
        query_set=query_set,
        user=users["admin"],
        purpose="queries",
        name="queries.csv",
        size=18,
        sha256="0" * 64,
        file=ContentFile(b"query_id,query\nq1,a\n", name="queries.csv"),
    )
    stored_runs = Upload.objects.create(
        query_set=query_set,
        user=users["admin"],
        purpose="run",
        name="run.trec",
        size=18,
        sha256="0" * 64,
        file=ContentFile(b"q1 Q0 d1 1 2 new\n", name="run.trec"),
    )
    keys = {
        "batch": make.make_batch(judgment_list).pk,
        "draft": Draft.objects.create(user=users["admin"], name="A draft").pk,
        "scale": scale.pk,
        "scale-edit": scale.pk,
        **dict.fromkeys(("query", "query-edit", "query-delete"), query.pk),
        **dict.fromkeys(("document", "document-edit", "document-delete"), document.pk),
        **dict.fromkeys(("run-delete", "run-edit"), run.pk),
        "token-revoke": make.make_own_token(users["admin"]).pk,
        "invitation-revoke": make.make_invitation(query_set).pk,
        **dict.fromkeys(("intent", "intent-delete"), make.make_intent(query_set, [query]).pk),
        "contest-stop": make.make_contest(judgment_list, run, run).pk,
        **dict.fromkeys(
            ("saved-formula-rename", "saved-formula-default", "saved-formula-delete"),
            make.make_saved_formula(query_set).pk,
        ),
        **dict.fromkeys(
            (
                "saved-comparison",
                "saved-comparison-edit",
                "saved-comparison-delete",
                "saved-comparison-renew",
            ),
            make.make_comparison(judgment_list, [run]).pk,
        ),
        "run-view-delete": make.make_saved_view(query_set).pk,
        "upload": upload.pk,
        **dict.fromkeys(("person-data", "person-erase"), users["rater"].pk),
        "stored-runs": stored_runs.pk,
        "job": stored_runs.pk,
        **dict.fromkeys(("openid_connect_login", "openid_connect_callback"), "oidc"),
    }
    return {
        "users": users,
        "keys": keys,
        "query_set": query_set,
        "list": judgment_list,
        "run": run,
        "query": query,
        "pair": pair,
        "rater": make.make_rater(query_set),
    }


def address_of(name: str, world) -> str:
    if name in ("run", "reconcile"):
        return reverse(name, args=[world["list"].pk, world["run"].pk])
    if name in ("list-version", "version-difference", "version-file"):
        more = ["hashed"] if name == "version-file" else []
        return reverse(name, args=[world["list"].pk, 1, *more])
    if name == "run-query":
        return reverse(name, args=[world["list"].pk, world["run"].pk, world["query"].pk])
    if name in ("judge-review", "compared-query"):
        return reverse(name, args=[world["list"].pk, world["query"].pk])
    if name == "disagreement":
        return reverse(name, args=[world["list"].pk, world["pair"].pk])
    if name == "batch":
        return reverse(name, args=[world["list"].pk, world["keys"]["batch"]])
    if name == "rater-exclusion":
        return reverse(name, args=[world["list"].pk, world["rater"].pk])
    if name in world["keys"]:
        return reverse(name, args=[world["keys"][name]])
    pattern = str(named_addresses()[name].pattern)
    if "<" not in pattern:
        return reverse(name)
    owner = world["list"] if pattern.startswith("lists/") else world["query_set"]
    return reverse(name, args=[owner.pk])


def test_every_address_is_in_the_table():
    assert set(named_addresses()) == set(EXPECTED) | OPEN_TO_ALL, (
        "say in EXPECTED who may open the new address"
    )


def answers(client, world, names, method="get", **sent):
    """The answer of each address, every one asked of the same world."""
    found = {}
    for name in names:
        with undone():
            found[name] = getattr(client, method)(address_of(name, world), **sent)
    return found


@pytest.mark.parametrize("role", ROLES)
def test_an_address_opens_for_its_roles_only(role, world, client):
    client.force_login(world["users"][role])

    found = {name: answer.status_code for name, answer in answers(client, world, EXPECTED).items()}

    opened = {name for name in EXPECTED if EXPECTED[name] in ROLES[role]}
    assert {name: found[name] for name in opened if found[name] not in (200, 302, 405)} == {}
    assert {name: found[name] for name in set(EXPECTED) - opened if found[name] not in (403, 404, 405)} == {}
    assert 200 in {found[name] for name in opened}


def test_nobody_gets_anywhere_without_signing_in(world, client):
    pages = answers(client, world, set(EXPECTED) - {"sign-out"})
    parts = answers(client, world, set(EXPECTED) - {"sign-out"}, headers={"HX-Request": "true"})

    sign_in = reverse("sign-in")
    assert {name for name, page in pages.items() if not page.get("Location", "").startswith(sign_in)} == set()
    assert {page.status_code for page in pages.values()} == {302}
    assert {part.status_code for part in parts.values()} == {401}
    assert client.get(reverse("sign-out")).status_code in (302, 405)


def test_a_stranger_cannot_post_anything_either(world, client):
    client.force_login(world["users"]["stranger"])
    closed = {name for name in EXPECTED if EXPECTED[name] != ANYONE}

    found = {name: page.status_code for name, page in answers(client, world, closed, "post").items()}

    assert {name: status for name, status in found.items() if status not in (403, 404, 405)} == {}


def test_a_former_member_sees_nothing_any_more(world, client):
    client.force_login(world["users"]["engineer"])
    Membership.objects.filter(user=world["users"]["engineer"]).delete()

    assert client.get(reverse("run-table", args=[world["list"].pk])).status_code == 404
    assert client.get(reverse("upload", args=[uuid4()])).status_code == 404
