"""One query of a run, figure by figure."""

from django.http import HttpResponse

from judgments.views.http import MemberRequest


def run_query(request: MemberRequest, list_pk: int, pk: int, query_pk: int) -> HttpResponse:
    return HttpResponse("")
