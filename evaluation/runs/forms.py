"""Forms about runs: the upload of a file, what people say about a run, and the tags of many."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.validators import URLValidator
from django.http import QueryDict

from evaluation.models import Run
from evaluation.models.run import LONGEST_COMMIT, LONGEST_LINK
from evaluation.runs.actions.details import DETAILS
from evaluation.runs.reports.incoming import Choices
from judgments.base.names import NameField
from judgments.content.forms import typed_tags
from judgments.files.forms import HeaderLineField
from touchstone_core.engines import MOST_DEPTH
from touchstone_core.formats.file_format import choices
from touchstone_core.formats.runs.declarations import FORMATS
from touchstone_core.formats.text import ENCODING_NAMES


class RunUploadForm(forms.Form):
    """A run file with the choices that files differ in. `file` may be left out where the file was kept."""

    file = forms.FileField(label="Run file", required=False, allow_empty_file=True)
    name = NameField(
        required=False,
        max_length=120,
        help_text="If empty: the file’s tag, or its name. For several runs, it comes before each name.",
    )
    format = forms.ChoiceField(choices=choices(FORMATS, empty="Detect"), required=False, label="Format")
    order = forms.ChoiceField(
        choices=[
            (Run.Order.SCORE, "Retrieval score"),
            (Run.Order.DOUBLE, "Score, double precision"),
            (Run.Order.RANK, "Rank column"),
        ],
        help_text="Scores count in single precision, as trec_eval does.",
        initial=Run.Order.SCORE,
        label="Order of a ranking",
    )
    queries = forms.ChoiceField(
        choices=[("", "What the format uses"), ("id", "Query ID"), ("text", "Exact text of the query")],
        required=False,
        label="Identify queries by",
    )
    unknown = forms.ChoiceField(
        choices=[("refuse", "Refuse the file"), ("skip", "Skip them and count them")], label="Unknown queries"
    )
    duplicates = forms.ChoiceField(
        choices=[("refuse", "Refuse the file"), ("first", "Keep the first")], label="Repeated documents"
    )
    several = forms.ChoiceField(
        choices=[("refuse", "Refuse the file"), ("split", "One run for each")],
        label="Several tags in a TREC file",
        initial="refuse",
        required=False,
    )
    encoding = forms.ChoiceField(
        choices=[("", "Detect"), *ENCODING_NAMES.items()], required=False, label="Encoding"
    )
    header_line = HeaderLineField()

    def __init__(self, *args: Any, kept: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kept = kept

    def clean(self) -> dict[str, Any] | None:
        data = super().clean()
        if not self.kept and not self.files.get("file"):
            self.add_error("file", "Choose a run file.")
        return data

    @property
    def choices(self) -> Choices:
        return Choices(**{name: self.cleaned_data[name] for name in Choices.__slots__})

    @property
    def reading(self) -> list[forms.BoundField]:
        """The choices of how the file is read, in the order in which they are asked for."""
        names = ("format", "queries", "order", "unknown", "duplicates", "several", "encoding", "header_line")
        return [self[name] for name in names]


class FetchForm(forms.Form):
    """Which search engine is asked for a run, and what the run is called."""

    engine = forms.ChoiceField(label="Search engine")
    depth = forms.IntegerField(label="Results per query", min_value=1, max_value=MOST_DEPTH, initial=100)
    name = NameField(
        label="Name of the run",
        required=False,
        max_length=120,
        help_text="If empty: the engine’s name and the time.",
    )

    def __init__(self, data: Any = None, *, engines: Iterable[str], prefix: str | None = None) -> None:
        super().__init__(data, prefix=prefix)
        engine = self.fields["engine"]
        assert isinstance(engine, forms.ChoiceField)  # noqa: S101 -- for the type checker
        engine.choices = [(name, name) for name in engines]


class TagsField(forms.CharField):
    """Tags separated by commas, as a list."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        return typed_tags(super().clean(value))


class LinkField(forms.URLField):
    """Its validator takes the place of Django's, which would say the same once more."""

    default_validators = [URLValidator(schemes=["http", "https"])]


class DetailsForm(forms.Form):
    """What people say about a run beside its name."""

    tags = TagsField(
        required=False,
        help_text="Separated by commas, such as nightly, bm25. Runs that share a tag can be filtered, and have a trend.",
    )
    commit = forms.CharField(
        required=False,
        max_length=LONGEST_COMMIT,
        help_text="The commit or version of the system that made it.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    link = LinkField(
        required=False,
        max_length=LONGEST_LINK,
        assume_scheme="https",
        help_text="A page about it: a build, a pull request, an experiment. It begins with http:// or https://.",
    )
    notes = forms.CharField(
        required=False, max_length=100_000, widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"})
    )


class RunForm(DetailsForm):
    """The same with the name."""

    name = NameField(max_length=120, widget=forms.TextInput(attrs={"dir": "auto"}))
    field_order = DETAILS

    def __init__(self, data: QueryDict | None, run: Run) -> None:
        super().__init__(data, initial={field: getattr(run, field) for field in DETAILS})


class TagsForm(forms.Form):
    """Tags to add to many runs, or to remove from them."""

    add = TagsField(label="Add tags", required=False, help_text="Separated by commas.")
    remove = forms.MultipleChoiceField(
        label="Remove tags", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: QueryDict | None, runs: Iterable[Run]) -> None:
        super().__init__(data)
        tags = sorted({tag for run in runs for tag in run.tags})
        remove = self.fields["remove"]
        assert isinstance(remove, forms.MultipleChoiceField)  # noqa: S101 -- for the type checker
        remove.choices = [(tag, tag) for tag in tags]
        if not tags:
            del self.fields["remove"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("add") and not cleaned.get("remove"):
            self.add_error("add", "Enter a tag to add, or choose one to remove.")
        return {"remove": []} | cleaned
