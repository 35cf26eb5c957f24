import pytest

from judgments.models import Role
from tests import factories as make
from tests.evaluation.pools.deciding import make_deciding


@pytest.fixture
def world(client):
    """A list without pairs, and its runs; an admin is signed in."""
    judgment_list, runs = make_deciding()
    client.force_login(make.make_member(judgment_list.query_set, Role.ADMIN))
    return judgment_list, runs
