"""Forms of query sets, queries and documents, what is looked for among them, and the tags of many."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.http import QueryDict

from judgments.base.amounts import check_moderate
from judgments.base.digits import written
from judgments.base.names import NameField
from judgments.content.reports.search import Criteria
from judgments.models import Document, Query, QuerySet
from touchstone_core.formats import cells
from touchstone_core.formats.content.content_writers import written_value
from touchstone_core.formats.content.documents import fields_fault
from touchstone_core.words import is_visible, tidied

MOST_FIELDS: Final = 200
EMPTY_ROWS: Final = 2
ONE_LINE: Final = 80
TEXTS: Final = ("title", "body", "url", "image")
NAME, VALUE = "field_name", "field_value"


def criteria_in(address: QueryDict) -> Criteria:
    """The search that an address asks for: `q`, `tag` (any number), `list`, `unjudged`, `sort`."""
    return Criteria(
        text=address.get("q", "").strip(),
        tags=tuple(dict.fromkeys(tag.replace("\x00", "") for tag in address.getlist("tag") if tag)),
        in_list=address.get("list", ""),
        unjudged=bool(address.get("unjudged")),
        sort=address.get("sort", ""),
    )


class IdField(forms.CharField):
    """The ID of a row that is new."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("help_text", "As your search system calls it. It cannot be changed later.")
        super().__init__(max_length=cells.LONGEST_ID, **options)

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        if fault := cells.id_fault(text):
            raise forms.ValidationError(f"Enter {fault}.")
        return text


class QueryForm(forms.Form):
    """The fields of a query; without `query` also the ID of one that is new."""

    external_id = IdField(label="Query ID")
    text = forms.CharField(
        label="Query", max_length=cells.LONGEST_QUERY, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"})
    )
    information_need = forms.CharField(
        label="Information need",
        required=False,
        max_length=cells.LONGEST_NEED,
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
        help_text="What somebody who types this wants to find. Raters read it beside the query.",
    )
    weight = forms.FloatField(
        min_value=0,
        validators=[check_moderate],
        initial=1,
        help_text="Traffic: how much this query counts in a weighted mean.",
        widget=forms.NumberInput(attrs={"step": "any", "min": 0}),
    )
    tags = forms.CharField(required=False, help_text="Separated by commas.")

    def __init__(self, data: QueryDict | None = None, *, query: Query | None = None) -> None:
        initial = (
            None
            if query is None
            else {
                "text": query.text,
                "information_need": query.information_need,
                "weight": written(query.weight),
                "tags": ", ".join(query.tags),
            }
        )
        super().__init__(data, initial=initial)
        self.query = query
        if query is not None:
            del self.fields["external_id"]

    def clean_text(self) -> str:
        text = _kept(self.cleaned_data["text"], self.query.text if self.query else "")
        if not is_visible(text):
            raise forms.ValidationError("Enter a text that can be seen.")
        return text

    def clean_information_need(self) -> str:
        return _kept(self.cleaned_data["information_need"], self.query.information_need if self.query else "")

    def clean_tags(self) -> list[str]:
        typed: str = self.cleaned_data["tags"]
        if self.query and typed == ", ".join(self.query.tags):
            return self.query.tags
        return typed_tags(typed)


class DocumentForm(forms.Form):
    """The fields of a document, its further ones as rows of name and value; without `document` also its ID."""

    external_id = IdField(label="Document ID")
    title = forms.CharField(
        required=False, max_length=cells.LONGEST_TITLE, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    body = forms.CharField(
        required=False,
        max_length=cells.LONGEST_BODY,
        widget=forms.Textarea(attrs={"rows": 12, "dir": "auto"}),
        help_text="Plain text or HTML. Raters see it without scripts, styles and images.",
    )
    url = forms.CharField(label="URL", required=False, max_length=cells.LONGEST_ADDRESS)
    image = forms.CharField(
        label="Image URL",
        required=False,
        max_length=cells.LONGEST_ADDRESS,
        help_text="Shown where the settings of the query set allow images.",
    )

    def __init__(self, data: QueryDict | None = None, *, document: Document | None = None) -> None:
        initial = {name: getattr(document, name) for name in TEXTS} if document else None
        super().__init__(data, initial=initial)
        self.document = document
        if document is not None:
            del self.fields["external_id"]

    @property
    def rows(self) -> list[tuple[str, str, bool]]:
        """The further fields as they are typed or stored, and empty rows for more; whether a value needs several lines."""
        stored = [(name, written_value(value)) for name, value in self._stored.items()]
        rows = [*(self._typed if self.is_bound else stored), *[("", "")] * EMPTY_ROWS]
        return [(name, value, "\n" in value or len(value) > ONE_LINE) for name, value in rows]

    @property
    def _stored(self) -> dict[str, Any]:
        return self.document.fields if self.document else {}

    @property
    def _typed(self) -> list[tuple[str, str]]:
        data: Any = self.data
        pairs = zip(data.getlist(NAME), data.getlist(VALUE), strict=False)
        return [(name.strip(), value) for name, value in pairs if name.strip() or value.strip()]

    def clean(self) -> dict[str, Any]:
        """Every text that only lost its line ends in the browser stays as it is stored, and so does what is no text."""
        cleaned = super().clean() or {}
        for name in TEXTS:
            if name in cleaned:
                cleaned[name] = _kept(cleaned[name], getattr(self.document, name, ""))
        fields: dict[str, Any] = {}
        for name, value in self._typed:
            if problem := _row_problem(name, value, fields):
                self.add_error(None, problem)
                continue
            stored = self._stored.get(name)
            known = written_value(stored)
            fields[name] = (
                stored if name in self._stored and tidied(known) == tidied(value) else tidied(value)
            )
        if fault := fields_fault({name: written_value(value) for name, value in fields.items()}):
            self.add_error(None, f"The further fields are too long: {fault} are possible.")
        return cleaned | {"fields": fields}


class TagForm(forms.Form):
    """A tag to be given to queries or taken from them."""

    tag = forms.CharField(max_length=cells.LONGEST_TAG, error_messages={"required": "Enter a tag."})

    def clean_tag(self) -> str:
        tags = typed_tags(self.cleaned_data["tag"])
        if len(tags) != 1:
            raise forms.ValidationError("Enter one tag, without commas.")
        return tags[0]


def typed_tags(typed: str) -> list[str]:
    """The tags of a text that separates them by commas. Raises ValidationError."""
    tags = cells.tags(typed)
    if tags is None:
        raise forms.ValidationError("Enter tags separated by commas.")
    if long := next((tag for tag in tags if len(tag) > cells.LONGEST_TAG), None):
        raise forms.ValidationError(
            f"“{long[:20]}…” has {len(long)} characters; a tag has {cells.LONGEST_TAG} at most."
        )
    if len(tags) > cells.MOST_TAGS:
        raise forms.ValidationError(
            f"You entered {len(tags):,} tags; a query has {cells.MOST_TAGS} at most. Remove some."
        )
    return list(tags)


def _kept(typed: str, stored: str) -> str:
    """What is stored, where a browser changed nothing but line ends and blanks around it."""
    return stored if tidied(typed) == tidied(stored) else tidied(typed)


def _row_problem(name: str, value: str, fields: Mapping[str, Any]) -> str:
    if not name:
        return f"Give the field with the value “{value.strip()[:40]}” a name."
    if name in fields:
        return f"There are two fields “{name[:40]}”. Give each a name of its own."
    if cells.text_fault(name) or cells.text_fault(value):
        return f"The field “{name[:40]}” has characters that cannot be stored."
    return "" if len(fields) < MOST_FIELDS else f"A document has {MOST_FIELDS} further fields at most."


class QuerySetForm(forms.ModelForm[QuerySet]):
    class Meta:
        model = QuerySet
        fields = ["name", "description", "show_images"]
        field_classes = {"name": NameField}
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
        help_texts = {"show_images": "Load images of documents from their addresses on the rating screen."}
        error_messages = {"name": {"required": "Enter a name."}}

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if QuerySet.objects.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("There is already a query set of this name. Choose another name.")
        return name
