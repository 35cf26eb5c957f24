"""Versions: frozen copies of a list's consensus grades."""

from __future__ import annotations

from typing import Final

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from judgments.models.access import MemberQuerySet
from judgments.models.content import ID_LENGTH, Query
from judgments.models.judgment_list import JudgmentList
from judgments.models.query_set import QuerySet
from judgments.models.scale import Scale
from judgments.models.user import User
from touchstone_core.grades.rules import ConsensusRule, Rule, Tie
from touchstone_core.words import names_there_are

NOTE_LENGTH: Final = 500
_FINGERPRINT_BITS: Final = 62  # inside a bigint, and never negative, as the fingerprint of a live list


class Version(models.Model):
    """A frozen, numbered copy of a list's consensus grades. The database refuses every change (see migrations).

    `sha256` is taken over the grades alone, in the bytes that `judgments.lists.sql.versions.canonical_lines` gives; so
    two versions with equal grades have equal hashes, whatever their note. The grades are in VersionGrades.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+")
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    note = models.CharField(max_length=NOTE_LENGTH, blank=True)
    scale = models.ForeignKey(Scale, on_delete=models.RESTRICT, related_name="versions")
    rule = models.CharField(max_length=10)
    tie = models.CharField(max_length=10)
    query_count = models.PositiveIntegerField(help_text="Queries with at least one grade.")
    grade_count = models.PositiveIntegerField()
    pair_count = models.PositiveIntegerField(help_text="Pairs of the list, with a grade or without.")
    undecided_count = models.PositiveIntegerField()
    adjudicated_count = models.PositiveIntegerField(default=0)
    sha256 = models.CharField(max_length=64)
    frozen_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    frozen_by_name = models.CharField(max_length=150, blank=True)
    frozen_at = models.DateTimeField()

    objects = MemberQuerySet["Version"].as_manager()

    class Meta:
        ordering = ["judgment_list", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["judgment_list", "number"], name="version_number_unique"),
            models.CheckConstraint(condition=Q(number__gte=1), name="version_number_from_one"),
            models.CheckConstraint(condition=Q(sha256__regex="^[0-9a-f]{64}$"), name="version_has_hash"),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"

    @property
    def short_hash(self) -> str:
        """As much of the hash as people compare."""
        return self.sha256[:8]

    @property
    def fingerprint(self) -> int:
        """The revision of scores made from this version: the hash, cut to a positive bigint."""
        return int(self.sha256, 16) >> (256 - _FINGERPRINT_BITS)

    @property
    def consensus_rule(self) -> ConsensusRule:
        """How the judgments of its list became grades."""
        return ConsensusRule(Rule(self.rule), Tie(self.tie))


class VersionGradesQuerySet(MemberQuerySet["VersionGrades"]):
    """For engineers and admins."""

    path = "version__query_set"


class VersionGrades(models.Model):
    """One query of a version: its grades as parallel arrays in the order of the documents' IDs, as scoring reads them.

    `external_id`, `names` and `weight` are those of the query and its documents when the version was frozen, so the
    copy needs nothing else. The keys are those of the live rows, which can't be deleted before the version (see
    migrations). `facts` explain each grade. Older versions have the explanation as text (`how`) instead.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="queries", db_index=False)
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="version_grades")
    external_id = models.CharField(max_length=ID_LENGTH, db_collation="C")
    weight = models.FloatField()
    documents = ArrayField(models.BigIntegerField())
    names = ArrayField(models.TextField())
    values = ArrayField(models.FloatField())
    how = ArrayField(models.TextField(), default=list)
    facts = models.JSONField(null=True)

    objects = VersionGradesQuerySet.as_manager()

    class Meta:
        ordering = ["version", "query"]
        constraints = [models.UniqueConstraint(fields=["version", "query"], name="version_query_once")]

    def __str__(self) -> str:
        return f"{self.external_id} in version {self.version_id}"


def missing_version_words(judgment_list: JudgmentList, number: object) -> str:
    numbers = judgment_list.versions.order_by("-number").values_list("number", flat=True)
    return f"{judgment_list} has no version {number}. {names_there_are(numbers)}"
