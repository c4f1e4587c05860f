"""People of a test as the tables name them."""

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import Group, User
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.test import Client
from django.utils.crypto import get_random_string

from dlqconsole.console.access import sessions
from dlqconsole.console.access.session_store import SessionStore
from dlqconsole.people import tokens
from tests.plain_sql import execute

# what the page of an account posts where nobody is limited
NO_SCOPES = {"dlq_scopes-TOTAL_FORMS": "0", "dlq_scopes-INITIAL_FORMS": "0"}


def actor_of(name: str) -> str:
    """``user:7`` for the account of that name; a number that nobody has where there is none."""
    return f"user:{User.objects.filter(username=name).values_list('pk', flat=True).first() or 999_999_999}"


# somebody whom no table of accounts knows
ALICE = "user:100000001"


def person(name: str, role: str = "operator") -> str:
    """An account with that role, made where there is none, as the tables name it."""
    user, _made = User.objects.get_or_create(username=name)
    user.groups.add(Group.objects.get(name=role))
    return f"user:{user.pk}"


def token_of(actor: str, *, made_by: str = "", days: int = 1) -> str:
    """A personal token that this person made; or somebody else for them."""
    return tokens.make(int(actor.removeprefix("user:")), "a test", days, made_by or actor)[1]


def join(user: User, role: str) -> None:
    """Make a new account one of that role, without asking whether it is one."""
    execute(
        "INSERT INTO auth_user_groups (user_id, group_id) SELECT %s, id FROM auth_group WHERE name = %s",
        user.pk,
        role,
    )


def entered(user: User, role: str) -> Client:
    """A client whose person has signed in: the session that ``force_login`` makes, in one INSERT of twenty.

    Nearly each test has one. tests/console/access/test_sessions.py compares the two.
    """
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session[sessions._BEGAN] = session[sessions._SEEN] = sessions._now()
    session[sessions._RIGHTS] = sessions._rights(role, user)
    session._session_key = get_random_string(32, VALID_KEY_CHARS)
    session.create_model_instance(session._session).save(force_insert=True)
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client
