"""Permissions by role. Roles are groups; without one a person may sign in and sees nothing."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from dlqconsole.console.access import guard, navigation
from dlqconsole.engine.access_scope import AccessScope, asking_lazily
from dlqconsole.features import features
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.people.actions import PersonAction
from dlqconsole.people.actors import person
from dlqconsole.people.current_user import access_of_person, group_names
from dlqconsole.people.roles import ROLES, may


class WithoutRole(PermissionDenied):
    """The person has no role: they may not even look."""


class ScopedRequests:
    """Middleware: a view reads and changes what the request's person sees, and a stranger nothing.

    What is streamed runs later, when nobody asks any more: it takes the scope while the view runs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with asking_lazily(lambda: access_of(request)):
            return self.get_response(request)


_ONLY = {
    "viewer": gettext_lazy("Only a viewer may look at this; ask an administrator if you should be one."),
    "operator": gettext_lazy("Only an operator may change this; ask an administrator if you should be one."),
    "maintainer": gettext_lazy(
        "Only a maintainer may change this; ask an administrator if you should be one."
    ),
    "admin": gettext_lazy("Only an admin may administer this; ask an administrator if you should be one."),
}
_WORDS = {
    "viewer": gettext_lazy("viewer"),
    "operator": gettext_lazy("operator"),
    "maintainer": gettext_lazy("maintainer"),
    "admin": gettext_lazy("admin"),
}
VIEWERS = gettext_lazy("Viewers may look but not change. Ask an administrator to become an operator.")
MAINTAINERS = gettext_lazy("Only a maintainer may change {things}. Ask an administrator to become one.")
_SECTIONS = {
    "dead_letter": "dead_letters",
    "dead_letter_raw": "dead_letters",
    "dead_letter_edit": "dead_letters",
    "dead_letter_versions": "dead_letters",
    "dead_letter_reveal": "dead_letters",
    "recipes": "dead_letters",
    "operation_confirm": "dead_letters",
    "group": "groups",
    "handover": "groups",
    "owner_rules": "groups",
    "owner_rule": "groups",
    "operation": "operations",
    "schedule_run": "schedules",
    "schedule_pause": "schedules",
    "schedule_resume": "schedules",
    "policy": "schedules",
    "policy_new": "schedules",
    "policy_delete": "schedules",
    "report": "reports",
    "run": "runs",
    "run_new": "runs",
}
# sections whose pages have names that begin like this
_OWN = {"queue": "queues", "operation": "operations", "rule": "rules"}

type View[**P] = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def role_of(request: HttpRequest) -> str:
    """The highest role of the person of a request; empty for a stranger. Queried once a request."""
    role: str | None = getattr(request, "_dlq_role", None)
    if role is None:
        role = role_held_by(getattr(request, "user", None))
        request._dlq_role = role  # type: ignore[attr-defined]
    return role


def role_held_by(user: Any) -> str:
    """The highest role of an account; empty for none, and for nobody."""
    if user is None or not user.is_authenticated:
        return ""
    if user.is_superuser:
        return "admin"
    groups = group_names(user)
    return next((role for role in reversed(ROLES) if role in groups), "")


def role_word(role: str) -> str:
    """The word for a role, for a person; the name of one that is not ours."""
    return str(_WORDS.get(role, role))


def can_operate(request: HttpRequest) -> bool:
    """Tell whether the person of the request may change dead letters."""
    return may(role_of(request), "operator")


def can_maintain(request: HttpRequest) -> bool:
    """Tell whether the person of the request may change policies, and the rules of owners."""
    return may(role_of(request), "maintainer")


def actor(request: HttpRequest) -> str:
    """The person as every table names them: by the number of the account (``people.actors``)."""
    return person(request.user)


def require_role[**P](needed: str) -> Callable[[View[P]], View[P]]:
    """Refuse, with the reason, everybody below a role; objects out of scope answer 404."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            require(request, needed)
            guard.check(request, kwargs)
            return view(request, *args, **kwargs)

        guarded.required_role = needed  # type: ignore[attr-defined]
        return guarded

    return decorate


viewer_required: Callable[[View[...]], View[...]] = require_role("viewer")
operator_required: Callable[[View[...]], View[...]] = require_role("operator")
maintainer_required: Callable[[View[...]], View[...]] = require_role("maintainer")
admin_required: Callable[[View[...]], View[...]] = require_role("admin")


def asks_for(action: PersonAction) -> Callable[[View[...]], View[...]]:
    """Refuse everybody below the role that may ask for an action."""
    return require_role(action.role)


def require(request: HttpRequest, needed: str) -> None:
    """Refuse a person below a role, inside a view that others may read, or reach without signing in."""
    role = role_of(request)
    if not role:
        raise WithoutRole(
            _(
                "Your account has no role here yet. Ask an administrator to make you a viewer,"
                " operator, maintainer or admin."
            )
        )
    if not may(role, needed):
        as_whom = _("You are signed in as {role}.").format(role=role_word(role))
        raise PermissionDenied(f"{as_whom} {_ONLY[needed]}")


def role_context(request: HttpRequest) -> dict[str, Any]:
    """The role and rights that every template may read, queried only when one does."""
    match = request.resolver_match
    name = (match.url_name if match else "") or ""
    own = _OWN | {link.own: link.address for link in navigation.of_features()}
    sections = _SECTIONS | {page: nav for feature in features() for page, nav in feature.sections.items()}
    section = sections.get(name) or next((own[each] for each in own if name.startswith(each)), name)
    return {
        "role": SimpleLazyObject(lambda: role_of(request)),
        "can_operate": SimpleLazyObject(lambda: can_operate(request)),
        "role_refusal": VIEWERS,
        "access": SimpleLazyObject(lambda: access_of(request)),
        "nav": section,
        "login_url": SimpleLazyObject(lambda: resolve_url(settings.LOGIN_URL)),
        "navigation": navigation.bar(),
    }


def access_of(request: HttpRequest) -> AccessScope:
    """The access scope of the person of a request. Queried once a request, if at all."""
    access: AccessScope | None = getattr(request, "_dlq_access", None)
    if access is None:
        access = access_of_person(getattr(request, "user", None))
        request._dlq_access = access  # type: ignore[attr-defined]
    return access
