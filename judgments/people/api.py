"""The account behind a token."""

from datetime import datetime

from ninja import Router, Schema

from judgments.models import ApiToken
from judgments.pages.calls import ApiRequest

router = Router()


class TokenOut(Schema):
    name: str
    scope: ApiToken.Scope
    query_set_id: int | None
    expires_at: datetime


class AccountOut(Schema):
    username: str
    name: str
    token: TokenOut


@router.get("account", response=AccountOut, summary="Who calls, and what the token may do")
def account(request: ApiRequest) -> dict[str, object]:
    user = request.user
    return {"username": user.username, "name": user.display_name, "token": request.token}
