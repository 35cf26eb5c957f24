"""Addresses of this room."""

from django.urls import path

from judgments.people.views import accounts, joining, members, personal_data, sessions, tokens

urlpatterns = [
    path("accounts/sign-in/", accounts.SignIn.as_view(), name="sign-in"),
    path("accounts/sign-out/", accounts.SignOut.as_view(), name="sign-out"),
    path("accounts/sign-out-elsewhere/", sessions.sign_out_elsewhere, name="sign-out-elsewhere"),
    path("accounts/demo/", accounts.demo_sign_in, name="demo-sign-in"),
    path("accounts/password/", accounts.ChangePassword.as_view(), name="password-change"),
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
