"""Tokens of the API, on the account page."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from judgments.content.views.query_sets import staff_only
from judgments.models import ApiToken
from judgments.pages.http import MemberRequest
from judgments.people.actions import tokens as actions
from judgments.people.forms import TokenForm
from judgments.people.views.accounts import account_page
from judgments.people.views.security_log import log_event


@never_cache
@require_POST
def create(request: MemberRequest) -> HttpResponse:
    """Shows the token in the response and nowhere else, because a redirect would have to store it."""
    staff_only(request)
    form = TokenForm(request.POST, user=request.user)
    if not form.is_valid():
        return account_page(request, status=422, token_form=form)
    at = timezone.now()
    try:
        token, text = actions.create_token(user=request.user, at=at, **form.cleaned_data)
    except actions.TooManyTokensError as error:
        form.add_error(None, str(error))
        return account_page(request, status=422, token_form=form)
    log_event("token-created", request, bad=False, user=request.user.username, token=token.pk)
    return account_page(request, new_token=token, token_text=text)


@require_POST
def revoke(request: MemberRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(ApiToken.objects.visible_to(request.user), pk=pk)
    actions.revoke_token(token=token, at=timezone.now())
    log_event("token-revoked", request, bad=False, user=request.user.username, token=token.pk)
    messages.success(request, f"The token “{token}” is revoked. Nothing can use it any more.")
    return redirect("account")
