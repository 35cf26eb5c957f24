"""The tools of an assistant. All of them read. What would change something leads to a page, where a person confirms it."""

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import Parameter, Signature, signature
from itertools import islice
from typing import Annotated, Final, ParamSpec, TypedDict, Unpack, get_args, get_type_hints

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BeforeValidator, Field

from touchstone_core.client.choices import Documents
from touchstone_core.client.errors import SiteError
from touchstone_core.client.records import Query
from touchstone_core.client.site import Site
from touchstone_core.glossary import CHAPTERS, explanation
from touchstone_core.mcp_server import answers
from touchstone_core.mcp_server.addresses import Pages
from touchstone_core.mcp_server.answers import answer, cut, proposal
from touchstone_core.mcp_server.quoting import RULE, quoted
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.selection import Selection

Given = ParamSpec("Given")

QuerySetId = Annotated[int, Field(ge=1, description="The ID of a query set.")]
ListId = Annotated[int, Field(ge=1, description="The ID of a judgment list.")]
RunId = Annotated[int, Field(ge=1, description="The ID of a run.")]
RunIds = Annotated[
    list[int], Field(min_length=2, max_length=20, description="The IDs of runs, the baseline first.")
]
QueryId = Annotated[
    str,
    BeforeValidator(str),  # it may look like a number
    Field(description="The ID of the query, as in files."),
]
MOST: Final = 200
MOST_SECONDS: Final = 60
"""For which an assistant waits for a worker."""


class NdcgFormula(TypedDict, total=False):
    """How NDCGs are computed, as addresses and calls name it. What isn't given is the default."""

    k: Annotated[int, Field(ge=1, description="How many results count; without it the usual cutoff.")]
    gain: Annotated[str, Field(description="linear, exp or table; without it the usual gain.")]
    version: Annotated[int, Field(ge=1, description="A version of the list; without it the grades of now.")]


class Formula(NdcgFormula, total=False):
    measures: Annotated[str, Field(description="Further measures, such as “AP RR@10”.")]


class ComparisonFormula(Formula, total=False):
    on: Annotated[str, Field(description="global, local, recall, max, dcg, or one of the measures.")]


def as_tool(tool: Callable[Given, str]) -> Callable[Given, str]:
    """What the site refuses becomes an answer for the assistant, quoted as everything else.

    The parameters of a formula become single ones, which an assistant may leave out or give as null.
    """

    @wraps(tool)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> str:
        chosen = {name: value for name, value in kwargs.items() if value is not None}
        try:
            return tool(*args, **chosen)  # type: ignore[arg-type]
        except SiteError as error:
            raise ToolError(f"The site refused this.\n{RULE}\n{quoted({'reason': str(error)})}") from error

    call.__signature__ = Signature(list(_single_parameters(tool)), return_annotation=str)  # type: ignore[attr-defined]
    return call


def _single_parameters(tool: Callable[..., str]) -> Iterator[Parameter]:
    for one in signature(tool).parameters.values():
        if one.kind is not Parameter.VAR_KEYWORD:
            yield one
            continue
        (formula,) = get_args(one.annotation)
        for name, hint in get_type_hints(formula, include_extras=True).items():
            kind, *notes = get_args(hint)
            yield Parameter(
                name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, *notes]
            )


class Tools:
    """Tools over one site."""

    def __init__(self, site: Site) -> None:
        self.site, self.pages = site, Pages(site.url)

    def reading_tools(self) -> list[Callable[..., str]]:
        return [
            self.list_query_sets,
            self.list_judgment_lists,
            self.list_runs,
            self.read_run_table,
            self.read_run,
            self.explain_query,
            self.compare_runs,
            self.compare_query,
            self.read_overview,
            self.what_to_fix_first,
            self.explain_word,
        ]

    def proposing_tools(self) -> list[Callable[..., str]]:
        return [self.propose_judgments, self.propose_saving_comparison, self.propose_version]

    def list_query_sets(self) -> str:
        """Lists the query sets that the account may see, with their IDs. Begin here."""
        rows = [
            {"id": one.id, "name": one.name, "queries": one.queries, "documents": one.documents}
            for one in islice(self.site.query_sets(), MOST + 1)
        ]
        return answer("Query sets.", cut(rows, MOST), self.pages.query_sets())

    def list_judgment_lists(self, query_set: QuerySetId) -> str:
        """Lists the judgment lists of a query set: grades of raters that runs are scored with."""
        rows = [
            {"id": one.id, "name": one.name, "rule": one.rule, "paused": one.paused}
            for one in islice(self.site.lists(query_set), MOST + 1)
        ]
        return answer("Judgment lists.", cut(rows, MOST), self.pages.query_set(query_set))

    def list_runs(self, query_set: QuerySetId) -> str:
        """Lists the runs of a query set: ranked results of search systems."""
        rows = [
            {"id": one.id, "run": one.name, "tags": one.tags, "is_baseline": one.is_baseline}
            | {"commit": one.commit, "uploaded": one.created_at.isoformat()}
            for one in islice(self.site.runs(query_set), MOST + 1)
        ]
        return answer("Runs.", cut(rows, MOST), self.pages.runs(query_set))

    def read_run_table(self, judgment_list: ListId, **formula: Unpack[Formula]) -> str:
        """Reads the scores of all runs under a judgment list, with what each mean leaves out. Two means alone don't say which run is
        better: compare_runs does."""
        table = self.site.run_table(judgment_list, timeout=MOST_SECONDS, **formula)
        page = self.pages.run_table(judgment_list, formula)
        return answer("The run table.", answers.run_table(table), page)

    def read_run(self, judgment_list: ListId, run: RunId, **formula: Unpack[Formula]) -> str:
        """Reads the averages of one run, how many queries are behind them, and by tag of queries."""
        scores = self.site.run_scores(judgment_list, run, timeout=MOST_SECONDS, **formula)
        page = self.pages.run(judgment_list, run, formula)
        return answer("One run.", answers.run_scores(scores), page)

    def explain_query(
        self, judgment_list: ListId, run: RunId, query_id: QueryId, **formula: Unpack[Formula]
    ) -> str:
        """Explains one query of a run: each result with its text, grade, gain and discount, each NDCG as DCG divided by its ideal, and
        how many points order, depth, recall and content lose."""
        query_set, query = self._query(judgment_list, query_id)
        explained = self.site.explain_query(judgment_list, run, query, **formula)
        names = [row["document"] for row in explained.content["ranking"][: answers.MOST_RANKS]]
        documents = {
            one.document_id: one for name in names for one in self.site.documents(query_set, document_id=name)
        }
        page = self.pages.query(judgment_list, run, query.id, formula)
        return answer("One query of a run.", answers.explanation(explained, documents), page)

    def compare_runs(self, judgment_list: ListId, runs: RunIds, **formula: Unpack[ComparisonFormula]) -> str:
        """Compares runs with a baseline: the verdict in words, the difference with its interval, and what unjudged results could change.
        Report the verdict as it is, and don't call a run better if the verdict doesn't."""
        compared = self.site.comparison(judgment_list, runs, timeout=MOST_SECONDS, **formula)
        page = self.pages.comparison(judgment_list, runs, formula)
        return answer("A comparison.", answers.comparison(compared), page)

    def compare_query(
        self,
        judgment_list: ListId,
        runs: Annotated[
            list[int], Field(min_length=2, max_length=2, description="The IDs of the baseline and a run.")
        ],
        query_id: QueryId,
        **formula: Unpack[Formula],
    ) -> str:
        """Puts two runs side by side on one query: each result with its grade and gain, where it moved, what that changes, and what
        explains the losses."""
        _, query = self._query(judgment_list, query_id)
        compared = self.site.compared_query(judgment_list, query, runs, timeout=MOST_SECONDS, **formula)
        page = self.pages.compared_query(judgment_list, query.id, runs, formula)
        return answer("One query in two runs.", answers.compared_query(compared), page)

    def read_overview(self, judgment_list: ListId) -> str:
        """Reads how far a judgment list has come, its pace and forecast, how far raters agree, and which queries to review."""
        found = self.site.list_overview(judgment_list)
        return answer("A judgment list.", answers.overview(found), self.pages.judgment_list(judgment_list))

    def what_to_fix_first(self, judgment_list: ListId, run: RunId, **formula: Unpack[NdcgFormula]) -> str:
        """Names the queries on which a run loses most, weighted by traffic, each with its main cause."""
        found = self.site.fixes(judgment_list, run, timeout=MOST_SECONDS, **formula)
        page = self.pages.run(judgment_list, run, formula)
        return answer("What to fix first.", answers.fixes(found), page)

    def explain_word(
        self,
        word: Annotated[
            str, Field(max_length=200, description="A word or measure, such as “pool” or “nDCG@10”.")
        ],
    ) -> str:
        """Explains a word or a measure: what it means, its formula, and when to care."""
        term = explanation(word)
        if term is None:
            names = ", ".join(one.name for chapter in CHAPTERS.values() for one in chapter)
            raise ToolError(f"The glossary doesn’t have this word. It has: {names}, and all measures.")
        lines = [f"{term.name}: {term.sentence}"]
        lines += [f"Formula: {term.formula}"] if term.formula else []
        lines += [f"When to care: {term.care}"] if term.care else []
        lines += [f"{word.strip()} in words: {words}"] if (words := _words_of_measure(word)) else []
        return "\n".join([*lines, f"Page: {self.pages.glossary()}"])

    def propose_judgments(
        self,
        judgment_list: ListId,
        runs: Annotated[list[int], Field(min_length=1, max_length=20, description="The IDs of runs.")],
        depth: Annotated[int, Field(ge=1, le=1000, description="Their results down to this rank.")] = 10,
        graded_only: Annotated[bool, Field(description="Only for queries that have grades.")] = False,
        documents: Annotated[
            Documents,
            Field(
                description="Every document, only those whose ranks differ, what is deciding between two runs (the baseline first), "
                "or a random sample of one run, to estimate its NDCG-max if all were judged."
            ),
        ] = "every",
    ) -> str:
        """Proposes to send the unjudged results of runs to the raters. Changes nothing: it returns the page where an admin confirms."""
        content = {"list": self.site.judgment_list(judgment_list).name, "runs": self._names(runs)}
        choices = {"queries": "graded" if graded_only else "every", "documents": documents}
        page = self.pages.requesting_judgments(judgment_list, runs, depth, **choices)
        return proposal(f"Proposed: request judgments down to rank {depth}.", content, page)

    def propose_saving_comparison(
        self, judgment_list: ListId, runs: RunIds, **formula: Unpack[Formula]
    ) -> str:
        """Proposes to save a comparison by name, to share it. Changes nothing: it returns the page where a person confirms."""
        content = {"list": self.site.judgment_list(judgment_list).name, "runs": self._names(runs)}
        page = self.pages.saving_comparison(judgment_list, runs, formula)
        return proposal("Proposed: save this comparison.", content, page)

    def propose_version(self, judgment_list: ListId) -> str:
        """Proposes to freeze the grades of a list as a version, for figures that stay. Changes nothing: it returns the page where an admin
        confirms."""
        content = {"list": self.site.judgment_list(judgment_list).name}
        return proposal("Proposed: freeze a version.", content, self.pages.versions(judgment_list))

    def _query(self, judgment_list: int, query_id: str) -> tuple[int, Query]:
        """The query set of the list, and its query with this ID."""
        query_set = self.site.judgment_list(judgment_list).query_set_id
        query = next(iter(self.site.queries(query_set, query_id=query_id)), None)
        if query is None:
            raise SiteError(f"Unknown query ID “{query_id}”.")
        return query_set, query

    def _names(self, runs: list[int]) -> list[str]:
        return [self.site.read_run(run).name for run in runs]


def _words_of_measure(text: str) -> str:
    """What the formula of an NDCG or DCG says; empty for everything else."""
    try:
        (one,) = [measure for _, measure in read_rounded(text)]
    except (MetricsError, ValueError):
        return ""
    if one.measure.name not in ("nDCG", "DCG") or not one.measure.cutoff:
        return ""
    return Selection.of(*one).formula.words()
