"""Addresses of this room."""

from django.urls import path

from judgments.people.views import (
    accounts,
    joining,
    members,
    personal_data,
    second_factor,
    sessions,
    single_sign_on,
    tokens,
)

urlpatterns = [
    path("accounts/sign-in/", accounts.SignIn.as_view(), name="sign-in"),
    path("accounts/sign-out/", accounts.SignOut.as_view(), name="sign-out"),
    path("accounts/sign-out-elsewhere/", sessions.sign_out_elsewhere, name="sign-out-elsewhere"),
    path("accounts/demo/", accounts.demo_sign_in, name="demo-sign-in"),
    path("accounts/password/", accounts.ChangePassword.as_view(), name="password-change"),
    path("accounts/second-factor/", second_factor.ask, name="second-factor"),
    path("accounts/second-factor/set-up/", second_factor.set_up, name="second-factor-set-up"),
    path("accounts/second-factor/change/", second_factor.change, name="second-factor-change"),
    path("accounts/sign-in/<slug:provider_id>/", single_sign_on.begin, name="openid_connect_login"),
    path("accounts/sign-in/<slug:provider_id>/back/", single_sign_on.finish, name="openid_connect_callback"),
    path("accounts/tokens/", tokens.create, name="token-new"),
    path("accounts/tokens/<int:pk>/revoke/", tokens.revoke, name="token-revoke"),
    path("accounts/data/", personal_data.own_data, name="own-data"),
    path("accounts/<int:pk>/data/", personal_data.person_data, name="person-data"),
    path("accounts/<int:pk>/erase/", personal_data.erase, name="person-erase"),
    path("accounts/", accounts.account, name="account"),
    path("query-sets/<int:pk>/members/", members.members, name="query-set-members"),
    path("query-sets/<int:pk>/invitations/", members.invite, name="query-set-invite"),
    path("invitations/<int:pk>/revoke/", members.revoke, name="invitation-revoke"),
    path("join/<str:token>/", joining.join, name="join"),
]
