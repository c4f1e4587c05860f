"""The description of the API names each endpoint, what it takes and what it answers."""

from django.urls import get_resolver

from tests.contrib.api.conftest import BATCH, STRUCTURED


def test_it_describes_each_endpoint(client):
    answer = client.get("/api/v1/openapi.json")
    content = answer.json()
    assert content["openapi"] == "3.1.0"
    assert set(content["paths"]) == {"/api/v1/failures", "/api/v1/recoveries"}
    report = content["paths"]["/api/v1/failures"]["post"]
    assert set(report["requestBody"]["content"]) == {STRUCTURED, BATCH, "application/json"}
    assert {"201", "4XX", "503"} <= set(report["responses"])
    assert report["security"] == [{"ReportToken": []}]
    assert content["components"]["securitySchemes"]["ReportToken"]["scheme"] == "bearer"


def test_whatever_it_refers_to_is_there(client):
    content = client.get("/api/v1/openapi.json").json()
    named = set(_refs(content))
    assert named
    assert {name.rpartition("/")[2] for name in named} <= set(content["components"]["schemas"])


def test_no_page_needs_scripts_from_elsewhere(client):
    assert client.get("/api/v1/docs").status_code == 404
    assert not [name for name in get_resolver().reverse_dict if "api-root" in str(name)]


def _refs(part):
    if isinstance(part, dict):
        yield from [part["$ref"]] if "$ref" in part else []
        part = list(part.values())
    for each in part if isinstance(part, list) else ():
        yield from _refs(each)
