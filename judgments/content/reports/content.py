"""A query's or document's state and history: marks, differences, changes in the log, uses."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model
from django.db.models import QuerySet as Rows

from judgments.base.digits import written
from judgments.base.errors import ChangedSinceError
from judgments.content.sql.unused import Link, uses
from judgments.models import Act, Document, Query, User, Verb
from touchstone_core.words import counted, tidied

QUERY_FIELDS: Final = ("text", "information_need", "weight", "tags")
DOCUMENT_FIELDS: Final = ("title", "body", "url", "image", "fields")
FURTHER: Final = "fields."
"""Prefix of further fields in the log."""
LABELS: Final[Mapping[str, str]] = {
    "text": "Query",
    "information_need": "Information need",
    "weight": "Weight",
    "tags": "Tags",
    "title": "Title",
    "body": "Body",
    "url": "URL",
    "image": "Image",
    "external_id": "ID",
}
OF_ITSELF: Final = (Verb.CREATED, Verb.CHANGED)
"""Acts on a query or document itself; other acts are on something that it is part of."""
CUT: Final = 300
BEFORE_IT: Final = 60
PAGE: Final = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """One field, before and after, as texts. `beyond`: they differ only after the part that the log keeps. `kept`: the first stays."""

    label: str
    before: str
    after: str
    beyond: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """Newest first: a line of the log, its verb and object (“changed it”), and what differs. `earlier` leads to the next page."""

    changes: list[tuple[Act, str, list[Difference]]]
    earlier: int | None = None


def mark_of(row: Query | Document) -> str:
    """A hash of the stored content: different content, different mark."""
    return mark_of_facts(facts_of(row))


def facts_of(row: Query | Document) -> dict[str, Any]:
    """The values of the form, with all further fields of a document in one."""
    names = QUERY_FIELDS if isinstance(row, Query) else DOCUMENT_FIELDS
    return {name: getattr(row, name) for name in names}


def mark_of_facts(facts: Mapping[str, Any]) -> str:
    """As `mark_of`, for named values of a form: a hash of each, so that it also tells which of them changed."""
    return "_".join(map(_mark_of_fact, facts.values()))


def unchanged_since(seen_mark: str, facts: Mapping[str, Any], names: Iterable[str]) -> set[str]:
    """Which of these `facts` are as they were in the facts of the same `names` that have this mark."""
    marks = dict(zip(names, seen_mark.split("_"), strict=False))
    return {name for name, fact in facts.items() if marks.get(name) == _mark_of_fact(fact)}


def _mark_of_fact(fact: Any) -> str:
    """Texts that differ in line ends only have the same."""
    content = json.dumps(tidied(fact) if isinstance(fact, str) else fact, sort_keys=True)
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()[:16]


def refuse_if_changed(kind: str, current: Any, facts: Mapping[str, Any], seen_mark: str | None) -> None:
    """Raises ChangedSinceError unless `seen_mark` is the mark of the `facts` that are stored now, or None."""
    if seen_mark is not None and seen_mark != mark_of_facts(facts):
        raise ChangedSinceError(kind, current)


def flat(row: Query | Document) -> dict[str, Any]:
    """Fields by their names in the log, with further fields of a document one by one."""
    if isinstance(row, Query):
        return {name: getattr(row, name) for name in QUERY_FIELDS}
    plain = {name: getattr(row, name) for name in DOCUMENT_FIELDS if name != "fields"}
    return plain | {f"{FURTHER}{name}": value for name, value in row.fields.items()}


def changes_for_log(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values that differ, before and after. Long texts are cut to where they begin to differ."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    cut = {name: _cut(before.get(name), after.get(name)) for name in names}
    return {name: cut[name][0] for name in names}, {name: cut[name][1] for name in names}


def differences(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    labels: Mapping[str, str] = LABELS,
    kept: Set[str] = frozenset(),
) -> list[Difference]:
    """Differences between two states in the log, in words: fields in the order of the labels, then further ones."""
    order = list(labels)
    names = sorted(
        {**before, **after}, key=lambda name: (order.index(name) if name in labels else len(order), name)
    )
    return [
        Difference(
            labels.get(name) or _label(name),
            _words(before.get(name)),
            _words(after.get(name)),
            beyond=before.get(name) == after.get(name),
            kept=name in kept,
        )
        for name in names
    ]


def _label(name: str) -> str:
    return name.removeprefix(FURTHER) if name.startswith(FURTHER) else name.replace("_", " ").capitalize()


def history_of(row: Query | Document, viewer: User, *, before: int | None) -> History:
    """Changes of the row, as far as `viewer` may read the log. One statement."""
    acts = Act.objects.visible_to(viewer).filter(query_set=row.query_set_id)
    acts = acts.filter(query=row) if isinstance(row, Query) else acts.filter(document=row)
    if before is not None:
        acts = acts.filter(pk__lt=before)
    page = list(acts.order_by("-pk")[: PAGE + 1])
    earlier = page[PAGE - 1].pk if len(page) > PAGE else None
    return History([_change(act) for act in page[:PAGE]], earlier)


def uses_of(row: Query | Document) -> list[str]:
    """What refers to the row, with counts: “3 pairs”, “2 runs”. Empty: nothing does."""
    counts = ((link.model, users_by(link).filter(**{link.name: row}).count()) for link in uses(type(row)))
    return [counted(count, *nouns_of(model)) for model, count in counts if count]


def users_by(link: Link) -> Rows[Any]:
    """All rows with a key by which they use a query or document, also those that nobody sees any more."""
    rows: Rows[Any] = link.model._base_manager.all()
    return rows


def nouns_of(model: type[Model]) -> tuple[str, str]:
    """Singular and plural of what uses a query or document.

    A query has one ranking per run, one row per list and one row per version.
    """
    nouns = {"listquery": "judgment list", "versiongrades": "version", "ranking": "run"}
    name = nouns.get(str(model._meta.model_name))
    return (
        (name, f"{name}s") if name else (str(model._meta.verbose_name), str(model._meta.verbose_name_plural))
    )


def _change(act: Act) -> tuple[Act, str, list[Difference]]:
    verb = Verb(act.verb).label if act.verb in Verb.values else act.verb
    about = "it" if act.verb in OF_ITSELF else act.subject
    return act, f"{verb} {about}", differences(act.before, act.after)


def _cut(before: Any, after: Any) -> tuple[Any, Any]:
    if max(len(one) if isinstance(one, str) else 0 for one in (before, after)) <= CUT:
        return before, after
    texts = [one if isinstance(one, str) else "" for one in (before, after)]
    same = next((at for at, (one, other) in enumerate(zip(*texts, strict=False)) if one != other), None)
    start = max(0, (min(map(len, texts)) if same is None else same) - BEFORE_IT)
    first, second = (_from(one, start) if isinstance(one, str) else one for one in (before, after))
    return first, second


def _from(text: str, start: int) -> str:
    return ("…" if start else "") + text[start : start + CUT] + ("…" if len(text) > start + CUT else "")


def _words(value: Any) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        return written(value)
    if isinstance(value, Iterable) and not isinstance(value, str | Mapping):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
