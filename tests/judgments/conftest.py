"""The query set of the pages' tests, its admin and a rater, signed in."""

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


@pytest.fixture
def rater(client, query_set):
    user = make.make_member(query_set, Role.RATER)
    client.force_login(user)
    return user
