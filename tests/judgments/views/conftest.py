"""The query set that the pages' tests change, and its admin."""

import pytest

from judgments.models import Role
from tests import factories as make


@pytest.fixture
def query_set():
    return make.make_query_set(name="Shop")


@pytest.fixture
def admin(client, query_set):
    user = make.make_member(query_set, Role.ADMIN, username="ada")
    client.force_login(user)
    return user
