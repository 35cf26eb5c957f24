"""Every table of judging: queries, lists, pairs, judgments, people. Import models from here."""

from judgments.models.access import (
    EVERY_ROLE,
    NO_LIMITS,
    STAFF_ROLES,
    Limits,
    MemberQuerySet,
    Role,
    Viewer,
    changing,
    in_reach,
    limited,
)
from judgments.models.adjudication import Adjudication, Cause, CountingJudgment, Exclusion
from judgments.models.agreement import AgreementHeadline, AgreementResult
from judgments.models.assignment import Assignment, GoldDraw, GoldPair
from judgments.models.audit import PAIR_KEYS, Act, Verb
from judgments.models.content import Document, Query
from judgments.models.deletion import Deletion
from judgments.models.imports import Batch, KeptFields
from judgments.models.judgment import (
    ANSWER_FIELDS,
    FREE,
    Gold,
    Handout,
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
    MAX_GOLD_RATE,
    MAX_OVERLAP,
    MAX_REPEAT_RATE,
    AssignmentMode,
    ConsensusGrade,
    Evidence,
    JudgmentList,
    ListQuery,
    Pair,
    View,
)
from judgments.models.model_fit import ModelFit, ModelGrade
from judgments.models.people import ApiAnswer, ApiToken, ApiUse, Invitation, PasswordTries, SignIn
from judgments.models.query_set import BEING_DELETED, Membership, QuerySet
from judgments.models.repeat import RepeatAnswer, RepeatDraw
from judgments.models.scale import Grade, Level, Scale
from judgments.models.site import Host, SiteKey, StoredBlock, StoredFile
from judgments.models.upload import Draft, Purpose, Upload
from judgments.models.user import User
from judgments.models.version import Version, VersionGrades

__all__ = [
    "ANSWER_FIELDS",
    "BEING_DELETED",
    "EVERY_ROLE",
    "FREE",
    "MAX_GOLD_RATE",
    "MAX_OVERLAP",
    "MAX_REPEAT_RATE",
    "NO_LIMITS",
    "PAIR_KEYS",
    "STAFF_ROLES",
    "Act",
    "Adjudication",
    "AgreementHeadline",
    "AgreementResult",
    "ApiAnswer",
    "ApiToken",
    "ApiUse",
    "Assignment",
    "AssignmentMode",
    "Batch",
    "Cause",
    "ConsensusGrade",
    "CountingJudgment",
    "Deletion",
    "Document",
    "Draft",
    "Evidence",
    "Exclusion",
    "Gold",
    "GoldDraw",
    "GoldPair",
    "Grade",
    "Handout",
    "Host",
    "Invitation",
    "Judgment",
    "JudgmentHistory",
    "JudgmentList",
    "KeptFields",
    "Level",
    "Limits",
    "ListQuery",
    "MemberQuerySet",
    "Membership",
    "Method",
    "ModelFit",
    "ModelGrade",
    "Pair",
    "PasswordTries",
    "Purpose",
    "Query",
    "QuerySet",
    "Rater",
    "RaterKind",
    "RaterQueue",
    "Reason",
    "RepeatAnswer",
    "RepeatDraw",
    "Role",
    "Scale",
    "SignIn",
    "SiteKey",
    "Skip",
    "Slot",
    "SlotState",
    "StoredBlock",
    "StoredFile",
    "Upload",
    "User",
    "Verb",
    "Version",
    "VersionGrades",
    "View",
    "Viewer",
    "changing",
    "in_reach",
    "limited",
]
