"""Secrets that are shown once: links of invitations and tokens of the API. The database keeps their SHA-256 only."""

from base64 import urlsafe_b64encode
from hashlib import sha256

from django.utils.crypto import salted_hmac


def digest(token: str) -> str:
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


def derived_token(salt: str, *facts: object) -> str:
    """The same token for the same facts, which nobody can guess without the site's secret key."""
    key = salted_hmac(salt, repr(facts), algorithm="sha256").digest()
    return urlsafe_b64encode(key).decode().rstrip("=")
