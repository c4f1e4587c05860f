"""The addresses of the API. No sign-in leads here, and no cookie is looked at."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from django.views.decorators.http import require_safe

from dlqconsole.contrib.api.api import api
from dlqconsole.contrib.api.endpoints.openapi import openapi


def _endpoints() -> Iterator[Any]:
    for pattern in api.urls[0]:
        if pattern.name != "api-root":  # type: ignore[union-attr]
            login_not_required(pattern.callback)  # type: ignore[type-var]
            yield pattern


_describe = login_not_required(require_safe(partial(openapi, api=api)))
urlpatterns = [
    path("api/v1/", include([path("openapi.json", _describe, name="api_openapi"), *_endpoints()])),
]
