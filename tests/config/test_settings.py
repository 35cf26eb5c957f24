"""What the environment makes of the settings that keep strangers out."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment

EVERYWHERE = "0.0.0.0"  # noqa: S104 - a setting, nothing listens
DATABASE = "postgresql://site@db/touchstone"


@pytest.mark.parametrize(
    ("variables", "on"),
    [
        ({}, True),
        ({"HOST": "::1"}, True),
        ({"HOST": "localhost", "ALLOWED_HOSTS": "localhost,[::1]"}, True),
        ({"HOST": EVERYWHERE}, False),
        ({"HOST": "::"}, False),
        ({"HOST": "192.0.2.7"}, False),
        ({"ALLOWED_HOSTS": "touchstone.example.org"}, False),
        ({"TOUCHSTONE_HTTPS": "1"}, False),
        ({"HOST": EVERYWHERE, "TOUCHSTONE_DEMO": "1"}, True),
        ({"TOUCHSTONE_DEMO": "0"}, False),
        ({"DATABASE_URL": DATABASE}, False),
    ],
)
def test_demo_mode_is_on_by_itself_only_where_nobody_else_reaches_the_site(settings_of, variables, on):
    assert settings_of(**variables)["DEMO"] is on


@pytest.mark.parametrize(
    ("variables", "hosts"),
    [
        ({"ALLOWED_HOSTS": "a.example.org", "HOST": EVERYWHERE}, ["a.example.org"]),
        ({"ALLOWED_HOSTS": "a.example.org, b.example.org"}, ["a.example.org", "b.example.org"]),
        ({"ALLOWED_HOSTS": "*,.example.org,[::1],10.0.0.1"}, ["*", ".example.org", "[::1]", "10.0.0.1"]),
        ({}, ["localhost", "127.0.0.1", "[::1]"]),
        ({"HOST": "2001:db8::1"}, ["localhost", "127.0.0.1", "[::1]", "[2001:db8::1]"]),
        ({"HOST": EVERYWHERE}, ["*"]),
        ({"HOST": "::"}, ["*"]),
    ],
)
def test_names_given_are_the_only_ones_that_the_site_answers_to(settings_of, variables, hosts):
    assert settings_of(**variables)["ALLOWED_HOSTS"] == hosts


def test_https_leads_browsers_there_and_has_them_remember_it(settings_of):
    names = ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_HSTS_SECONDS")

    by_default, with_https = settings_of(), settings_of(TOUCHSTONE_HTTPS="1")

    assert [by_default[name] for name in names] == [False, False, False, 0]
    assert [with_https[name] for name in names] == [True, True, True, 180 * 24 * 60 * 60]


def test_behind_a_proxy_with_https_a_request_without_it_is_led_there(client, settings, db):
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 1000
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    page = "/accounts/sign-in/"

    plain = client.get(page)
    secure = client.get(page, headers={"x-forwarded-proto": "https"})

    assert (plain.status_code, plain["Location"]) == (301, f"https://testserver{page}")
    assert secure.status_code == 200
    assert secure["Strict-Transport-Security"] == "max-age=1000"


PROVIDER = {
    "TOUCHSTONE_OIDC_URL": "https://id.example.org",
    "TOUCHSTONE_OIDC_CLIENT": "touchstone",
    "TOUCHSTONE_OIDC_SECRET": "secret",
}


def test_single_sign_on_and_second_factors_are_off_by_themselves(settings_of):
    found = settings_of()

    assert found["SOCIALACCOUNT_PROVIDERS"]["openid_connect"]["APPS"] == []
    assert (found["SECOND_FACTOR"], found["OIDC_CREATES_ACCOUNTS"]) == ("off", False)


def test_a_provider_is_set_by_three_variables(settings_of):
    [app] = settings_of(**PROVIDER)["SOCIALACCOUNT_PROVIDERS"]["openid_connect"]["APPS"]

    assert (app["client_id"], app["name"]) == ("touchstone", "single sign-on")
    assert app["settings"] == {"server_url": "https://id.example.org"}


@pytest.mark.parametrize(
    "variables",
    [
        PROVIDER | {"TOUCHSTONE_OIDC_SECRET": ""},
        PROVIDER | {"TOUCHSTONE_OIDC_URL": "http://id.example.org"},
        {"TOUCHSTONE_SECOND_FACTOR": "yes"},
        {"TOUCHSTONE_OIDC_CLIENT": "touchstone"},
        {"TOUCHSTONE_OIDC_SECRET": "secret"},
        {"TOUCHSTONE_OIDC_NAME": "Example"},
        {"TOUCHSTONE_OIDC_CREATE": "1"},
    ],
)
def test_half_a_provider_and_one_without_https_are_refused(settings_of, variables):
    with pytest.raises(ImproperlyConfigured, match="TOUCHSTONE"):
        settings_of(**variables)


def test_search_engines_are_read_from_a_file(settings_of, tmp_path):
    file = tmp_path / "engines.toml"
    file.write_text('[solr]\nurl = "http://solr/select?q={query}"\n')

    assert settings_of()["ENGINES"] == {}
    assert list(settings_of(TOUCHSTONE_ENGINES=str(file))["ENGINES"]) == ["solr"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "No such file"),
        (b"[solr]", "Engine “solr”: It has no url"),
        (b"\x80\xff", "It isn’t text in UTF-8."),
    ],
)
def test_a_file_of_engines_that_cannot_be_read_is_refused(settings_of, tmp_path, content, problem):
    file = tmp_path / "engines.toml"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(ImproperlyConfigured, match=f"TOUCHSTONE_ENGINES names .*engines.toml, .*{problem}"):
        settings_of(TOUCHSTONE_ENGINES=str(file))


def test_the_example_of_the_docs_is_a_file_of_engines(settings_of, tmp_path):
    text = (Path(environment.__file__).parents[1] / "docs" / "configuration.md").read_text()
    file = tmp_path / "engines.toml"
    file.write_text(text.split("```toml\n")[1].split("```")[0])

    assert list(settings_of(TOUCHSTONE_ENGINES=str(file))["ENGINES"]) == ["Products, staging", "solr"]


def test_only_with_an_address_past_it_the_site_knows_of_a_pooler(settings_of):
    url = "postgresql://site@db/touchstone"
    pooled = {"DATABASE_URL": url, "DATABASE_REPLICA_URL": url, "DATABASE_DIRECT_URL": url}

    def engines(variables):
        return {one["ENGINE"] for one in settings_of(**variables)["DATABASES"].values()}

    assert engines({"DATABASE_URL": url}) == {"django.db.backends.postgresql"}
    assert engines(pooled) == {"judgments.base.pooler"}


def refusal(settings_of, **variables):
    with pytest.raises(ImproperlyConfigured) as refused:
        settings_of(**variables)
    return str(refused.value)


@pytest.mark.parametrize(
    "zone",
    ["Mars/Olympus", "CET-1CEST", ":/etc/localtime", "../../etc/passwd", "/etc/passwd", "Europe", "x" * 300],
)
def test_what_is_no_name_of_a_time_zone_is_refused(settings_of, zone):
    assert refusal(settings_of, TZ=zone) == (
        f"TZ is “{zone}”; expected the name of a time zone, such as Europe/Berlin."
    )


def test_a_time_zone_that_the_system_lacks_is_refused(settings_of, monkeypatch, tmp_path):
    """Django looks there, and nowhere else."""
    monkeypatch.setattr(environment, "SYSTEM_ZONES", tmp_path)

    assert "TZ is “Europe/Berlin”" in refusal(settings_of, TZ="Europe/Berlin")


@pytest.mark.parametrize(("given", "zone"), [("", "UTC"), (" ", "UTC"), (" Europe/Berlin ", "Europe/Berlin")])
def test_a_time_zone_has_a_default(settings_of, given, zone):
    assert settings_of(TZ=given)["TIME_ZONE"] == zone


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("postgresql://u:s3cret@[x/y", "isn’t a URL: look at its host."),
        ("postgresql://u:s3cret@host:port/name", "has a port that isn’t a number from 0 to 65535."),
        ("postgresql://u:s3/cret@host/name", "has a port that isn’t a number from 0 to 65535."),
        ("postgresql://u:s3cret@host/x?nonsense=1", 'can’t be used: invalid connection option "nonsense".'),
        (
            "postgresql://u:s3cret@host/x?connect_timeout=a",
            "can’t be used: bad value for connect_timeout: 'a'.",
        ),
    ],
)
@pytest.mark.parametrize("name", ["URL", "OWNER_URL", "DIRECT_URL", "REPLICA_URL"])
def test_the_url_of_a_database_is_refused_with_what_is_wrong_with_it(settings_of, name, url, problem):
    said = refusal(settings_of, **{"DATABASE_URL": DATABASE, f"DATABASE_{name}": url})

    assert said.startswith(f"DATABASE_{name} {problem}")
    assert "cret" not in said


def test_the_url_of_a_database_may_have_options(settings_of):
    """Those of PostgreSQL, of Django and of psycopg."""
    url = f"{DATABASE}?sslmode=require&application_name=a&assume_role=b&prepare_threshold=0&connect_timeout=3"

    options = settings_of(DATABASE_URL=url)["DATABASES"]["default"]["OPTIONS"]

    assert (options["sslmode"], options["assume_role"], options["connect_timeout"]) == ("require", "b", 3)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://[x", "isn’t a URL"),
        ("https://[x", "isn’t a URL"),
        ("https://x:y", "has a port that isn’t a number"),
        ("https://", "expected an address with https"),
        ("ftp://localhost", "expected an address with https"),
    ],
)
def test_the_address_of_a_provider_is_refused_with_what_is_wrong_with_it(settings_of, url, problem):
    assert problem in refusal(settings_of, **PROVIDER | {"TOUCHSTONE_OIDC_URL": url})


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_variable_means_the_default(settings_of, empty, monkeypatch):
    monkeypatch.setattr("config.secret.secret_key", lambda folder: f"key of {folder}")
    found = settings_of(TOUCHSTONE_VAR=empty, SECRET_KEY=empty, HOST=empty, DATABASE_URL=empty)

    var = Path(environment.__file__).resolve().parents[1] / "var"
    assert found["VAR_DIR"] == var
    assert (found["SECRET_KEY"], found["SECRET_KEY_GIVEN"]) == (f"key of {var}", False)
    assert (found["HOST"], found["EMBEDDED_DATABASE"]) == ("127.0.0.1", True)


def test_a_key_keeps_its_blanks(settings_of):
    """Without them it would be another key, and an update would sign everybody out."""
    found = settings_of(SECRET_KEY=" of all hosts ")

    assert (found["SECRET_KEY"], found["SECRET_KEY_GIVEN"]) == (" of all hosts ", True)


@pytest.mark.parametrize("name", ["OWNER_URL", "DIRECT_URL", "REPLICA_URL"])
def test_other_addresses_of_the_database_need_its_own(settings_of, name):
    assert refusal(settings_of, **{f"DATABASE_{name}": DATABASE}) == (
        f"DATABASE_{name} needs DATABASE_URL, which says where the site’s database is."
    )


def test_demo_mode_is_refused_on_a_database_of_ones_own(settings_of):
    assert refusal(settings_of, DATABASE_URL=DATABASE, TOUCHSTONE_DEMO="1") == (
        "TOUCHSTONE_DEMO is on, and demo mode doesn’t work with DATABASE_URL. Leave out one of them."
    )
    assert "TOUCHSTONE_DEMO is “maybe”" in refusal(
        settings_of, DATABASE_URL=DATABASE, TOUCHSTONE_DEMO="maybe"
    )


@pytest.mark.parametrize(
    "host",
    [
        "https://touchstone.example.org",
        "touchstone.example.org:443",
        "touchstone.example.org/",
        "touchstone.example.org.",
        "*.example.org",
        "a.example.org b.example.org",
        "::1",
        "[::1]:8000",
    ],
)
def test_names_that_no_request_can_have_are_refused(settings_of, host):
    assert refusal(settings_of, ALLOWED_HOSTS=f"a.example.org,{host}") == (
        f"ALLOWED_HOSTS has “{host}”; expected a name without scheme, port or path, such as touchstone.example.org."
    )


@pytest.mark.parametrize(
    "origin", ["touchstone.example.org", "https://touchstone.example.org/", "ftp://a", "https://", "*"]
)
def test_origins_that_no_browser_sends_are_refused(settings_of, origin):
    assert refusal(settings_of, CSRF_TRUSTED_ORIGINS=origin) == (
        f"CSRF_TRUSTED_ORIGINS has “{origin}”; "
        "expected a scheme and a name without path, such as https://touchstone.example.org."
    )


def test_origins_are_as_browsers_send_them(settings_of):
    given = "https://Touchstone.example.org,http://a:8000,https://*.example.org"

    assert settings_of(CSRF_TRUSTED_ORIGINS=given)["CSRF_TRUSTED_ORIGINS"] == given.lower().split(",")
