"""The one settings file. The environment is read here, with config.environment, and nowhere else; docs/configuration.md lists the variables."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import django_stubs_ext
from csp.constants import NONE, SELF

from config import engines, postgres
from config.environment import (
    default_hosts,
    env_choice,
    env_database,
    env_database_owner,
    env_demo,
    env_flag,
    env_hosts,
    env_number,
    env_oidc,
    env_origins,
    env_text,
    env_time_zone,
    only_this_machine,
)
from config.secret import secret_key
from config.upload_places import storage_of

django_stubs_ext.monkeypatch()  # ModelForm[Query] and the like exist at run time, too

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env_text("TOUCHSTONE_VAR") or BASE_DIR / "var")

DEBUG = env_flag("TOUCHSTONE_DEBUG")
HOST = env_text("HOST", "127.0.0.1")
PORT = env_number("PORT", 8000, highest=65535)
WEB_WORKERS = env_number("WEB_CONCURRENCY", 2, highest=100)
SECRET_KEY_GIVEN = bool(env_text("SECRET_KEY"))
# With the blanks around it, too: without them it would be another key, and everybody would be signed out.
SECRET_KEY = os.environ["SECRET_KEY"] if SECRET_KEY_GIVEN else secret_key(VAR_DIR)
HTTPS = env_flag("TOUCHSTONE_HTTPS")
ALLOWED_HOSTS = env_hosts("ALLOWED_HOSTS") or default_hosts(HOST)
# How many proxies stand before the site, each of which adds to X-Forwarded-For; without any nobody believes that header.
PROXIES = env_number("TOUCHSTONE_PROXIES", 0, highest=10, lowest=0)
CSRF_TRUSTED_ORIGINS = env_origins("CSRF_TRUSTED_ORIGINS")
# Whoever sends it may read the figures at /metrics; without one nobody does.
METRICS_TOKEN = env_text("TOUCHSTONE_METRICS_TOKEN")
LOG_FORMAT = env_choice("TOUCHSTONE_LOG", "text", "json")
# Whether only this machine reaches the site, as far as the settings tell.
LOCAL_ONLY = only_this_machine(HOST) and all(map(only_this_machine, env_hosts("ALLOWED_HOSTS"))) and not HTTPS

INSTALLED_APPS = [
    "judgments",
    "evaluation",
    "config.apps.OperationsConfig",
    "config.apps.SiteAdministrationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "django_htmx",
    "django_linear_migrations",
    "procrastinate.contrib.django",
    "template_partials.apps.SimpleAppConfig",
]

MIDDLEWARE = [
    "config.request_log.RequestLogMiddleware",
    "config.monitoring.CountingMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.NoStoreMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.monitoring.MonitoringMiddleware",
    "config.middleware.RefusalMiddleware",
    "config.middleware.UploadLimitMiddleware",
    "config.middleware.WholeFileMiddleware",
    "config.middleware.CookieMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.api_middleware.ApiMiddleware",
    "judgments.people.views.security_log.security_log_middleware",
    "judgments.log.views.acting_middleware",
    "config.middleware.SignInMiddleware",
    "judgments.people.views.second_factor.SecondFactorMiddleware",
    "judgments.people.views.sessions.SignInsMiddleware",
    "judgments.pages.archive_guard.ArchiveMiddleware",
    "judgments.pages.deleted_rows.DeletedRowMiddleware",
    "judgments.people.views.passwords.PasswordMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.HtmxVaryMiddleware",
    "config.middleware.NoPageMiddleware",
]

# `make debug`: each page's SQL, templates and time. Only where its package is installed, nobody else reaches the site, and
# no tests run.
TOOLBAR = DEBUG and LOCAL_ONLY and "PYTEST_VERSION" not in os.environ and bool(find_spec("debug_toolbar"))
if TOOLBAR:
    INSTALLED_APPS.append("debug_toolbar")
    MIDDLEWARE.insert(
        MIDDLEWARE.index("csp.middleware.CSPMiddleware") + 1,
        "debug_toolbar.middleware.DebugToolbarMiddleware",
    )
    INTERNAL_IPS = ["127.0.0.1", "::1"]
    DEBUG_TOOLBAR_CONFIG = {"SHOW_COLLAPSED": True}

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

_LOADERS: list[Any] = [
    "django.template.loaders.filesystem.Loader",
    "django.template.loaders.app_directories.Loader",
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                ("template_partials.loader.Loader", [("django.template.loaders.cached.Loader", _LOADERS)])
            ],
            "builtins": [
                "django.contrib.humanize.templatetags.humanize",
                "template_partials.templatetags.partials",
                "judgments.templatetags.modules",
                "judgments.templatetags.touchstone",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "judgments.pages.navigation.navigation",
            ],
        },
    },
]

# The embedded PostgreSQL unless DATABASE_URL names another (15 or newer).
DATABASE_URL = env_text("DATABASE_URL")
EMBEDDED_DATABASE = not DATABASE_URL
DEMO = env_demo(embedded=EMBEDDED_DATABASE, local_only=LOCAL_ONLY)
DATABASES: dict[str, Any] = {
    "default": postgres.database_settings(VAR_DIR)
    if EMBEDDED_DATABASE
    else env_database("DATABASE_URL", DATABASE_URL)
}
# Behind a pooler, workers listen here for jobs, and the watch looks here whether PostgreSQL hangs. Nothing else uses it.
if url := env_text("DATABASE_DIRECT_URL"):
    DATABASES["direct"] = env_database("DATABASE_DIRECT_URL", url)
# Streamed files and marked pages read here.
if url := env_text("DATABASE_REPLICA_URL"):
    DATABASES["replica"] = env_database("DATABASE_REPLICA_URL", url)
    DATABASES["replica"]["OPTIONS"]["connect_timeout"] = 3  # the primary is there, too
# What `migrate` changes in the connection above, so that the application's role need not own its tables.
DATABASE_OWNER = env_database_owner(env_text("DATABASE_OWNER_URL"), embedded=EMBEDDED_DATABASE)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Background jobs: who asks for one and what it does stand in actions.
PROCRASTINATE_AUTODISCOVER_MODULE_NAME = ""
PROCRASTINATE_IMPORT_PATHS = """
    judgments.agreement.actions.agreement judgments.content.actions.deletion_jobs judgments.files.actions.import_jobs
    judgments.grades.actions.model_fits judgments.people.actions.erasure_jobs
    evaluation.comparisons.actions.comparing_jobs evaluation.runs.actions.run_jobs
    evaluation.start.actions.making_jobs evaluation.start.actions.reading_jobs
    """.split()  # noqa: SIM905 - a list would take a line for each

AUTH_USER_MODEL = "judgments.User"
AUTHENTICATION_BACKENDS = ["judgments.people.views.passwords.ThrottledBackend"]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "judgments.people.passwords.LengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "judgments.people.passwords.CommonValidator"},
    {"NAME": "judgments.people.passwords.DigitsValidator"},
    {"NAME": "judgments.people.passwords.SimilarityValidator"},
]
# Codes of an authenticator app: nobody sets them up, people may, or admins must (ADR 70). allauth keeps and checks them.
SECOND_FACTOR = env_choice("TOUCHSTONE_SECOND_FACTOR", "off", "optional", "admins")
MFA_ADAPTER = "judgments.people.actions.second_factor.SecretsAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_TOLERANCE = 1  # clocks of telephones differ
# Single sign-on with OpenID Connect, where TOUCHSTONE_OIDC_URL names a provider (ADR 70).
OIDC = env_oidc()
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {
    "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [OIDC] if OIDC else []}
}
SOCIALACCOUNT_ADAPTER = "judgments.people.views.single_sign_on.SingleSignOnAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # a form couldn't lead to another host: form-action allows none
OIDC_CREATES_ACCOUNTS = env_flag("TOUCHSTONE_OIDC_CREATE")
ENGINES = engines.site_engines(env_text("TOUCHSTONE_ENGINES"))
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14
# Behind a proxy that speaks HTTPS. Whoever comes without it is led there, and browsers remember that for half a year.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 180 * 24 * 60 * 60 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Other names of the domain aren't ours: whether they speak HTTPS, and are in browsers' lists, isn't for us to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REDIRECT_EXEMPT = [r"^(health/|metrics$)"]  # load balancers and Prometheus ask behind the proxy
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "judgments.pages.errors.csrf_failure"

# Nothing from outside, nothing inline. Bootstrap's stylesheet carries its small icons as data: images.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "worker-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

LANGUAGE_CODE = "en-us"
TIME_ZONE = env_time_zone("TZ")
USE_TZ = True
USE_I18N = False

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "config.staticfiles.PackageFinder",
]
_PACKAGES = BASE_DIR / "node_modules"
STATIC_PACKAGES = {
    "vendor/bootstrap": (
        _PACKAGES / "bootstrap" / "dist",
        ["css/bootstrap.min.css*", "js/bootstrap.bundle.min.js*"],
    ),
    "vendor/echarts": (_PACKAGES / "echarts" / "dist", ["echarts.min.js"]),
    "vendor/fonts/source-sans-3": (
        _PACKAGES / "@fontsource-variable" / "source-sans-3",
        ["*.css", "*.woff2"],
    ),
}
STORAGES = {
    "default": storage_of(env_text("TOUCHSTONE_UPLOADS")),
    "staticfiles": {
        "BACKEND": "config.staticfiles.ModuleStorage",
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
# Pages name files by their hashes only. Without the others a first start takes half the time to compress them.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
MEDIA_ROOT = VAR_DIR / "uploads"  # where earlier versions kept them
MEDIA_URL = ""
# Nobody else on the machine reads what was uploaded to a folder.
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
# An upload above this many bytes is refused with 413; the unpacked size of a compressed file has its own limit.
UPLOAD_LIMIT = env_number("TOUCHSTONE_UPLOAD_LIMIT", 512 * 1024 * 1024)
UNPACKED_LIMIT = env_number("TOUCHSTONE_UNPACKED_LIMIT", 1024 * 1024 * 1024)
# What one person may leave undecided: files, and bytes of them. A week later they go by themselves.
UNDECIDED_UPLOADS = 50
UNDECIDED_BYTES = 4 * UPLOAD_LIMIT
# A file is read in a process of its own, which may take memory in proportion to the file's size, but never more than this.
READING_MEMORY = env_number("TOUCHSTONE_READING_MEMORY", 8 * 1024 * 1024 * 1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
# How many calls of the API one account may make in a minute.
API_CALLS = env_number("TOUCHSTONE_API_CALLS", 600)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "brief": {"()": "config.logs.BriefTrouble"},
        "refusals": {"()": "config.logs.BriefRefusals"},
        "tokens": {"()": "config.logs.WithoutTokens"},
    },
    "formatters": {"text": {"()": "config.logs.TextLines"}, "json": {"()": "config.logs.JsonLines"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["brief", "refusals", "tokens"],
            "formatter": LOG_FORMAT,
        },
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "psycopg.pool": {
            "level": "CRITICAL"
        },  # it is a worker's, which says itself that the database is gone
        "touchstone.request": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
        "touchstone.security": {"level": "INFO"},
    },
}
