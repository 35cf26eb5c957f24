"""Plain functions that make rows for tests. Each gives the least that its row needs; say what matters in the call."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any

from evaluation.models import (
    ComparedRun,
    Comparing,
    Comparison,
    Contest,
    Evaluation,
    EvaluationTotals,
    IntendedQuery,
    Intent,
    Run,
    SavedFormula,
    SavedView,
)
from judgments.models import (
    ApiToken,
    Batch,
    ConsensusGrade,
    Document,
    GoldPair,
    Handout,
    Invitation,
    Judgment,
    JudgmentList,
    ListQuery,
    Membership,
    Pair,
    Query,
    QuerySet,
    Rater,
    Role,
    Scale,
    User,
)

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
_numbers = count(100_001)  # far from the q1, d2 and so on that tests name themselves


def make_user(username: str = "", **fields: Any) -> User:
    return User.objects.create_user(username or f"user{next(_numbers)}", password="pass", **fields)


def make_member(query_set: QuerySet, role: Role | str, **fields: Any) -> User:
    """A new account with this role in the query set."""
    user = make_user(**fields)
    Membership.objects.create(query_set=query_set, user=user, role=role)
    return user


def make_query_set(**fields: Any) -> QuerySet:
    return QuerySet.objects.create(**{"name": f"Query set {next(_numbers)}"} | fields)


def make_query(query_set: QuerySet, external_id: str = "", **fields: Any) -> Query:
    external_id = external_id or f"q{next(_numbers)}"
    return Query.objects.create(
        query_set=query_set, external_id=external_id, **{"text": f"text of {external_id}"} | fields
    )


def make_queries(query_set: QuerySet, count: int) -> list[Query]:
    """As many queries, at once."""
    ids = [f"q{next(_numbers)}" for _ in range(count)]
    queries = [Query(query_set=query_set, external_id=one, text=f"text of {one}") for one in ids]
    return Query.objects.bulk_create(queries)


def make_document(query_set: QuerySet, external_id: str = "", **fields: Any) -> Document:
    document = _document(query_set, external_id or f"d{next(_numbers)}", **fields)
    document.save()
    return document


def make_documents(query_set: QuerySet, external_ids: Iterable[str]) -> dict[str, Document]:
    """The documents with these IDs, by ID; makes those that aren't there yet."""
    ids = dict.fromkeys(external_ids)
    found = {one.external_id: one for one in query_set.documents.filter(external_id__in=ids)}
    new = [_document(query_set, external_id) for external_id in ids if external_id not in found]
    return found | {one.external_id: one for one in Document.objects.bulk_create(new)}


def _document(query_set: QuerySet, external_id: str, **fields: Any) -> Document:
    return Document(
        query_set=query_set, external_id=external_id, **{"title": f"Title of {external_id}"} | fields
    )


def preset(name: str = "TREC 0–3") -> Scale:
    return Scale.objects.get(query_set=None, name=name)


def make_list(query_set: QuerySet, **fields: Any) -> JudgmentList:
    defaults: dict[str, Any] = {"name": f"List {next(_numbers)}"}
    if "scale" not in fields:
        defaults["scale"] = preset()
    return JudgmentList.objects.create(query_set=query_set, **defaults | fields)


def make_pair(judgment_list: JudgmentList, query: Query, document: Document) -> Pair:
    """A pair without slots, and the row of its query in the list."""
    return make_pairs(judgment_list, {query: [document]})[0]


def make_pairs(judgment_list: JudgmentList, documents: Mapping[Query, Sequence[Document]]) -> list[Pair]:
    """The pairs of each query, without slots, and the rows of the queries in the list."""
    known = {row.query_id: row for row in judgment_list.list_queries.all()}
    new: list[ListQuery] = []
    grown: list[ListQuery] = []
    for query, of_query in documents.items():
        row = known.get(query.pk) or ListQuery(
            judgment_list=judgment_list,
            query=query,
            query_set=judgment_list.query_set,
            position=len(known) + len(new) + 1,
        )
        (grown if query.pk in known else new).append(row)
        row.pair_count += len(of_query)
        row.revision += len(of_query)
        row.pairs_revision += len(of_query)
    ListQuery.objects.bulk_create(new)
    for row in grown:
        row.save()
    common = {"query_set": judgment_list.query_set, "judgment_list": judgment_list}
    return Pair.objects.bulk_create(
        Pair(query=query, document=document, **common)
        for query, of_query in documents.items()
        for document in of_query
    )


def make_rater(query_set: QuerySet, user: User | None = None) -> Rater:
    if user is None:
        return Rater.objects.create(query_set=query_set, name=f"rater {next(_numbers)}", kind="external")
    return Rater.objects.create(query_set=query_set, user=user, name=user.username)


def make_judgment(pair: Pair, rater: Rater, value: float | None = None, **fields: Any) -> Judgment:
    """A judgment without consensus; tests of consensus go through the actions."""
    return make_judgments([(pair, rater, value)], **fields)[0]


def make_judgments(rows: Iterable[tuple[Pair, Rater, float | None]], **fields: Any) -> list[Judgment]:
    return Judgment.objects.bulk_create(
        Judgment(
            query_set=pair.query_set,
            judgment_list=pair.judgment_list,
            pair=pair,
            rater=rater,
            value=value,
            **{"created_at": NOW, "updated_at": NOW} | fields,
        )
        for pair, rater, value in rows
    )


def make_batch(judgment_list: JudgmentList, judgments: Iterable[Judgment] = ()) -> Batch:
    """An import that wrote these judgments, which can be undone."""
    judgments = list(judgments)
    batch = Batch.objects.create(
        query_set=judgment_list.query_set,
        judgment_list=judgment_list,
        name="grades.csv",
        at=NOW,
        judgment_count=len(judgments),
    )
    Judgment.objects.filter(pk__in=[one.pk for one in judgments]).update(batch=batch, method="import")
    return batch


def make_handout(pair_id: int, user: User) -> None:
    """Lets the account answer the pair as if it had been handed out; for tests of what follows from the answer."""
    for pair in Pair.objects.filter(pk=pair_id).select_related("query_set"):
        rater, _ = Rater.objects.get_or_create(
            query_set=pair.query_set, user=user, defaults={"name": user.username}
        )
        Handout.objects.get_or_create(pair=pair, rater=rater)


def make_consensus(pair: Pair, value: float | None, **fields: Any) -> ConsensusGrade:
    return make_all_consensus([(pair, value)], **fields)[0]


def make_all_consensus(grades: Iterable[tuple[Pair, float | None]], **fields: Any) -> list[ConsensusGrade]:
    return ConsensusGrade.objects.bulk_create(
        ConsensusGrade(
            pair=pair,
            query_set=pair.query_set,
            judgment_list=pair.judgment_list,
            query=pair.query,
            document=pair.document,
            value=value,
            **{"judgments": 1} | fields,
        )
        for pair, value in grades
    )


def make_run(query_set: QuerySet, **fields: Any) -> Run:
    return Run.objects.create(query_set=query_set, **{"name": f"run{next(_numbers)}"} | fields)


def make_gold_pair(pair: Pair, value: float, **fields: Any) -> GoldPair:
    """A gold pair that keeps its slots; tests of handing out go through the action."""
    return GoldPair.objects.create(
        pair=pair,
        query_set=pair.query_set,
        judgment_list=pair.judgment_list,
        value=value,
        **{"made_at": NOW} | fields,
    )


def make_totals(evaluation: Evaluation) -> EvaluationTotals:
    return EvaluationTotals.objects.create(
        evaluation=evaluation,
        query_set=evaluation.query_set,
        revision=1,
        query_count=0,
        last_query=0,
        rankings=0,
        sums=[],
    )


def make_saved_formula(query_set: QuerySet, **fields: Any) -> SavedFormula:
    defaults: dict[str, Any] = {"name": f"formula {next(_numbers)}", "formula": "DCG(gain='exp')@5"}
    return SavedFormula.objects.create(query_set=query_set, **defaults | fields)


def make_saved_view(query_set: QuerySet, **fields: Any) -> SavedView:
    return SavedView.objects.create(query_set=query_set, **{"name": f"view {next(_numbers)}"} | fields)


def make_intent(query_set: QuerySet, queries: Iterable[Query] = (), **fields: Any) -> Intent:
    fields = {"name": f"intent {next(_numbers)}", "chosen_at": NOW} | fields
    intent = Intent.objects.create(query_set=query_set, **fields)
    IntendedQuery.objects.bulk_create(IntendedQuery(intent=intent, query=query) for query in queries)
    return intent


def make_contest(judgment_list: JudgmentList, baseline: Run, run: Run, **fields: Any) -> Contest:
    """One that was stopped before anything was judged."""
    nothing = {"expected": 0.0, "low": None, "high": None, "z": 0.0, "judgments_left": 10}
    defaults: dict[str, Any] = {
        "formula": "DCG@10",
        "batch_size": 100,
        "budget": 1000,
        "priority": 0,
        "outlook": nothing | {"judged": 0, "open": 10, "pool": 20, "waiting": 0, "unknown": 0},
        "started_at": NOW,
        "ended_at": NOW,
        "outcome": "stopped",
    }
    return Contest.objects.create(
        judgment_list=judgment_list, baseline=baseline, run=run, **defaults | fields
    )


def make_comparing(query_set: QuerySet, **fields: Any) -> Comparing:
    return Comparing.objects.create(query_set=query_set, **fields)


def make_comparison(judgment_list: JudgmentList, runs: Sequence[Run], **fields: Any) -> Comparison:
    """As it is kept, of the plain formula; what it said is not known."""
    fields = {"name": f"Comparison {next(_numbers)}", "created_at": NOW, "changed_at": NOW} | fields
    fields = {"formula": "DCG@10", "measure": "nDCG@10", "query_set": judgment_list.query_set} | fields
    saved = Comparison.objects.create(judgment_list=judgment_list, **fields)
    ComparedRun.objects.bulk_create(
        ComparedRun(comparison=saved, run=run, name=run.name, position=place)
        for place, run in enumerate(runs)
    )
    return saved


def make_token(user: User, scope: str = "admin", **fields: Any) -> str:
    """The text of a token that can be used for a hundred years."""
    return make_own_token(user, scope, **fields).name


def make_own_token(user: User, scope: str = "admin", **fields: Any) -> ApiToken:
    """The same as a row, whose name is its text."""
    text = f"tst_{next(_numbers)}"
    defaults: dict[str, Any] = {"name": text, "created_at": NOW, "expires_at": NOW + timedelta(36500)}
    digest = sha256(text.encode()).hexdigest()
    facts = defaults | {"token_sha256": digest, "ending": text[-4:]} | fields
    return ApiToken.objects.create(user=user, scope=scope, **facts)


def make_invitation(query_set: QuerySet, token: str = "", **fields: Any) -> Invitation:
    """One that anybody may use for a hundred years, by default of a site administrator.

    Without a `token` there is no link to it.
    """
    if "created_by" not in fields:
        fields["created_by"] = make_user(is_superuser=True)
    defaults: dict[str, Any] = {"role": Role.RATER, "created_at": NOW, "expires_at": NOW + timedelta(36500)}
    digest = sha256((token or f"token {next(_numbers)}").encode()).hexdigest()
    return Invitation.objects.create(query_set=query_set, token_sha256=digest, **defaults | fields)
