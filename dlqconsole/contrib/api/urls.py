"""The addresses of the API. No sign-in leads here, and no cookie is looked at."""

from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from dlqconsole.console.parts.responses import for_programs
from dlqconsole.contrib.api.api import api
from dlqconsole.contrib.api.endpoints.openapi import openapi
from dlqconsole.contrib.api.problems import Problem

type View = Callable[..., HttpResponse]


def _for_programs(view: View) -> View:
    """Return the view for callers without a session; it refuses a wrong method as a problem, too."""

    @wraps(view)
    def answer(request: HttpRequest, *arguments: Any, **keywords: Any) -> HttpResponse:
        response = view(request, *arguments, **keywords)
        if response.status_code != 405:
            return response
        methods = response["Allow"]
        return Problem(405, f"The method here is {methods}.", {"Allow": methods}).response()

    return for_programs(login_not_required(answer))


@csrf_exempt
def _nothing(_request: HttpRequest, rest: str) -> HttpResponse:
    return Problem(404, "There is no such address. openapi.json beside it names those there are.").response()


def _endpoints() -> Iterator[Any]:
    for pattern in api.urls[0]:
        if pattern.name != "api-root":  # type: ignore[union-attr]
            pattern.callback = _for_programs(pattern.callback)  # type: ignore[arg-type]
            yield pattern


_describe = _for_programs(require_safe(partial(openapi, api=api)))
urlpatterns = [
    path(
        "api/v1/",
        include(
            [
                path("openapi.json", _describe, name="api_openapi"),
                *_endpoints(),
                path("<path:rest>", _for_programs(_nothing), name="api_nothing"),
            ]
        ),
    ),
]
