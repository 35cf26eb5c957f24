"""Words about content."""

from typing import Final

from touchstone_core.glossary.term import Term

CONTENT: Final = (
    Term(
        "query set",
        "queries that are judged and scored together. Members and their roles belong to it",
        also=("query set",),
    ),
    Term(
        "query",
        "what a searcher typed, with an ID, the information need, a weight (its traffic) and tags. TREC files call it a topic",
        also=("query", "queries"),
    ),
    Term(
        "document",
        "something that a search can return: ID, title, body, URL, image and further fields",
        also=("document",),
    ),
    Term(
        "member, role",
        "an account in a query set, as rater, engineer or admin",
        also=("role", "member", "members"),
    ),
    Term("site administrator", "an account that sees all query sets and manages accounts"),
    Term("archive", "a query set in the archive can be read, and nothing in it changes"),
    Term(
        "weight",
        "how much a query counts in traffic-weighted averages: mostly how often it’s searched",
        care="Head queries can hide that the rest gets worse.",
        also=("weight", "weights"),
    ),
    Term("external ID", "the ID that your files and your search system use", also=("id", "query id")),
)
