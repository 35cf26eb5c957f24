"""The queries that a change is meant to improve, by tags, IDs and texts."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final

from django import forms

from judgments.base.names import NameField
from judgments.models import Query, QuerySet
from touchstone_core.formats import cells
from touchstone_core.words import counted, tidied

MOST_NAMED: Final = 10
LONGEST_NAME: Final = 80
MOST_CHARACTERS: Final = 5_000_000


class IntentNameForm(forms.Form):
    """The name of an intent."""

    name = NameField(label="Name", max_length=LONGEST_NAME)


class IntentForm(IntentNameForm):
    """With its queries; once it is valid, `chosen` are their keys."""

    tags = forms.CharField(
        required=False,
        help_text="Separated by commas. Every query that has one of these tags now is included.",
    )
    queries = forms.CharField(
        label="Queries",
        required=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 8, "dir": "auto"}),
        help_text="Query IDs or texts, one per line. They’re added to the queries with the tags.",
    )

    def __init__(self, data: Any = None, *, query_set: QuerySet, **options: Any) -> None:
        super().__init__(data, **options)
        self.query_set = query_set
        self.chosen: set[int] = set()

    def clean_tags(self) -> tuple[str, ...]:
        tags = cells.tags(self.cleaned_data["tags"])
        if tags is None:
            raise forms.ValidationError("Enter tags separated by commas.")
        keys_by_tag: dict[str, set[int]] = defaultdict(set)
        if tags:
            queries = Query.objects.filter(query_set=self.query_set, tags__overlap=list(tags))
            for key, names in queries.values_list("pk", "tags"):
                for name in names:
                    keys_by_tag[name].add(key)
        if unknown := [tag for tag in tags if tag not in keys_by_tag]:
            raise forms.ValidationError(f"No query has {_named(unknown, 'the tag', 'one of the tags')}.")
        for tag in tags:
            self.chosen |= keys_by_tag[tag]
        return tags

    def clean_queries(self) -> str:
        text: str = tidied(self.cleaned_data["queries"])
        lines = list(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
        if not lines:
            return text
        ids, texts = _keys(self.query_set)
        if unknown := [line for line in lines if line not in ids and _plain(line) not in texts]:
            raise forms.ValidationError(
                f"This query set has no query with {_named(unknown, 'the ID or text', 'these IDs or texts:')}."
            )
        for line in lines:
            self.chosen |= {ids[line]} if line in ids else set(texts[_plain(line)])
        return text

    @property
    def details(self) -> dict[str, Any]:
        """The name and the IDs of the chosen queries, from a valid form."""
        ids = (
            Query.objects.filter(query_set=self.query_set, pk__in=self.chosen)
            .order_by("pk")
            .values_list("external_id", flat=True)
        )
        return {"name": self.cleaned_data["name"], "queries": list(ids)}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors and not self.chosen:
            raise forms.ValidationError(
                "Say which queries are meant: by tags, by their IDs or texts, or both."
            )
        return data


def _keys(query_set: QuerySet) -> tuple[dict[str, int], dict[str, list[int]]]:
    """The query that each ID names, and the queries of each text. One statement."""
    ids: dict[str, int] = {}
    texts: dict[str, list[int]] = defaultdict(list)
    queries = Query.objects.filter(query_set=query_set)
    for key, external_id, text in queries.values_list("pk", "external_id", "text"):
        ids[external_id] = key
        texts[_plain(text)].append(key)
    return ids, texts


def _plain(text: str) -> str:
    """Texts are compared without regard to case and blanks."""
    return " ".join(text.split()).casefold()


def _named(unknown: Collection[str], one: str, many: str) -> str:
    first = ", ".join(f"“{name[:80]}”" for name in list(unknown)[:MOST_NAMED])
    more = f" and {counted(len(unknown) - MOST_NAMED, 'more', 'more')}" if len(unknown) > MOST_NAMED else ""
    return f"{one if len(unknown) == 1 else many} {first}{more}"
