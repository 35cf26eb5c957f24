"""Who the raters of a file are: members' accounts, names of people without one, machines."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Q

from judgments.models import Judgment, JudgmentList, QuerySet, RaterKind, User

AS_FOUND: Final = ""
EXTERNAL: Final = RaterKind.EXTERNAL.value
MACHINE: Final = RaterKind.MACHINE.value
ACCOUNT: Final = "account:"
SAME: Final = "same:"
"""Before the other spelling of a name: whoever that is."""
PERSON: Final = RaterKind.PERSON.value
BY_NAME: Final = "named"
LONGEST_NAME: Final = 150
MOST_RATERS: Final = 10_000
SHOWN_RATERS: Final = 100
MOST_SHOWN: Final = 400
"""Two fields of a form for each, which may have 1,000."""
ALIKE: Final = "names that differ in case only"
TOO_MANY: Final = "too many raters"
UNANSWERED: Final = {ALIKE, TOO_MANY}
"""Kinds of problems of a whole file, which leaving out lines doesn't solve."""
WHO: Final = "NAME=external, NAME=machine, NAME=account:USERNAME or NAME=same:OTHER-SPELLING"
WORDS: Final = {EXTERNAL: "external rater", MACHINE: "machine"}
DECISIONS: Final = WORDS | {MACHINE: "machine: compared with people, doesn’t count"}
"""What somebody can say of a name."""


@dataclass(frozen=True, slots=True)
class FileRater:
    """A name of a file: how many judgments are under it, who it is unless somebody says otherwise, and what was said.

    `alike` is a name that differs from it in case only, of the file, an account or a rater; empty where there is none.
    """

    name: str
    judgments: int
    as_found: str
    decision: str
    alike: str = ""


class Raters:
    """Gives every name of a file the key of its rater, and counts the judgments under it.

    A key is a kind and a name, “person:ann”. A `named` one is whatever rater of that name there is without an account,
    and becomes an external one where there is none. Names that mean the same rater have the same key.
    """

    def __init__(self, query_set: QuerySet, decisions: Mapping[str, str]) -> None:
        self.query_set = query_set
        self.decisions = decisions
        self.people = accounts(query_set)
        self.emails = _emails(query_set, self.people)
        self.counts: Counter[str] = Counter()
        self._keys: dict[str, str] = {}

    def key(self, name: str) -> str:
        """Counts one judgment."""
        if self.too_many and name not in self.counts:
            return f"{BY_NAME}:{name}"  # the file is refused; no more of them are kept
        self.counts[name] += 1
        return self._keys.get(name) or self._keys.setdefault(name, self._key(name))

    @property
    def too_many(self) -> bool:
        return len(self.counts) > MOST_RATERS

    def _key(self, name: str) -> str:
        decision = self.decisions.get(name, AS_FOUND)
        if decision.startswith(SAME) and decision.casefold() == f"{SAME}{name}".casefold():
            name = decision.removeprefix(SAME)
            decision = self.decisions.get(name, AS_FOUND)
        account = decision.removeprefix(ACCOUNT) if decision.startswith(ACCOUNT) else ""
        if account in self.people:
            return f"{PERSON}:{account}"
        if decision in WORDS:
            return f"{decision}:{name}"
        person = self._person(name)
        return f"{PERSON}:{person}" if person else f"{BY_NAME}:{name}"

    def _person(self, name: str) -> str:
        """The account that a name means unless somebody says otherwise, or an empty text."""
        return name if name in self.people else self.emails.get(name.casefold(), "")

    def listing(self) -> list[FileRater]:
        """The names with most judgments, and all that somebody has decided on or may mean an account or another rater."""
        alike = self.alike()
        names = [
            name
            for position, (name, _) in enumerate(self.counts.most_common())
            if position < SHOWN_RATERS or name in alike or self.decisions.get(name) or self._person(name)
        ][:MOST_SHOWN]
        kinds = _kinds(self.query_set, names)
        return [
            FileRater(
                name,
                self.counts[name],
                self._words(name, kinds),
                self.decisions.get(name, AS_FOUND),
                alike.get(name, ""),
            )
            for name in names
        ]

    def alike(self) -> dict[str, str]:
        """Names of the file that differ in case only from another one, with that one: of an account, a rater or the file.

        Of names of the file, the one that others differ from is one that nobody has decided on, with the most judgments.
        """
        others = list(self.query_set.raters.filter(user=None).values_list("name", flat=True))
        first: dict[str, str] = {}
        names = sorted(self.counts, key=lambda name: (bool(self.decisions.get(name)), -self.counts[name]))
        for name in (*self.people, *others, *names):
            first.setdefault(name.casefold(), name)
        exact = {*self.people, *others}
        return {
            name: first[name.casefold()]
            for name in self.counts
            if name not in exact and first[name.casefold()] != name and not self._person(name)
        }

    def _words(self, name: str, kinds: Mapping[str, str]) -> str:
        if person := self._person(name):
            return f"account {person}"
        return WORDS[kinds[name]] if name in kinds else f"{WORDS[EXTERNAL]}, new"


def decision_of(text: str) -> tuple[str, str] | None:
    """A name and who it is, of a text as `WHO` says. None for any other text."""
    name, _, who = text.rpartition("=")
    if SAME in text and not who.startswith(SAME):  # the other spelling holds the sign, too
        name, _, other = text.partition(f"={SAME}")
        who = f"{SAME}{other}"
    return (name, who) if name and (who in WORDS or who.startswith((ACCOUNT, SAME))) else None


def name_of(key: str) -> str:
    return key.partition(":")[2]


def kind_of(key: str) -> str:
    return key.partition(":")[0]


def accounts(query_set: QuerySet) -> dict[str, User]:
    """Accounts by username that may be meant: members of the query set, and whoever has judged in it."""
    theirs = Q(memberships__query_set=query_set) | Q(raters__query_set=query_set)
    return {user.username: user for user in User.objects.filter(theirs).distinct()}


def _emails(query_set: QuerySet, people: Mapping[str, User]) -> dict[str, str]:
    """Usernames by e-mail address, for those that one account has and that are no names of raters yet."""
    counts = Counter(user.email.casefold() for user in people.values())
    known = query_set.raters.filter(user=None, name__contains="@").values_list("name", flat=True)
    taken = {"", *(name.casefold() for name in known)}
    emails = {user.email.casefold(): name for name, user in people.items()}
    return {email: name for email, name in emails.items() if counts[email] == 1 and email not in taken}


def known_raters(query_set: QuerySet, keys: Collection[str]) -> dict[str, int]:
    """The raters of these keys that there are."""
    people = {name_of(key) for key in keys if kind_of(key) == PERSON}
    names = {name_of(key) for key in keys if kind_of(key) != PERSON}
    by_user = dict(query_set.raters.filter(user__username__in=people).values_list("user__username", "pk"))
    by_name = dict(query_set.raters.filter(user=None, name__in=names).values_list("name", "pk"))
    pks = {key: (by_user if kind_of(key) == PERSON else by_name).get(name_of(key)) for key in keys}
    return {key: rater for key, rater in pks.items() if rater is not None}


def machines_of(judgment_list: JudgmentList, keys: Collection[str]) -> dict[str, bool]:
    """The machines among the raters of these keys by name, and whether their grades count in the list.

    One that has no judgment in the list yet doesn't, see `files.actions.machines`. Two statements at most.
    """
    named = {name_of(key) for key in keys if kind_of(key) == BY_NAME}
    known = _kinds(judgment_list.query_set, named) if named else {}
    names = {name_of(key) for key in keys if kind_of(key) == MACHINE} | {
        name for name, kind in known.items() if kind == MACHINE
    }
    if not names:
        return {}
    judged = Judgment.objects.filter(judgment_list=judgment_list, rater=OuterRef("pk"))
    left_out = judgment_list.exclusions.standing().filter(rater=OuterRef("pk"))
    counting = judgment_list.query_set.raters.filter(Exists(judged), ~Exists(left_out), user=None)
    count = set(counting.filter(name__in=names).values_list("name", flat=True))
    return {name: name in count for name in sorted(names)}


def _kinds(query_set: QuerySet, names: Collection[str]) -> dict[str, str]:
    """Of the raters without an account."""
    return dict(query_set.raters.filter(user=None, name__in=names).values_list("name", "kind"))
