"""The domain of judging. Import models from here."""

from judgments.models.access import EVERY_ROLE, STAFF_ROLES, MemberQuerySet, Role, Viewer, in_reach
from judgments.models.content import Document, Query
from judgments.models.judging import (
    FREE,
    Judgment,
    JudgmentHistory,
    Method,
    Rater,
    RaterKind,
    RaterQueue,
    Reason,
    Skip,
    Slot,
    SlotState,
)
from judgments.models.judgment_list import (
    MAX_OVERLAP,
    ConsensusGrade,
    JudgmentList,
    ListQuery,
    Pair,
    Rule,
    Tie,
)
from judgments.models.query_set import Membership, QuerySet
from judgments.models.scale import Grade, Level, Scale
from judgments.models.upload import Purpose, Upload
from judgments.models.user import User

__all__ = [
    "EVERY_ROLE",
    "FREE",
    "MAX_OVERLAP",
    "STAFF_ROLES",
    "ConsensusGrade",
    "Document",
    "Grade",
    "Judgment",
    "JudgmentHistory",
    "JudgmentList",
    "Level",
    "ListQuery",
    "MemberQuerySet",
    "Membership",
    "Method",
    "Pair",
    "Purpose",
    "Query",
    "QuerySet",
    "Rater",
    "RaterKind",
    "RaterQueue",
    "Reason",
    "Role",
    "Rule",
    "Scale",
    "Skip",
    "Slot",
    "SlotState",
    "Tie",
    "Upload",
    "User",
    "Viewer",
    "in_reach",
]
