"""Plain functions that make rows for tests. Each gives the least that its row needs; say what matters in the call."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any

from evaluation.models import (
    ComparedRun,
    Comparing,
    Comparison,
    IntendedQuery,
    Intent,
    Run,
    SavedFormula,
    SavedView,
)
from judgments.models import (
    ApiToken,
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
_numbers = count(1)


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


def make_document(query_set: QuerySet, external_id: str = "", **fields: Any) -> Document:
    external_id = external_id or f"d{next(_numbers)}"
    return Document.objects.create(
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
    position = judgment_list.list_queries.count() + 1
    list_query, _ = ListQuery.objects.get_or_create(
        judgment_list=judgment_list,
        query=query,
        defaults={"query_set": judgment_list.query_set, "position": position},
    )
    list_query.pair_count += 1
    list_query.revision += 1
    list_query.pairs_revision += 1
    list_query.save()
    return Pair.objects.create(
        query_set=judgment_list.query_set, judgment_list=judgment_list, query=query, document=document
    )


def make_rater(query_set: QuerySet, user: User | None = None) -> Rater:
    if user is None:
        return Rater.objects.create(query_set=query_set, name=f"rater {next(_numbers)}", kind="external")
    return Rater.objects.create(query_set=query_set, user=user, name=user.username)


def make_judgment(pair: Pair, rater: Rater, value: float | None = None, **fields: Any) -> Judgment:
    """A judgment without consensus; tests of consensus go through the actions."""
    return Judgment.objects.create(
        query_set=pair.query_set,
        judgment_list=pair.judgment_list,
        pair=pair,
        rater=rater,
        value=value,
        **{"created_at": NOW, "updated_at": NOW} | fields,
    )


def make_handout(pair_id: int, user: User) -> None:
    """Lets the account answer the pair as if it had been handed out; for tests of what follows from the answer."""
    for pair in Pair.objects.filter(pk=pair_id).select_related("query_set"):
        rater, _ = Rater.objects.get_or_create(
            query_set=pair.query_set, user=user, defaults={"name": user.username}
        )
        Handout.objects.get_or_create(pair=pair, rater=rater)


def make_consensus(pair: Pair, value: float | None, **fields: Any) -> ConsensusGrade:
    return ConsensusGrade.objects.create(
        pair=pair,
        query_set=pair.query_set,
        judgment_list=pair.judgment_list,
        query=pair.query,
        document=pair.document,
        value=value,
        **{"judgments": 1} | fields,
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
