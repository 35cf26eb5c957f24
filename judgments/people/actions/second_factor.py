"""The second factor of an account: codes of an authenticator app, and recovery codes (ADR 70)."""

from base64 import urlsafe_b64encode
from hashlib import sha256

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.mfa.utils import decrypt
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.log.actions import record_act
from judgments.models import User, Verb


class WrongCodeError(JudgmentsError):
    """The code isn't the one that the app shows now."""

    sentence = "This code isn’t right. Codes change every 30 seconds and work once. Type the one that your app shows now."


class OtherKeyError(WrongCodeError):
    """The secret was encrypted with another SECRET_KEY, so no code can be right."""

    def __init__(self) -> None:
        JudgmentsError.__init__(
            self,
            "Codes can’t be checked, because the site has got another key. Ask a site administrator to remove your second factor.",
        )


class SecretsAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Encrypts secrets with the site's key, so that a backup alone makes no codes."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise OtherKeyError from None

    def get_totp_issuer(self) -> str:
        return "Touchstone"

    def get_totp_label(self, user: User) -> str:
        return user.username


def _cipher() -> Fernet:
    key = sha256(f"judgments.second_factor {settings.SECRET_KEY}".encode()).digest()
    return Fernet(urlsafe_b64encode(key))


@transaction.atomic
def set_up_second_factor(*, user: User, secret: str, code: str) -> list[str]:
    """Saves the secret if `code` shows that the app has it; returns the recovery codes. Raises WrongCodeError.

    A second factor that is there already is replaced: the caller has asked for a code of it.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    counter = _counter_of(secret, code)
    if counter is None:
        raise WrongCodeError
    Authenticator.objects.filter(user=user).delete()
    row = TOTP.activate(user, secret).instance
    _remember_counter(row, counter)
    codes: list[str] = RecoveryCodes.activate(user).generate_codes()
    record_act(Verb.CHANGED, _subject(user), after={"second factor": "set up"})
    return codes


@transaction.atomic
def check_code(*, user: User, code: str) -> None:
    """Accepts a code of the app, or a recovery code. Each works once, also on several hosts. Raises WrongCodeError or OtherKeyError."""
    for row in Authenticator.objects.select_for_update().filter(user=user):
        if row.type == Authenticator.Type.TOTP:
            counter = _counter_of(decrypt(row.data["secret"]), code)
            if counter is not None and counter > row.data.get("counter", -1):
                _remember_counter(row, counter)
                return
        elif row.type == Authenticator.Type.RECOVERY_CODES and RecoveryCodes(row).validate_code(code):
            return
    raise WrongCodeError


@transaction.atomic
def make_recovery_codes(*, user: User) -> list[str]:
    """New recovery codes; the earlier ones end."""
    Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).delete()
    record_act(Verb.CHANGED, _subject(user), after={"recovery codes": "new"})
    codes: list[str] = RecoveryCodes.activate(user).generate_codes()
    return codes


@transaction.atomic
def remove_second_factor(*, user: User) -> bool:
    """Removes the second factor with its recovery codes; False if there was none."""
    if not Authenticator.objects.filter(user=user).delete()[0]:
        return False
    record_act(
        Verb.CHANGED, _subject(user), before={"second factor": "set up"}, after={"second factor": "none"}
    )
    return True


def _counter_of(secret: str, code: str) -> int | None:
    """The number of the half minute in which the app shows this code; None if it isn't one of now."""
    for counter in yield_hotp_counters_from_time():
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, counter))):
            return int(counter)
    return None


def _remember_counter(row: Authenticator, counter: int) -> None:
    row.data["counter"] = counter
    row.save(update_fields=["data"])


def _subject(user: User) -> str:
    return f"the second factor of account {user.username}"
