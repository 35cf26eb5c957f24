"""Environment variables as the settings want them: checked, and refused with a sentence that names the variable."""

import ipaddress
import os
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo, timeout_from_conninfo

from config.postgres_data import OWNER

EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
SYSTEM_ZONES: Final = Path("/usr/share/zoneinfo")
BESIDE_LIBPQ: Final = {"assume_role", "isolation_level", "pool", "prepare_threshold", "server_side_binding"}
"""Options of Django and psycopg, which may follow the ? of a database’s URL, too."""
HOST: Final = re.compile(r"\*|\.?[a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\]")
ORIGIN: Final = re.compile(r"https?://((\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:[0-9]+)?")
DATABASE_FORM: Final = "postgresql://user:password@host:5432/name"
ESCAPES: Final = "In a user name or password, write characters such as / and [ as %2F and %5B."


def env_text(name: str, default: str = "") -> str:
    """An environment variable without white space around it; the default where it is empty."""
    return os.environ.get(name, "").strip() or default


def env_flag(name: str, default: bool = False) -> bool:
    """An environment variable as yes or no; anything but 1, true, yes, on, 0, false, no, off is refused."""
    value = env_text(name).lower()
    if value in ("1", "true", "yes", "on"):
        return True
    if value in ("0", "false", "no", "off"):
        return False
    if value:
        raise ImproperlyConfigured(f"{name} is “{value}”; expected 1 or 0.")
    return default


def env_number(name: str, default: int, highest: int = 2**62, lowest: int = 1) -> int:
    """An environment variable as a whole number from `lowest` to `highest`."""
    value = env_text(name)
    if not value:
        return default
    if not value.isdecimal() or not lowest <= int(value) <= highest:
        raise ImproperlyConfigured(
            f"{name} is “{value}”; expected a whole number from {lowest} to {highest}."
        )
    return int(value)


def env_choice(name: str, *choices: str) -> str:
    """An environment variable that is one of `choices`; the first one where it is empty."""
    value = env_text(name, choices[0])
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is “{value}”; expected {' or '.join(choices)}.")
    return value


def env_time_zone(name: str) -> str:
    """The name of a time zone; UTC where it is empty. What POSIX allows besides, such as CET-1CEST, is refused."""
    zone = env_text(name, "UTC")
    try:
        ZoneInfo(zone)
        known = not SYSTEM_ZONES.exists() or (SYSTEM_ZONES / zone).exists()  # Django looks there only
    except (LookupError, OSError, ValueError):
        known = False
    if not known:
        raise ImproperlyConfigured(
            f"{name} is “{zone}”; expected the name of a time zone, such as Europe/Berlin."
        )
    return zone


def _url_parts(name: str, url: str) -> SplitResult:
    """Raises ImproperlyConfigured for what is no URL. The message doesn't repeat it, because it may have a password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ImproperlyConfigured(f"{name} isn’t a URL: look at its host. {ESCAPES}") from None
    try:
        _ = parts.port
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} has a port that isn’t a number from 0 to 65535. {ESCAPES}"
        ) from None
    return parts


def env_database(name: str, url: str) -> dict[str, Any]:
    """The URL in the variable `name` as a DATABASES entry; anything but PostgreSQL is refused."""
    if not env_text("DATABASE_URL"):
        raise ImproperlyConfigured(f"{name} needs DATABASE_URL, which says where the site’s database is.")
    if not url.startswith(("postgres://", "postgresql://")):
        raise ImproperlyConfigured(f"{name} must look like {DATABASE_FORM}.")
    _url_parts(name, url)
    parsed: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    options = {key: value for key, value in parsed.get("OPTIONS", {}).items() if key not in BESIDE_LIBPQ}
    try:
        timeout_from_conninfo(conninfo_to_dict(make_conninfo(**options)))
    except ProgrammingError as error:
        raise ImproperlyConfigured(f"{name} can’t be used: {str(error).strip()}.") from None
    if not parsed["NAME"] and "service" not in options:
        raise ImproperlyConfigured(f"{name} names no database. It must look like {DATABASE_FORM}.")
    # How long to wait for a server that vanished: seconds to connect, milliseconds to acknowledge what was sent.
    parsed["OPTIONS"] = {"connect_timeout": 10, "tcp_user_timeout": 20_000} | parsed.get("OPTIONS", {})
    if env_text("DATABASE_DIRECT_URL"):
        parsed["ENGINE"] = "judgments.base.pooler"
    return parsed


def env_database_owner(url: str, *, embedded: bool) -> dict[str, Any]:
    """In what the connection of the tables' owner differs; nothing where the application's role owns them."""
    if url:
        return env_database("DATABASE_OWNER_URL", url)
    return {"USER": OWNER} if embedded else {}


def env_demo(*, embedded: bool, local_only: bool) -> bool:
    """Whether demo mode is on, which makes everybody who reaches the site an admin.

    So it is on by itself only where nobody else does, and on the embedded database only.
    """
    demo = env_flag("TOUCHSTONE_DEMO", default=embedded and local_only)
    if demo and not embedded:
        raise ImproperlyConfigured(
            "TOUCHSTONE_DEMO is on, and demo mode doesn’t work with DATABASE_URL. Leave out one of them."
        )
    return demo


def env_list(name: str) -> list[str]:
    return [part.strip() for part in env_text(name).split(",") if part.strip()]


def env_hosts(name: str) -> list[str]:
    """Names as ALLOWED_HOSTS has them. Others would never be those of a request."""
    return _matching(name, HOST, "a name without scheme, port or path, such as touchstone.example.org")


def env_origins(name: str) -> list[str]:
    """Origins as browsers send them."""
    return _matching(name, ORIGIN, "a scheme and a name without path, such as https://touchstone.example.org")


def _matching(name: str, form: re.Pattern[str], expected: str) -> list[str]:
    parts = [part.lower() for part in env_list(name)]
    for part in parts:
        if not form.fullmatch(part):
            raise ImproperlyConfigured(f"{name} has “{part}”; expected {expected}.")
    return parts


def env_oidc() -> dict[str, Any]:
    """The provider for single sign-on, as allauth wants it; nothing without TOUCHSTONE_OIDC_URL."""
    url = env_text("TOUCHSTONE_OIDC_URL")
    client = env_text("TOUCHSTONE_OIDC_CLIENT")
    secret = env_text("TOUCHSTONE_OIDC_SECRET")
    name = env_text("TOUCHSTONE_OIDC_NAME")
    if not url:
        if client or secret or name or env_flag("TOUCHSTONE_OIDC_CREATE"):
            raise ImproperlyConfigured(
                "Variables that begin with TOUCHSTONE_OIDC need TOUCHSTONE_OIDC_URL, the address of the provider."
            )
        return {}
    parts = _url_parts("TOUCHSTONE_OIDC_URL", url)
    host = parts.hostname or ""
    secure = parts.scheme == "https" or (parts.scheme == "http" and only_this_machine(host))
    if not (host and secure):
        raise ImproperlyConfigured(f"TOUCHSTONE_OIDC_URL is “{url}”; expected an address with https.")
    if not client or not secret:
        raise ImproperlyConfigured(
            "TOUCHSTONE_OIDC_URL needs TOUCHSTONE_OIDC_CLIENT and TOUCHSTONE_OIDC_SECRET."
        )
    return {
        "provider_id": "oidc",
        "name": name or "single sign-on",
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
