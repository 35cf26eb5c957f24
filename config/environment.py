"""Environment variables as the settings want them: checked, and refused with a sentence that names the variable."""

import ipaddress
import os
from typing import Any, Final
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from config.postgres_data import OWNER

EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound


def env_flag(name: str, default: bool = False) -> bool:
    """An environment variable as yes or no; anything but 1, true, yes, on, 0, false, no, off is refused."""
    value = os.environ.get(name, "").strip().lower()
    if value in ("1", "true", "yes", "on"):
        return True
    if value in ("0", "false", "no", "off"):
        return False
    if value:
        raise ImproperlyConfigured(f"{name} is “{value}”; expected 1 or 0.")
    return default


def env_number(name: str, default: int, highest: int = 2**62, lowest: int = 1) -> int:
    """An environment variable as a whole number from `lowest` to `highest`."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.isdecimal() or not lowest <= int(value) <= highest:
        raise ImproperlyConfigured(
            f"{name} is “{value}”; expected a whole number from {lowest} to {highest}."
        )
    return int(value)


def env_choice(name: str, *choices: str) -> str:
    """An environment variable that is one of `choices`; the first one where it is empty."""
    value = os.environ.get(name, "").strip() or choices[0]
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is “{value}”; expected {' or '.join(choices)}.")
    return value


def env_database(name: str, url: str) -> dict[str, Any]:
    """The URL in the variable `name` as a DATABASES entry; anything but PostgreSQL is refused."""
    if not url.startswith(("postgres://", "postgresql://")):
        raise ImproperlyConfigured(f"{name} must look like postgresql://user:password@host:5432/name.")
    try:
        parsed: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} cannot be read: {error}.") from error
    # How long to wait for a server that vanished: seconds to connect, milliseconds to acknowledge what was sent.
    parsed["OPTIONS"] = {"connect_timeout": 10, "tcp_user_timeout": 20_000} | parsed.get("OPTIONS", {})
    if os.environ.get("DATABASE_DIRECT_URL"):
        parsed["ENGINE"] = "judgments.base.pooler"
    return parsed


def env_database_owner(url: str, *, embedded: bool) -> dict[str, Any]:
    """In what the connection of the tables' owner differs; nothing where the application's role owns them."""
    if embedded:
        if url:
            raise ImproperlyConfigured(
                "DATABASE_OWNER_URL needs DATABASE_URL, the same database as another user."
            )
        return {"USER": OWNER}
    return env_database("DATABASE_OWNER_URL", url) if url else {}


def env_list(name: str) -> list[str]:
    return [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]


def env_oidc() -> dict[str, Any]:
    """The provider for single sign-on, as allauth wants it; nothing without TOUCHSTONE_OIDC_URL."""
    url = os.environ.get("TOUCHSTONE_OIDC_URL", "").strip()
    client = os.environ.get("TOUCHSTONE_OIDC_CLIENT", "").strip()
    secret = os.environ.get("TOUCHSTONE_OIDC_SECRET", "").strip()
    if not url:
        return {}
    if not url.startswith("https://") and not only_this_machine(urlsplit(url).hostname or ""):
        raise ImproperlyConfigured(f"TOUCHSTONE_OIDC_URL is “{url}”; expected an address with https.")
    if not client or not secret:
        raise ImproperlyConfigured(
            "TOUCHSTONE_OIDC_URL needs TOUCHSTONE_OIDC_CLIENT and TOUCHSTONE_OIDC_SECRET."
        )
    name = os.environ.get("TOUCHSTONE_OIDC_NAME", "").strip() or "single sign-on"
    return {
        "provider_id": "oidc",
        "name": name,
        "client_id": client,
        "secret": secret,
        "settings": {"server_url": url},
    }


def only_this_machine(host: str) -> bool:
    """Whether nothing but this machine itself reaches a site that listens on `host`."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def default_hosts(host: str) -> list[str]:
    """The names that the site answers to where ALLOWED_HOSTS doesn't say: any name where it listens on every address."""
    if host in EVERY_ADDRESS:
        return ["*"]
    return list(dict.fromkeys(["localhost", "127.0.0.1", "[::1]", f"[{host}]" if ":" in host else host]))
