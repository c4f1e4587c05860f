"""The pages' own template engine. No page is rendered by another one."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from django.forms.renderers import BaseRenderer
from django.http import HttpRequest, HttpResponse
from django.template.backends.django import DjangoTemplates

from dlqconsole.hosting.templates import engine_settings


@cache
def engine() -> DjangoTemplates:
    """Return the engine, made when the first page is rendered."""
    parameters = {"NAME": "dlqconsole", "APP_DIRS": False} | engine_settings()
    del parameters["BACKEND"]
    return DjangoTemplates(parameters)


def render(
    request: HttpRequest, template: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """Return the page."""
    return HttpResponse(text_of(template, context, request), status=status)


def text_of(template: str, context: Mapping[str, Any], request: HttpRequest | None = None) -> str:
    """Return the text of a template."""
    return str(engine().get_template(template).render(dict(context), request))


class Renderer(BaseRenderer):
    """Inputs of forms, by the same engine."""

    def get_template(self, template_name: str) -> Any:
        return engine().get_template(template_name)
