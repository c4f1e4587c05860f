"""The one place where a password is compared: every sign-in of Django's leads through it.

The sign-in page, Django's admin, the form that changes one's password and every other caller of
``authenticate`` are counted alike, so that none can be forgotten.
"""

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from dlqconsole.console.access import records, throttle
from dlqconsole.console.access.devices import known_device
from dlqconsole.console.access.throttle import client_address
from dlqconsole.people.actors import acting_as, person
from dlqconsole.people.current_user import find_person

_LONGEST = 150


class SignInThrottled(PermissionDenied):
    """Too many wrong passwords: none was compared. Django turns it into "no such person"."""


class ThrottledBackend(ModelBackend):
    """Django's own accounts; a try is taken before the password is compared."""

    @sensitive_variables("password")
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **_others: Any,
    ) -> User | None:
        """The person, or None. Raises SignInThrottled and sets ``request.sign_in_wait``, in seconds."""
        if username is None or password is None:
            return None
        name = normalise(username)
        account = User.objects.filter(username=name).first()
        attempt = self._take(request, name, account)
        if _is_right(account, password) and _may_come(account):
            throttle.give_back(attempt)
            return account
        self._note_failure(request, name, account, attempt)
        return None

    def get_user(self, user_id: Any) -> User | None:
        """The person of a session, with groups and scopes: nothing else has to be queried about them."""
        account: User | None = find_person(user_id)
        return account if account is not None and self.user_can_authenticate(account) else None

    @sensitive_variables("password")
    async def aauthenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **_others: Any,
    ) -> User | None:
        """The same, asynchronously; Django's own would not count."""
        return await sync_to_async(self.authenticate)(request, username, password)

    def _take(self, request: HttpRequest | None, name: str, account: User | None) -> throttle.Try:
        device = known_device(request, account)
        attempt = throttle.take(throttle_name(name), client_address(request), device)
        if attempt.wait:
            if request is not None:
                request.sign_in_wait = attempt.wait  # type: ignore[attr-defined]
            raise SignInThrottled
        return attempt

    def _note_failure(
        self, request: HttpRequest | None, name: str, account: User | None, attempt: throttle.Try
    ) -> None:
        with transaction.atomic():
            records.note_failure(request, name, account, [each.words for each in attempt.used_up])
        throttle.forget_unused()


def wait_of(request: HttpRequest | None) -> int:
    """The seconds that the sign-in of this request must wait; 0 if its password was compared."""
    return int(getattr(request, "sign_in_wait", 0))


def normalise(name: str) -> str:
    """A name as accounts have it: equal characters have one spelling (NFKC), and NUL is replaced.

    A name longer than any account's is not normalised: that could take long.
    """
    name = name.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    return name if len(name) > _LONGEST else User.normalize_username(name)


def throttle_name(name: str) -> str:
    """The name under which tries are counted: case and spaces make no difference."""
    return " ".join(normalise(name).casefold().split())


@sensitive_variables("password")
def _is_right(account: User | None, password: str) -> bool:
    """Tell whether it is the password; a name that nobody has costs the same.

    Django may hash the password anew: that is a change of the account, in its person's name.
    """
    with acting_as(person(account) if account else records.NOBODY):
        if account is None:
            User().set_password(password)
            return False
        return account.check_password(password)


def _may_come(account: User | None) -> bool:
    return account is not None and account.is_active


class Argon2(Argon2PasswordHasher):
    """Argon2id with OWASP's 19 MiB and two passes.

    Django's own takes 100 MiB for each password that is compared: eight at once are more than a small
    container has.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
