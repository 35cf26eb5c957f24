"""What most tests of evaluation begin with."""

import pytest

from judgments.models import Role
from tests import factories as make


@pytest.fixture
def query_set(db):
    return make.make_query_set(name="Shop")


@pytest.fixture
def judgment_list(query_set):
    return make.make_list(query_set, name="First pass")


@pytest.fixture
def engineer(client, judgment_list):
    """Signed in."""
    user = make.make_member(judgment_list.query_set, Role.ENGINEER)
    client.force_login(user)
    return user


@pytest.fixture
def admin(client, judgment_list):
    """Signed in."""
    user = make.make_member(judgment_list.query_set, Role.ADMIN)
    client.force_login(user)
    return user
