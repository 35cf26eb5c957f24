"""What every test gets: a database server of its own, plain static files, a private folder for uploads."""

import gc
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.database import fleeting_server
from tests.sweeps import ONE_IN

if TYPE_CHECKING:
    from tests.snapshot import Snapshot

HERE = Path(__file__).parent
CHROMIUM = Path("/usr/bin/chromium-headless-shell")

# A busy machine is no failure, so that no example is timed. What a test makes once serves all of its examples.
COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], print_blob=True)
# `make test` looks at few examples, at others each time; `make test-thorough` at many. A failure says how to repeat it, and
# is kept under .hypothesis, where the next run begins with it.
settings.register_profile("quick", COMMON, max_examples=25)
settings.register_profile("thorough", COMMON, max_examples=1000)
# `make coverage` says the same of the same code each time.
settings.register_profile("coverage", COMMON, derandomize=True, max_examples=25, database=None)
# `make mutants` asks only whether a test fails: always with the same few examples, and never for the smallest one.
settings.register_profile(
    "mutants",
    COMMON,
    derandomize=True,
    max_examples=20,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Settings that differ in tests, changed before any application reads them."""
    from django.conf import settings

    var = Path(tempfile.mkdtemp(prefix="touchstone-var-"))
    config.add_cleanup(lambda: shutil.rmtree(var, ignore_errors=True))
    settings.VAR_DIR = var
    settings.MEDIA_ROOT = var / "uploads"
    settings.STATIC_ROOT = var / "static"
    settings.STATIC_ROOT.mkdir()
    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.EMBEDDED_DATABASE = settings.DEMO = True
    settings.DATABASE_OWNER = {}
    settings.SECRET_KEY = "of the tests"


def pytest_sessionstart() -> None:
    from django.test import Client

    from tests.signing_in import sign_in_quietly

    pytest.MonkeyPatch().setattr(Client, "force_login", sign_in_quietly)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Of the tests that take long, `make test` runs one in so many, others each time: those that the seed draws."""
    if item.get_closest_marker("sampled") and not item.get_closest_marker("thorough"):
        seed = getattr(item.config.option, "randomly_seed", 0)
        if zlib.crc32(f"{seed} {item.nodeid}".encode()) % ONE_IN:
            item.add_marker(pytest.mark.drill)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Loops over all pages begin first: they take minutes, and the other processes would wait for one that began last."""
    items.sort(key=lambda item: item.path.parent != HERE)


def pytest_collection_finish() -> None:
    """What the collection made stays to the end: looking it through for garbage costs a tenth of the tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[None]:
    """Starts the server when the first test asks for the database, and points Django to it."""
    from django.conf import settings
    from django.db import connections

    with fleeting_server(migrated=True) as server:
        changed = settings.DATABASES["default"]
        changed |= _plain_settings(server.var_dir)
        connections["default"].settings_dict["TEST"]["TEMPLATE"] = changed["NAME"]
        yield
        for connection in connections.all(initialized_only=True):
            connection.close()


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The database goes with its server, so nothing waits for connections that still end."""
    return True


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator["Snapshot"]:
    """Processes that tests start beside this one work as the application's role; what tests commit is taken back."""
    from django.test import TransactionTestCase

    from config.postgres_data import APPLICATION
    from judgments.base.sql import roles
    from tests.snapshot import Snapshot

    with django_db_blocker.unblock():
        roles.grant(APPLICATION)
        migrated = Snapshot.take()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _: migrated.restore())
        yield migrated


@pytest.fixture(scope="session")
def migrated(django_db_setup: "Snapshot") -> "Snapshot":
    """The database that has our tables and nothing else."""
    return django_db_setup


@pytest.fixture
def no_jobs(db: None) -> None:
    """Without those that a test before has committed."""
    from tests.judgments.working import forget_jobs

    forget_jobs()


def _plain_settings(var_dir: Path) -> dict[str, Any]:
    """As the owner, who may empty tables after a test that commits."""
    from config import postgres
    from config.postgres_data import OWNER

    return postgres.database_settings(var_dir) | {
        "USER": OWNER,
        "PASSWORD": "",
        "PORT": "",
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,
    }


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Debian's headless shell where it is installed, else Playwright's; quiet, and without a sandbox as root has none."""
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    quiet += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    own = {"executable_path": str(CHROMIUM)} if CHROMIUM.exists() else {}
    return {**browser_type_launch_args, **own, "args": quiet}
