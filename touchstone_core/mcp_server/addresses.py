"""Addresses of a site's pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlencode

Formula: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a site, by its address. `formula` stands in an address as in a call of the API."""

    url: str

    def query_sets(self) -> str:
        return self._page("query-sets/")

    def query_set(self, query_set: int) -> str:
        return self._page(f"query-sets/{query_set}/")

    def runs(self, query_set: int) -> str:
        return self._page(f"query-sets/{query_set}/runs/")

    def run_table(self, judgment_list: int, formula: Formula) -> str:
        return self._page(f"lists/{judgment_list}/runs/", formula)

    def run(self, judgment_list: int, run: int, formula: Formula) -> str:
        return self._page(f"lists/{judgment_list}/runs/{run}/", formula)

    def query(self, judgment_list: int, run: int, query: int, formula: Formula) -> str:
        return self._page(f"lists/{judgment_list}/runs/{run}/queries/{query}/", formula)

    def comparison(self, judgment_list: int, runs: Sequence[int], formula: Formula) -> str:
        return self._page(f"lists/{judgment_list}/compare/", {"runs": _joined(runs), **formula})

    def compared_query(self, judgment_list: int, query: int, runs: Sequence[int], formula: Formula) -> str:
        return self._page(
            f"lists/{judgment_list}/compare/queries/{query}/", {"runs": _joined(runs), **formula}
        )

    def judgment_list(self, judgment_list: int) -> str:
        return self._page(f"lists/{judgment_list}/")

    def glossary(self) -> str:
        return self._page("glossary/")

    def requesting_judgments(
        self, judgment_list: int, runs: Sequence[int], depth: int, **choices: str
    ) -> str:
        return self._page(f"lists/{judgment_list}/pairs/", {"run": list(runs), "depth": depth, **choices})

    def saving_comparison(self, judgment_list: int, runs: Sequence[int], formula: Formula) -> str:
        return self._page(f"lists/{judgment_list}/compare/save/", {"runs": _joined(runs), **formula})

    def versions(self, judgment_list: int) -> str:
        return self._page(f"lists/{judgment_list}/versions/")

    def _page(self, path: str, parameters: Formula | None = None) -> str:
        asked = urlencode(parameters or {}, doseq=True)
        return f"{self.url}/{path}{'?' if asked else ''}{asked}"


def _joined(runs: Sequence[int]) -> str:
    return "-".join(map(str, runs))
