"""The example data of a new installation: the demo accounts, a shop and the zoolander example."""

from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction

from evaluation.models import Run
from evaluation.runs.actions.details import pin_baseline
from evaluation.runs.actions.run_jobs import score_new_runs
from evaluation.runs.actions.runs import store_run
from evaluation.runs.reports.incoming import Choices, read_incoming
from judgments.files.actions.imports import Source, import_documents, import_judgments, import_queries
from judgments.files.reports.imports import OpenedFile
from judgments.lists.actions.lists import create_list
from judgments.log.actions import acting, record_act
from judgments.models import JudgmentList, Membership, Method, QuerySet, Role, Scale, User, Verb
from judgments.people.actions.demo_accounts import create_demo_accounts
from touchstone_core.formats.content.documents import read_documents
from touchstone_core.formats.content.queries import read_queries
from touchstone_core.formats.judgments.judgments import open_judgments
from touchstone_core.formats.text import Text, decode

LIMIT = 50_000_000
FURTHER_RATERS = (("noor", "Noor", "Haddad"), ("emil", "Emil", "Sørensen"))


@transaction.atomic
def load_example(*, folder: Path, at: datetime) -> None:
    """Loads everything below `folder` (the project's examples/) or nothing, in the names of the demo accounts."""
    accounts = create_demo_accounts()
    for username, first_name, last_name in FURTHER_RATERS:
        accounts[username] = _account_without_password(username, first_name, last_name)
    with acting(accounts["admin"]):
        _load_shop(folder / "shop", accounts, at)
        _load_zoolander(folder / "zoolander", accounts, at)


def _load_shop(folder: Path, accounts: dict[str, User], at: datetime) -> None:
    query_set = QuerySet.objects.create(
        name="Outdoor shop",
        description="Example: 25 queries to a shop of 161 products, four search systems, three raters.",
        created_by=accounts["admin"],
    )
    _add_members(query_set, accounts)
    _import_content(query_set, folder / "queries.csv", folder / "products.csv")
    judgment_list = create_list(
        query_set=query_set,
        user=accounts["admin"],
        name="First pass",
        description="Pooled from the first ten of three runs. Not finished: some queries wait for their raters.",
        guidelines=(folder / "guidelines.md").read_text(encoding="utf-8"),
        scale=Scale.objects.get(query_set=None, name="TREC 0–3"),
        overlap=3,
    )
    _import_judgments(judgment_list, folder / "pairs.csv", at)
    _import_judgments(judgment_list, folder / "judgments.csv", at)
    _judged_lately(judgment_list)
    _store_runs(query_set, folder / "runs", accounts["engineer"])
    _uploaded_lately(query_set, at)
    with acting(accounts["engineer"]):
        pin_baseline(query_set=query_set, run=query_set.runs.get(name="bm25"))


def _load_zoolander(folder: Path, accounts: dict[str, User], at: datetime) -> None:
    query_set = QuerySet.objects.create(
        name="Zoolander",
        description="Example: one query, small enough to compute all four ideals by hand.",
        created_by=accounts["admin"],
    )
    _add_members(query_set, accounts)
    _import_content(query_set, folder / "queries.csv", folder / "documents.csv")
    judgment_list = create_list(
        query_set=query_set,
        user=accounts["admin"],
        name="Five documents",
        description="With cutoff 2 and the reciprocal discount: DCG 0.6, ideals 1.05, 1.35, 1.45 and 1.5.",
        scale=Scale.objects.get(query_set=None, name="Continuous 0–1"),
    )
    _import_judgments(judgment_list, folder / "judgments.csv", at)
    _store_runs(query_set, folder / "runs", accounts["engineer"])


def _account_without_password(username: str, first_name: str, last_name: str) -> User:
    user, is_new = User.objects.get_or_create(
        username=username, defaults={"first_name": first_name, "last_name": last_name}
    )
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def _add_members(query_set: QuerySet, accounts: dict[str, User]) -> None:
    roles = {"engineer": Role.ENGINEER, "admin": Role.ADMIN}
    Membership.objects.bulk_create(
        Membership(query_set=query_set, user=user, role=roles.get(username, Role.RATER))
        for username, user in accounts.items()
    )
    people = {accounts[name].display_name: roles.get(name, Role.RATER).label for name in accounts}
    record_act(Verb.CREATED, f"query set {query_set}", query_set=query_set, after={"members": people})


def _read(path: Path) -> Text:
    return decode(path.read_bytes(), name=path.name, limit=LIMIT)


def _import_content(query_set: QuerySet, queries: Path, documents: Path) -> None:
    import_queries(
        query_set=query_set, records=read_queries(_read(queries)).records, source=Source(queries.name)
    )
    import_documents(
        query_set=query_set, records=read_documents(_read(documents)).records, source=Source(documents.name)
    )


def _import_judgments(judgment_list: JudgmentList, path: Path, at: datetime) -> None:
    """Days are moved so that the last one is yesterday."""
    records = list(open_judgments(_read(path)).records)
    latest = max((record.judged_at for record in records if record.judged_at), default=None)
    if latest is not None:
        days = (at - timedelta(days=1)).date() - latest.date()
        records = [
            record._replace(judged_at=record.judged_at + days) if record.judged_at else record
            for record in records
        ]
    import_judgments(judgment_list=judgment_list, file=OpenedFile(records), at=at, source=Source(path.name))


def _judged_lately(judgment_list: JudgmentList) -> None:
    """Imported judgments don't count as pace. These do, so that pace, burn-down and plan have something to show."""
    judgment_list.judgments.update(method=Method.KEY)


def _uploaded_lately(query_set: QuerySet, at: datetime) -> None:
    """One run a day until yesterday, so that the trend has something to show."""
    runs = list(query_set.runs.order_by("-pk"))
    for days, run in enumerate(runs, start=1):
        run.created_at = at - timedelta(days=days)
    Run.objects.bulk_update(runs, ["created_at"])


def _store_runs(query_set: QuerySet, folder: Path, user: User) -> None:
    with acting(user):
        score_new_runs(runs=[_store_run(query_set, path, user) for path in sorted(folder.glob("*.trec"))])


def _store_run(query_set: QuerySet, path: Path, user: User) -> Run:
    incoming = read_incoming(
        path.read_bytes(), file_name=path.name, query_set=query_set, choices=Choices(), limit=LIMIT
    )
    return store_run(
        query_set=query_set,
        parsed=incoming.parsed,
        name=incoming.name,
        file_name=path.name,
        sha256=incoming.sha256,
        user=user,
    )
