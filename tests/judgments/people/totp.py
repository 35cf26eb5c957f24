"""Codes of an authenticator app, as RFC 6238 defines them: written anew, so that they check what the site uses."""

import base64
import hashlib
import hmac
import time


def totp(secret: str, at: float | None = None) -> str:
    """The code that an app shows at a moment, in seconds since 1970; now without one."""
    counter = int(time.time() if at is None else at) // 30
    digest = hmac.digest(base64.b32decode(secret.replace(" ", "")), counter.to_bytes(8, "big"), hashlib.sha1)
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset : offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"
