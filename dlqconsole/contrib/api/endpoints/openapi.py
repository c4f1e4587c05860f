"""GET /openapi.json: the description of the API, for programs. It says nothing of what is stored."""

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from ninja import NinjaAPI
from pydantic.json_schema import models_json_schema

from dlqconsole.contrib.api.endpoints.failures import REF
from dlqconsole.contrib.api.schemas import CloudEvent, PlainFailure


def openapi(request: HttpRequest, api: NinjaAPI) -> JsonResponse:
    """Describe the API; what is read by hand, too."""
    prefix = reverse("dlq:api_openapi").removesuffix("openapi.json").lstrip("/")
    description = api.get_openapi_schema(path_prefix=prefix)
    shapes = [(shape, "validation") for shape in (CloudEvent, PlainFailure)]
    _refs, ours = models_json_schema(shapes, ref_template=f"{REF}{{model}}")  # type: ignore[arg-type]
    description["components"]["schemas"].update(ours["$defs"])
    return JsonResponse(description)
