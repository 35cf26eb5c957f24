"""Invitations by link: who joins, as what, and when no longer."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection

from judgments.base.errors import ArchivedError
from judgments.base.names import NameTakenError
from judgments.base.tokens import digest
from judgments.content.actions.query_sets import archive_query_set
from judgments.models import Act, Invitation, Membership, User, Verb
from judgments.people.actions import invitations
from tests import factories as make

NOW = make.NOW
pytestmark = pytest.mark.django_db


def invite(query_set, *, role="rater", days=7, uses_most=1, **more):
    more.setdefault("user", make.make_user(is_superuser=True))
    return invitations.invite(query_set=query_set, role=role, days=days, uses_most=uses_most, at=NOW, **more)


def join(token, user, at=NOW):
    return invitations.join(token=token, user=user, at=at)


def test_only_the_hash_of_a_token_of_256_bits_is_kept():
    made, token = invite(make.make_query_set())

    assert len(token) == 43  # 32 bytes in base64 without padding
    assert made.token_sha256 == digest(token)
    assert token not in str(Invitation.objects.values().get())


def test_two_invitations_have_two_tokens():
    query_set = make.make_query_set()

    assert invite(query_set)[1] != invite(query_set)[1]


def test_what_is_asked_for_once_is_made_once():
    query_set = make.make_query_set()
    admin, other = (make.make_user(name, is_superuser=True) for name in ("ada", "bert"))

    first, token = invite(query_set, user=admin, once="a")

    assert len(token) == 43
    assert invite(query_set, user=admin, once="a") == (first, token)
    assert Act.objects.filter(query_set=query_set, verb=Verb.INVITED).count() == 1
    others = [
        invite(query_set, user=admin, once="b"),
        invite(query_set, user=other, once="a"),
        invite(query_set, user=admin, role="engineer", once="a"),
        invite(make.make_query_set(), user=admin, once="a"),
        invite(query_set, once="a"),
    ]
    assert len({token, *(one[1] for one in others)}) == 6


def test_one_that_cannot_be_used_any_more_is_not_given_again():
    query_set, admin = make.make_query_set(), make.make_user(is_superuser=True)
    first, token = invite(query_set, user=admin, once="a")
    invitations.revoke(invitation=first, at=NOW)

    second, another = invite(query_set, user=admin, once="a")

    assert second != first
    assert another != token
    assert second.revoked_at is None


def test_who_has_the_link_becomes_what_it_says():
    query_set, user = make.make_query_set(), make.make_user()
    made, token = invite(query_set, role="engineer", note="Rita")

    membership, new = join(token, user)

    assert (new, membership.role, membership.query_set) == (True, "engineer", query_set)
    made.refresh_from_db()
    assert made.uses == 1
    act = Act.objects.get(verb=Verb.JOINED)
    assert (act.by_id, act.subject, act.note) == (user.pk, user.username, "Rita")
    assert act.after == {"role": "Relevance engineer"}


@pytest.mark.parametrize(("own", "offered"), [("admin", "rater"), ("rater", "admin")])
def test_a_member_stays_what_it_is_and_takes_nobodys_place(own, offered):
    query_set = make.make_query_set()
    member = make.make_member(query_set, own)
    made, token = invite(query_set, role=offered)

    membership, new = join(token, member)

    made.refresh_from_db()
    assert (membership.role, new, made.uses) == (own, False, 0)
    assert not Act.objects.filter(verb=Verb.JOINED).exists()


def test_joining_twice_joins_once_even_by_the_last_use():
    user = make.make_user()
    made, token = invite(make.make_query_set(), uses_most=1)

    assert [join(token, user)[1], join(token, user)[1]] == [True, False]

    made.refresh_from_db()
    assert made.uses == 1


def test_any_number_of_people_may_join_where_none_is_said():
    query_set = make.make_query_set()
    _, token = invite(query_set, uses_most=None)

    for _ in range(5):
        join(token, make.make_user())

    assert query_set.memberships.count() == 5


def test_one_too_many_is_refused():
    query_set = make.make_query_set()
    _, token = invite(query_set, uses_most=2)
    for _ in range(2):
        join(token, make.make_user())

    with pytest.raises(invitations.InvitationOverError, match="has been used up"):
        join(token, make.make_user())

    assert query_set.memberships.count() == 2


def test_an_invitation_ends_on_its_last_day():
    _, token = invite(make.make_query_set(), days=3, uses_most=None)

    join(token, make.make_user(), at=NOW + timedelta(days=3, seconds=-1))

    with pytest.raises(invitations.InvitationOverError, match="has expired"):
        join(token, make.make_user(), at=NOW + timedelta(days=3))


def test_a_revoked_invitation_lets_nobody_in_and_puts_nobody_out():
    query_set, early = make.make_query_set(), make.make_user()
    made, token = invite(query_set, uses_most=None, note="Team")
    join(token, early)

    invitations.revoke(invitation=made, at=NOW)
    invitations.revoke(invitation=made, at=NOW + timedelta(1))

    with pytest.raises(invitations.InvitationOverError, match="was revoked"):
        join(token, make.make_user())
    assert query_set.memberships.get().user == early
    assert Act.objects.get(verb=Verb.INVITATION_REVOKED).subject == "Team, as rater"
    assert Invitation.objects.get().revoked_at == NOW


def test_a_token_that_nobody_made_is_refused():
    with pytest.raises(invitations.NoInvitationError, match="doesn’t exist"):
        join("x" * 43, make.make_user())


def test_nobody_joins_an_archived_query_set():
    query_set = make.make_query_set()
    _, token = invite(query_set)
    archive_query_set(query_set=query_set, user=None, at=NOW)

    with pytest.raises(ArchivedError):
        join(token, make.make_user())

    assert not query_set.memberships.exists()


def test_an_account_is_made_and_joins_at_once():
    query_set = make.make_query_set()
    _, token = invite(query_set)

    user, membership = invitations.join_with_new_account(
        token=token, username="rita", password="a long one indeed", at=NOW
    )

    assert user.check_password("a long one indeed")
    assert (membership.user, membership.role) == (user, "rater")


def test_without_a_standing_invitation_no_account_is_made():
    made, token = invite(make.make_query_set())
    invitations.revoke(invitation=made, at=NOW)

    with pytest.raises(invitations.InvitationOverError):
        invitations.join_with_new_account(token=token, username="rita", password="x", at=NOW)

    assert not User.objects.filter(username="rita").exists()


def test_a_user_name_that_is_taken_takes_no_place():
    make.make_user("rita")
    made, token = invite(make.make_query_set())

    with pytest.raises(NameTakenError):
        invitations.join_with_new_account(token=token, username="rita", password="x", at=NOW)

    made.refresh_from_db()
    assert made.uses == 0


def test_what_was_offered_stands_in_the_log_and_the_token_does_not():
    _, token = invite(make.make_query_set(), role="admin", days=2, uses_most=None)

    act = Act.objects.get(verb=Verb.INVITED)
    assert act.subject == "anyone with the link, as admin"
    assert act.after == {"role": "Admin", "days": 2, "people at most": None}
    assert token not in str(Act.objects.values())


def test_what_one_is_already_is_told_though_the_link_is_used_up():
    query_set, user = make.make_query_set(), make.make_user()
    _, token = invite(query_set)
    assert invitations.membership_by(token=token, user=user) is None

    join(token, user)

    known = invitations.membership_by(token=token, user=user)
    assert known is not None
    assert known.query_set == query_set


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_exactly_one_gets_the_last_place():
    query_set = make.make_query_set()
    made, token = invite(query_set, uses_most=1)
    users = [make.make_user() for _ in range(4)]
    ready, outcomes = Barrier(len(users)), []

    def try_to_join(user):
        try:
            ready.wait()
            outcomes.append(join(token, user)[1])
        except invitations.InvitationOverError as error:
            outcomes.append(str(error))
        finally:
            connection.close()

    threads = [Thread(target=try_to_join, args=[user]) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outcomes.count(True) == 1
    assert sum("has been used up" in str(outcome) for outcome in outcomes) == 3
    assert Membership.objects.filter(query_set=query_set).count() == 1
    made.refresh_from_db()
    assert made.uses == 1
