"""Fetches a query set with permission, for the pages and the API of every room. What an account may not see answers 404.

Lists and versions are fetched by `judgments/lists/views/fetching.py`.
"""

from django.shortcuts import get_object_or_404

from judgments.models import QuerySet
from judgments.pages.http import MemberRequest


def staffed_query_set(request: MemberRequest, pk: int) -> QuerySet:
    """For engineers and admins."""
    return get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)


def administered_query_set(request: MemberRequest, pk: int) -> QuerySet:
    return get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
