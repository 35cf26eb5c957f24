"""The columns with which every table of queries begins, on pages and in files."""

from typing import Any

from touchstone_core.formats.columns import Column


def query_columns(template: str, **choices: Any) -> list[Column[Any]]:
    """ID, text and tags of the row's `query`. `choices` are those of the column of the text, whose cell `template` makes."""
    return [
        Column("query id", "", "query__external_id", json=("id",)),
        Column(
            "query",
            "",
            "query__text",
            label="Query",
            json=("text",),
            numeric=False,
            template=template,
            **choices,
        ),
        Column("tags", "", "query__tags"),
    ]
