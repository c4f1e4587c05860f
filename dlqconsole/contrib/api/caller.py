"""The caller: the person of a token with the scope report, and the token's rate. No cookie counts here."""

from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest
from ninja.security import HttpBearer

from dlqconsole.console.access.permissions import role_held_by
from dlqconsole.console.access.throttle import Allowance, spend
from dlqconsole.contrib.api.problems import Problem
from dlqconsole.engine.access_scope import AccessScope
from dlqconsole.people import tokens
from dlqconsole.people.current_user import access_of_person, find_person
from dlqconsole.people.roles import may
from dlqconsole.people.tokens import TokenRefused, WrongTokenScope

HOW = (
    "Send Authorization: Bearer dlq_…, a token with the scope report: operators make one on the page Tokens."
)
CHALLENGE = {"WWW-Authenticate": "Bearer"}
PER_MINUTE = 6_000


@dataclass(frozen=True, slots=True)
class ApiCaller:
    """``actor``: as stored. ``access``: the limits of what they may report."""

    token_id: int
    user_id: int
    access: AccessScope

    @property
    def actor(self) -> str:
        return f"user:{self.user_id}"

    def check(self, event_type: str, queue: str | None) -> None:
        """Raise Problem for a failure that the person would not see."""
        if not self.access.sees(queue or event_type, event_type):
            words = self.access.words()
            raise Problem(403, f"The token's person is limited to {words}: this type or queue is not theirs.")

    def take(self, number: int = 1) -> None:
        """Count so many reports of its token, for all processes and by the database's clock.

        Raises Problem, with the seconds to wait, when it is too many.
        """
        allowance = Allowance("reports of a token", PER_MINUTE, timedelta(minutes=1) / PER_MINUTE)
        _spent, wait = spend({f"reports:{self.token_id}": allowance}, number)
        if wait:
            raise Problem(
                429,
                f"This token may report {PER_MINUTE:,} failures a minute. Nothing was stored: send it again"
                f" in {wait} s.",
                {"Retry-After": str(wait)},
            )


class ReportToken(HttpBearer):
    """Finds the caller. Raises Problem."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiCaller:
        try:
            grant = tokens.verify(token.strip(), tokens.REPORT)
        except WrongTokenScope as refusal:
            raise Problem(403, str(refusal)) from None
        except TokenRefused as refusal:
            raise Problem(401, f"{refusal} {HOW}", CHALLENGE) from None
        person = find_person(grant.user_id)
        role = role_held_by(person) if person is not None and person.is_active else ""
        if person is None or not may(role, tokens.LEAST_ROLES[tokens.REPORT]):
            raise Problem(403, f"The person of the token {grant.prefix}… is no operator here any more.")
        return ApiCaller(grant.pk, grant.user_id, access_of_person(person))
