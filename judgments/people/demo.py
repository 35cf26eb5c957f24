"""The accounts of demo mode: one for each role, offered as buttons on the sign-in page."""

from typing import NamedTuple


class DemoAccount(NamedTuple):
    username: str
    name: str
    role: str
    sees: str


DEMO_ACCOUNTS = (
    DemoAccount("rater", "Rosa Rater", "Rater", "a queue of pairs to judge"),
    DemoAccount("engineer", "Enno Engineer", "Relevance engineer", "runs and their four NDCGs"),
    DemoAccount("admin", "Ada Admin", "Admin", "query sets, scales, lists and raters"),
)
