"""The form on the sign-in page."""

from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    """Django's, in our words."""

    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": "Wrong username or password. Both are case-sensitive."
    }
