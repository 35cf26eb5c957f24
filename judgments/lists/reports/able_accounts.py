"""Who can judge a list."""

from django.db import models
from django.db.models import Exists, OuterRef, Q

from judgments.models import Assignment, AssignmentMode, Exclusion, JudgmentList, Membership, User


def able_accounts(judgment_list: JudgmentList) -> models.QuerySet[User]:
    """Active accounts that are members or administer the site, aren't excluded, and are named if the list names raters.

    ELIGIBLE says the same in SQL, for raters who have opened the list and have something left to judge.
    """
    here = Q(judgment_list=judgment_list.pk)
    member = Membership.objects.filter(query_set=judgment_list.query_set_id, user=OuterRef("pk"))
    excluded = Exclusion.objects.standing().filter(here, rater__user=OuterRef("pk"))
    able = User.objects.filter(Q(is_superuser=True) | Exists(member), ~Exists(excluded), is_active=True)
    if judgment_list.assignment == AssignmentMode.OPEN:
        return able
    return able.filter(Exists(Assignment.objects.filter(here, user=OuterRef("pk"))))
