"""Taking judgments, grades, queries and documents out changes nothing, but who did is in the log."""

from django.db import transaction

from judgments.log.actions import record_act
from judgments.models import JudgmentList, QuerySet, Verb, Version


@transaction.atomic
def record_export(*, judgment_list: JudgmentList, format: str, version: Version | None = None) -> None:
    """To be called before the file is sent, and after it could have been refused: one that is was not taken out. `format` is its name for people."""
    what = f"version {version.number} of list {judgment_list}" if version else f"list {judgment_list}"
    record_act(Verb.EXPORTED, what, judgment_list=judgment_list, after={"format": format})


@transaction.atomic
def record_content_export(*, query_set: QuerySet, format: str) -> None:
    """As `record_export`, of queries and documents."""
    record_act(Verb.EXPORTED, f"query set {query_set}", query_set=query_set, after={"format": format})
