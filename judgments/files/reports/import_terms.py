"""What a file's grades and raters mean here: grades on the scale of the list, members' accounts, names of people without one, machines."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from judgments.base.digits import written
from judgments.models import QuerySet, RaterKind, Reason, Scale, User
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report

REFUSE: Final = ""
PAIR: Final = "pair"
CANNOT_JUDGE: Final = "cannot-judge"
LOWEST: Final = "lowest"
LEAVE_OUT: Final = "leave-out"
NEAREST: Final = "nearest"

NEGATIVE: Final[Mapping[str, str]] = {
    REFUSE: "Refuse the file",
    PAIR: "A pair to be judged (in the pool, not judged)",
    CANNOT_JUDGE: "“Cannot judge”: the document is missing or broken",
    LOWEST: "The lowest grade of the scale",
    LEAVE_OUT: "Leave the line out",
}
BETWEEN: Final[Mapping[str, str]] = {
    REFUSE: "Refuse the file",
    NEAREST: "The nearest grade, or the lower of two that are equally near",
}
NEGATIVE_HINT: Final = "; or choose what a negative grade means: a pair to be judged, “cannot judge”, the lowest grade, or leave it out"
BETWEEN_HINT: Final = "; or choose the nearest grade"
BECOMES: Final[Mapping[str, tuple[str, str]]] = {
    PAIR: ("it becomes a pair to be judged", "negative grade: to be judged"),
    CANNOT_JUDGE: ("it becomes “cannot judge”", "negative grade: cannot judge"),
    LOWEST: ("it becomes the lowest grade", "negative grade: lowest grade"),
    LEAVE_OUT: ("the line is left out", "negative grade: left out"),
}


@dataclass(frozen=True, slots=True)
class GradePolicy:
    """Keys of `NEGATIVE` and `BETWEEN`: what becomes of grades that the scale lacks."""

    negative: str = REFUSE
    between: str = REFUSE


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """A grade or a reason; neither for a pair to be judged."""

    value: float | None = None
    reason: str = ""


TO_BE_JUDGED: Final = FileAnswer()


class Grades:
    """Reads grades as people write them: the value, the label, or the label's initial where only one has it."""

    def __init__(self, scale: Scale, policy: GradePolicy | None = None) -> None:
        self.scale = scale
        self.policy = policy or GradePolicy()
        grades = list(scale.grades.all())
        self.values = sorted(grade.value for grade in grades)
        self.known = {value: FileAnswer(value) for value in self.values}
        initials = Counter(grade.label[:1].casefold() for grade in grades)
        self.labels = {
            grade.label[:1].casefold(): grade.value
            for grade in grades
            if initials[grade.label[:1].casefold()] == 1
        } | {grade.label.casefold(): grade.value for grade in grades}
        grade_names = ", ".join(f"{written(grade.value)} ({grade.label})" for grade in grades)
        if scale.continuous:
            grade_names = f"a number from {written(scale.minimum)} to {written(scale.maximum)}"
        self.expected = f"a grade of the scale “{scale.name}”: {grade_names}"
        self.least = scale.minimum if scale.continuous or not grades else self.values[0]
        self.greatest = scale.maximum if scale.continuous or not grades else self.values[-1]

    def answer(self, record: JudgmentRecord, report: Report) -> FileAnswer | None:
        """None for a grade that is refused or left out; the report says which."""
        grade = record.grade
        if grade is None:
            value = self.labels.get(record.grade_text.casefold())
            return (
                FileAnswer(value) if value is not None else self._refuse(record, report, "not on the scale")
            )
        if self.scale.continuous and self.least <= grade <= self.greatest:
            return FileAnswer(grade)
        return self.known.get(grade) or self._off_scale(record, grade, report)

    def _off_scale(self, record: JudgmentRecord, grade: float, report: Report) -> FileAnswer | None:
        if grade < 0 and grade < self.least:
            return self._negative(record, report)
        if record.grade_text.casefold() in self.labels:
            return FileAnswer(self.labels[record.grade_text.casefold()])
        if grade < self.least:
            return self._refuse(record, report, "below the scale")
        if grade > self.greatest:
            return self._refuse(record, report, "above the scale")
        if not self.scale.has_order:
            return self._refuse(record, report, "not on the scale")
        return self._between(record, grade, report)

    def _negative(self, record: JudgmentRecord, report: Report) -> FileAnswer | None:
        policy = self.policy.negative
        if policy not in BECOMES:
            return self._refuse(record, report, "negative grade", NEGATIVE_HINT)
        words, kind = BECOMES[policy]
        report.warn(record.line, "grade", record.grade_text, f"0 or more ({words})", kind=kind)
        if policy == CANNOT_JUDGE:
            return FileAnswer(reason=str(Reason.DOCUMENT_MISSING.value))
        return {PAIR: TO_BE_JUDGED, LOWEST: FileAnswer(self.least)}.get(policy)

    def _between(self, record: JudgmentRecord, grade: float, report: Report) -> FileAnswer | None:
        if self.policy.between != NEAREST:
            return self._refuse(record, report, "between two grades", BETWEEN_HINT)
        value = min(self.values, key=lambda value: (abs(value - grade), value))
        hint = f"a grade of the scale (it becomes {written(value)})"
        report.warn(record.line, "grade", record.grade_text, hint, kind="between two grades: nearest grade")
        return FileAnswer(value)

    def _refuse(self, record: JudgmentRecord, report: Report, kind: str, hint: str = "") -> FileAnswer | None:
        report.error(record.line, "grade", record.grade_text, self.expected + hint, kind=kind)
        return None


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


def _kinds(query_set: QuerySet, names: Collection[str]) -> dict[str, str]:
    """Of the raters without an account."""
    return dict(query_set.raters.filter(user=None, name__in=names).values_list("name", "kind"))
