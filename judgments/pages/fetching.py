"""Fetches a query set, a list or a version with permission, for the pages and the API of every room.

What an account may not see answers 404.
"""

from django.http import Http404
from django.shortcuts import get_object_or_404

from judgments.models import JudgmentList, QuerySet, Version
from judgments.models.version import missing_version_words
from judgments.pages.http import MemberRequest


def staffed_query_set(request: MemberRequest, pk: int) -> QuerySet:
    """For engineers and admins."""
    return get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)


def administered_query_set(request: MemberRequest, pk: int) -> QuerySet:
    return get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)


def visible_list(request: MemberRequest, pk: int) -> JudgmentList:
    visible = JudgmentList.objects.visible_to(request.user).select_related("query_set", "scale")
    return get_object_or_404(visible, pk=pk)


def administered_list(request: MemberRequest, pk: int) -> JudgmentList:
    return get_object_or_404(JudgmentList.objects.administered_by(request.user).with_scale(), pk=pk)


def is_administered(request: MemberRequest, pk: int) -> bool:
    """Whether the account is an admin of the list, within the limits of the token that calls. One query."""
    return JudgmentList.objects.administered_by(request.user).filter(pk=pk).exists()


class VersionNotFoundError(Http404):
    """The message is a sentence that names the versions of the list."""

    def __init__(self, judgment_list: JudgmentList, number: object) -> None:
        super().__init__(missing_version_words(judgment_list, number))


def version_of(judgment_list: JudgmentList, number: int) -> Version:
    """Raises VersionNotFoundError."""
    version = judgment_list.versions.select_related("scale").filter(number=number).first()
    if version is None:
        raise VersionNotFoundError(judgment_list, number)
    return version
