"""The error pages: the error, and what to do; and the middleware that answers with them."""

import logging
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

import psycopg
from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import resolve_url
from django.urls import Resolver404
from django.utils.html import format_html
from django.utils.translation import gettext as _

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.access.permissions import WithoutRole
from dlqconsole.console.access.throttle import client_address
from dlqconsole.console.rendering import render, text_of
from dlqconsole.engine.counts.summaries import TooSlow
from dlqconsole.engine.database.error_line import lacks_tables, not_migrated
from dlqconsole.hosting.wording import gettext_lazy, translated

log = logging.getLogger(__name__)

# characters of an exception in the log
_LOGGED = 200
AWAY = gettext_lazy(
    "The database does not answer, or is too busy. Nothing was changed. Try again in a moment."
)
SLOW = gettext_lazy("This question took too long. Narrow it down, for example by dates, a type or a status.")
FULL = gettext_lazy("The disk of the database is full. Nothing was changed. Make room on it.")
READ_ONLY = gettext_lazy(
    "The database takes no changes now: it is a standby, or set to be read only. Nothing was changed."
)
_FULL_STATE = "53100"
_READ_ONLY_STATE = "25006"
_SLOW_STATES = ("57014", "55P03")
# locks use a connection of their own, with the errors of the driver
_UNREADABLE = (DataError, UnreadablePostError, BadRequest, SuspiciousOperation, MultiPartParserError)
_AWAY = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError, TooSlow)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the request cannot be understood; 413 for a form that is too large.

    It is the client's mistake, or an attack: one line in the log, where Django writes a traceback.
    """
    if exception is not None:
        message = f"{type(exception).__name__}: {exception}"
        log.warning("refused a request from %s: %.*s", client_address(request) or "nowhere", _LOGGED, message)
    if request.method == "POST" and isinstance(exception, (RequestDataTooBig, TooManyFieldsSent)):
        response = _page(request, "413.html", 413, _too_much(exception))
    else:
        response = _page(request, "400.html", 400, _("This request cannot be understood."))
    # Django's own mark: it logs no answer twice
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _too_much(exception: Exception) -> str:
    if isinstance(exception, TooManyFieldsSent):
        limit = _("{number:,} fields").format(number=settings.DATA_UPLOAD_MAX_NUMBER_FIELDS)
    else:
        limit = f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024 // 1024} MB"
    return _(
        "This form holds more than {limit}, which is all that we read; nothing was changed."
        " Go back: what you typed is still there. A payload as large as this is edited on the"
        " command line: {program} deadletters edit ID --payload-file FILE --because REASON."
    ).format(limit=limit, program=PROGRAM)


def refuse(request: HttpRequest, reason: str) -> HttpResponse:
    """400: the request names something that the page does not have; the reason is a sentence."""
    return _page(request, "400.html", 400, reason)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: signed in, but not for this."""
    template = "403_without_role.html" if isinstance(exception, WithoutRole) else "403.html"
    reason = (translated(exception) if exception else "") or _("You may not do this.")
    return _page(request, template, 403, reason)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: there is nothing at this address."""
    # a Resolver404 has no sentence for people, only the patterns that were tried
    text = "" if exception is None or isinstance(exception, Resolver404) else translated(exception)
    return _page(
        request, "404.html", 404, text or _("The address may have been cut short when it was copied.")
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500: an error of this program; the log has it. 503 if the database fails before any view runs."""
    exception = sys.exc_info()[1]
    if exception and _is_of_the_database(exception):
        return unavailable(request, exception)
    return _plain_page("500.html", 500, _("Something went wrong on our side. The log has the details."))


def unavailable(request: HttpRequest, exception: BaseException) -> HttpResponse:
    """503: the database does not answer, is too busy, or has no tables. This page queries nothing."""
    reason = _why_unavailable(exception)
    if "HX-Request" in request.headers:
        response = sentence(reason, 503)
    else:
        response = _plain_page("503.html", 503, reason)
    response["Retry-After"] = "5"
    return response


def _why_unavailable(exception: BaseException) -> str:
    if lacks_tables(exception):
        log.error("%s (%.*s)", not_migrated(), _LOGGED, exception)
        return not_migrated()
    if _FULL_STATE in _states(exception):
        return FULL
    if _takes_no_changes(exception):
        return READ_ONLY
    return SLOW if _was_slow(exception) else AWAY


def _takes_no_changes(exception: BaseException) -> bool:
    """Tell whether the database is read only, which psycopg counts among internal errors."""
    return _READ_ONLY_STATE in _states(exception)


def _is_of_the_database(exception: BaseException) -> bool:
    return isinstance(exception, _AWAY) or lacks_tables(exception) or _takes_no_changes(exception)


def _was_slow(exception: BaseException) -> bool:
    return isinstance(exception, TooSlow) or not _states(exception).isdisjoint(_SLOW_STATES)


def _states(exception: BaseException) -> set[str | None]:
    return {getattr(each, "sqlstate", None) for each in (exception, exception.__cause__)}


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form that is too old or came from another site."""
    reason = _("This form is too old, or came from another site. Reload the page and try again.")
    return _page(request, "403.html", 403, reason)


def _page(request: HttpRequest, template: str, status: int, reason: str) -> HttpResponse:
    if "HX-Request" in request.headers:
        return sentence(reason, status)
    return render(request, template, {"reason": reason}, status=status)


def _plain_page(template: str, status: int, reason: str) -> HttpResponse:
    """A page without a request, so that no session, user or message is queried for it."""
    context: dict[str, Any] = {"reason": reason}
    return HttpResponse(text_of(template, context), status=status)


def sentence(reason: str, status: int) -> HttpResponse:
    """The reason alone, for htmx."""
    return HttpResponse(
        format_html('<p class="note error" role="alert" data-error-sentence>{}</p>', reason), status=status
    )


class FriendlyErrors:
    """Middleware: answers with a page of ours, and 503 or 400 with a sentence instead of 500."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "HX-Request" in request.headers and _leads_to_login(response):
            return _sign_in_again(request, response)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if _is_of_the_database(exception):
            return unavailable(request, exception)
        if isinstance(exception, _UNREADABLE) or _is_unstorable_text(exception):
            return bad_request(request, exception)
        if isinstance(exception, PermissionDenied):
            return forbidden(request, exception)
        return not_found(request, exception) if isinstance(exception, Http404) else None


def _is_unstorable_text(exception: Exception) -> bool:
    """Tell whether a text has NUL or half characters: no PostgreSQL text can contain them."""
    if isinstance(exception, UnicodeEncodeError):
        return True
    return isinstance(exception, ValueError) and "NUL" in str(exception)


def _leads_to_login(response: HttpResponse) -> bool:
    login = resolve_url(settings.LOGIN_URL)
    return response.status_code == 302 and response["Location"].partition("?")[0] == login


def _sign_in_again(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Send the whole page to the login if the session is over, never a login form into a table cell."""
    login = response["Location"].partition("?")[0]
    page = urlsplit(request.headers.get("HX-Current-URL", ""))
    back = page.path + (f"?{page.query}" if page.query else "")
    target = f"{login}?{urlencode({'next': back})}" if back else login
    return HttpResponse(_("Please sign in again."), status=401, headers={"HX-Redirect": target})
