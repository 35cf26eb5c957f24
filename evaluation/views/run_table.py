"""The runs of a query set against one judgment list."""

from django.http import HttpResponse

from judgments.views.http import MemberRequest


def run_table(request: MemberRequest, pk: int) -> HttpResponse:
    return HttpResponse("")
