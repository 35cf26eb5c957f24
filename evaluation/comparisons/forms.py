"""What pages of comparisons take: which runs are compared and on what, which queries are listed, intents, and names to save them under."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.http import QueryDict

from evaluation.comparisons.reports.query_table import NEED_BOUNDS, SORTS
from evaluation.models import Comparing, Run
from judgments.base.keys import key_in
from judgments.models import Query, QuerySet
from touchstone_core.comparison.comparison import DCG
from touchstone_core.formats import cells
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.words import counted, tidied

MOST_RUNS: Final = 20
CHOOSE: Final = "Choose at least one run to compare with the baseline."
RUNS: Final = "runs"
ON: Final = "on"
CONFIRM: Final = "confirm"
INTENT: Final = "intent"
DEFAULT_ON: Final = "global"
# What the form of choice sends; gone from the URL that it leads to.
RUN, BASELINE = "run", "baseline"


@dataclass(frozen=True, slots=True)
class RunChoice:
    """The runs, the baseline first; `problem` says why they cannot be compared. Empty where nothing was chosen yet."""

    runs: tuple[Run, ...]
    problem: str = ""

    @property
    def ready(self) -> bool:
        return len(self.runs) > 1 and not self.problem

    @property
    def baseline(self) -> Run | None:
        return self.runs[0] if self.runs else None

    @property
    def text(self) -> str:
        """What the URL says of them: `3-5-7`."""
        return runs_text(self.runs)

    @property
    def removals(self) -> list[tuple[Run, str]]:
        """Each run beside the baseline, with what the URL says without it; nothing where too few would be left."""
        return [
            (one, runs_text(run for run in self.runs if run != one) if len(self.runs) > 2 else "")
            for one in self.runs[1:]
        ]

    @property
    def baselines(self) -> list[tuple[Run, str]]:
        """Each run beside the baseline, with what the URL says where it is the baseline instead."""
        return [(one, runs_text([one, *(run for run in self.runs if run != one)])) for one in self.runs[1:]]

    def additions(self, runs: Iterable[Run]) -> list[tuple[Run, str]]:
        """Each of these runs that could be added, with what the URL says then."""
        if len(self.runs) >= MOST_RUNS:
            return []
        return [(run, runs_text([*self.runs, run])) for run in runs if run not in self.runs]


def runs_text(runs: Iterable[Run]) -> str:
    return "-".join(str(run.pk) for run in runs)


def sent_choice(data: QueryDict) -> str | None:
    """`3-5-7` for what the form of choice sent, the baseline first; None where the URL comes from elsewhere."""
    if RUN not in data and BASELINE not in data:
        return None
    baseline = data.get(BASELINE, "")
    keys = dict.fromkeys([baseline, *data.getlist(RUN)])
    return "-".join(key for key in keys if key.isdecimal())


def read_runs(data: QueryDict, runs: Iterable[Run]) -> RunChoice:
    """From `runs=3-5-7`; a run that is not there, twice, or too many are a problem said in a sentence."""
    by_key = {str(run.pk): run for run in runs}
    keys = [key for key in data.get(RUNS, "").split("-") if key]
    matches = tuple(dict.fromkeys(by_key[key] for key in keys if key in by_key))
    if unknown := sum(key not in by_key for key in keys):
        return RunChoice(matches, _unknown_words(unknown, len(keys)))
    if len(matches) < len(keys):
        return RunChoice(matches, "This link names a run twice. Choose each run once.")
    if len(matches) > MOST_RUNS:
        return RunChoice(matches[:MOST_RUNS], f"Up to {MOST_RUNS} runs are compared at once.")
    if len(matches) == 1:
        return RunChoice(matches, CHOOSE)
    return RunChoice(matches)


def _unknown_words(unknown: int, of: int) -> str:
    one = unknown == 1
    return (
        f"{unknown:,} of {counted(of, 'run')} of this link {'was' if one else 'were'} deleted, or "
        f"{'isn’t' if one else 'aren’t'} in this query set. Choose the runs again."
    )


def choices_on(cutoff: int, measures: Sequence[RoundedMeasure]) -> list[tuple[str, str]]:
    """What a comparison can be on: the four NDCGs, DCG, further measures."""
    ndcgs = [(ideal, f"NDCG-{ideal}@{cutoff}") for ideal in ("global", "max", "recall", "local")]
    return [*ndcgs, (DCG, f"DCG@{cutoff}"), *((str(measure), str(measure)) for measure in measures)]


def read_on(data: QueryDict, measures: Sequence[RoundedMeasure]) -> str:
    """The default where the URL says nothing, or a measure that is not among the further ones."""
    on = data.get(ON) or DEFAULT_ON
    return on if on in (*IDEALS, DCG, *map(str, measures)) else DEFAULT_ON


SHOW: Final = [
    ("", "all queries"),
    ("lost", "lost by the run"),
    ("won", "won by the run"),
    ("tied", "tied"),
    ("changed", "with another page"),
    ("order", "with the same documents in another order"),
    ("documents", "with other documents"),
    ("decided", "decided, whatever grades are missing"),
    ("for-run", "decided for the run"),
    ("for-baseline", "decided for the baseline"),
    ("even", "even: neither can win"),
    ("open", "open: missing grades can turn them"),
    ("holes", "with holes"),
]
# Where more is not better, nothing is won or lost.
RANKS_NOTHING: Final = {
    "lost": "lower with the run",
    "won": "higher with the run",
    "tied": "the same in both",
}
AMONG: Final = [("", "all queries"), ("intended", "intended queries"), ("others", "other queries")]
DEFAULT_ORDER: Final = "difference"


class ComparedQueryForm(forms.Form):
    """`bounds` is False under a formula without bounds: what rests on them is not offered, nor accepted. `ranks`: a
    higher value is a better one. Where the address names an intent, its queries, or all others, can be chosen."""

    q = forms.CharField(label="Find a query", required=False, max_length=200, widget=forms.SearchInput)
    tag = forms.CharField(
        label="Tag", required=False, max_length=60, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, data: Any, *, bounds: bool, ranks: bool) -> None:
        super().__init__(data)
        choices = [
            (key, words if ranks else RANKS_NOTHING.get(key, words))
            for key, words in SHOW
            if bounds or key not in NEED_BOUNDS
        ]
        self.fields["show"] = forms.ChoiceField(label="Show", required=False, choices=choices)
        self.intent = key_in(data.get("intent"))
        if self.intent is not None:
            self.fields["among"] = forms.ChoiceField(label="Intent", required=False, choices=AMONG)

    def clean(self) -> dict[str, Any]:
        """`intent` beside `among`, which needs it."""
        data = super().clean() or self.cleaned_data
        return data | ({"intent": self.intent} if data.get("among") else {})

    @property
    def narrows(self) -> bool:
        """Of a valid form: whether some queries are not listed."""
        return any(self.cleaned_data.values())


def orders(*, bounds: bool, ranks: bool) -> list[tuple[str, str]]:
    """Keys and words of the orders that are offered above the table; see `ComparedQueryForm`."""
    offers = [
        ("difference", "Worst first" if ranks else "Lowest difference first"),
        ("-difference", "Best first" if ranks else "Highest difference first"),
        ("-size", "Greatest difference"),
    ]
    return [*offers, ("-impact", "Greatest impact")] if bounds else offers


def read_sort(text: str) -> str:
    """A column of the table, with a minus for descending; worst first for what is none."""
    return text if text.removeprefix("-") in SORTS else DEFAULT_ORDER


MOST_NAMED: Final = 10
LONGEST_NAME: Final = 80
MOST_CHARACTERS: Final = 5_000_000


class IntentNameForm(forms.Form):
    """The name of an intent."""

    name = forms.CharField(label="Name", max_length=LONGEST_NAME)


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


class ComparingForm(forms.ModelForm[Comparing]):
    class Meta:
        model = Comparing
        fields = ["held_out", "drawn"]
        help_texts = {
            "held_out": "Queries with this tag count in no comparison until somebody opens them, which is logged. "
            "Empty: none are held out.",
            "drawn": "Where frequent queries were drawn more often, the plain mean follows the traffic already, and "
            "a weighted one would count it twice.",
        }

    def clean_held_out(self) -> Any:
        tag = self.cleaned_data["held_out"]
        queries = Query.objects.filter(query_set=self.instance.query_set_id, tags__contains=[tag])
        if tag and not queries.exists():
            raise forms.ValidationError(f"No query of this query set has the tag “{tag}”.")
        return tag


class SavedComparisonForm(forms.Form):
    name = forms.CharField(label="Name", max_length=120)
    notes = forms.CharField(
        label="Notes",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What was changed, and what was decided. Shown above the comparison.",
    )
