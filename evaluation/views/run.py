"""One run against one judgment list."""

from django.http import HttpResponse

from judgments.views.http import MemberRequest


def run(request: MemberRequest, list_pk: int, pk: int) -> HttpResponse:
    return HttpResponse("")
