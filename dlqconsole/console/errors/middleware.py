"""Answers errors of the database, and input that it cannot store, with pages that explain them."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

import psycopg
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import resolve_url

from dlqconsole.console.errors import views as errors
from dlqconsole.engine.counts.summaries import TooSlow
from dlqconsole.engine.database.error_line import lacks_tables

# locks use a connection of their own, with the errors of the driver
_UNREADABLE = (DataError, UnreadablePostError, BadRequest, SuspiciousOperation, MultiPartParserError)
_AWAY = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError, TooSlow)


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
        if isinstance(exception, _AWAY) or lacks_tables(exception):
            return errors.unavailable(request, exception)
        if isinstance(exception, _UNREADABLE) or _is_unstorable_text(exception):
            return errors.bad_request(request, exception)
        if isinstance(exception, PermissionDenied):
            return errors.forbidden(request, exception)
        return errors.not_found(request, exception) if isinstance(exception, Http404) else None


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
    return HttpResponse("Please sign in again.", status=401, headers={"HX-Redirect": target})
