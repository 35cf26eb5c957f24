"""What most tests of evaluation begin with."""

import pytest

from judgments.models import Role
from tests import factories as make


@pytest.fixture
def judgment_list(db):
    return make.make_list(make.make_query_set(name="Shop"), name="First pass")


@pytest.fixture
def engineer(client, judgment_list):
    """Signed in."""
    user = make.make_member(judgment_list.query_set, Role.ENGINEER)
    client.force_login(user)
    return user
