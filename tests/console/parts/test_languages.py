"""The pages speak the person's language; what programs read, and what is stored, is English."""

import json
import re
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import translation

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work.run import run
from tests.contrib.api.conftest import reporter  # noqa: F401 - a fixture

CHINESE = re.compile(r"[\u4e00-\u9fff]")
ZH = {"Accept-Language": "zh-Hans"}
SWITCH = "/i18n/setlang/"


@pytest.fixture(autouse=True)
def language_of_before():
    """A request leaves its language behind, until the next begins."""
    yield
    translation.deactivate()


def language(page) -> tuple[str, str]:
    """Of the page, and as the header says."""
    return re.search(r'<html lang="([^"]+)">', page.text)[1], page["Content-Language"]


def words(page) -> str:
    """What stands on the page, without the names of languages."""
    return page.text.replace("简体中文", "")


def test_a_browser_that_asks_for_nothing_or_for_another_language_gets_english(viewer):
    for asked in ({}, {"Accept-Language": "de, fr;q=0.5"}, {"Accept-Language": "*"}):
        page = viewer.get("/", headers=asked)
        assert language(page) == ("en", "en")
        assert not CHINESE.search(words(page))


@pytest.mark.parametrize("asked", ["zh-Hans", "zh-CN", "zh", "zh-TW", "zh-CN,zh;q=0.9,en;q=0.8"])
def test_a_browser_that_asks_for_chinese_gets_it(viewer, asked):
    page = viewer.get("/", headers={"Accept-Language": asked})
    assert language(page) == ("zh-hans", "zh-hans")
    assert "<h1>概览" in page.text


def test_pages_say_on_what_they_depend_and_no_cache_keeps_them(viewer):
    for address, headers in (("/", {}), ("/", {"HX-Request": "true"}), ("/login/", {}), ("/nowhere/", {})):
        page = viewer.get(address, headers=headers | ZH)
        assert "Accept-Language" in page["Vary"]
        assert "no-store" in page["Cache-Control"]
        assert "ETag" not in page


def test_the_choice_is_kept_in_a_cookie_and_leads_back_to_the_same_page(viewer):
    here = "/dead-letters/?q=type%3Dorder.created&sort=age"
    assert f'name="next" value="{here.replace("&", "&amp;")}"' in viewer.get(here).text
    answer = viewer.post(SWITCH, {"language": "zh-hans", "next": here})
    assert (answer.status_code, answer["Location"]) == (302, here)
    cookie = answer.cookies["dlq_language"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("zh-hans", True, "Lax")
    assert language(viewer.get(here)) == ("zh-hans", "zh-hans")
    viewer.post(SWITCH, {"language": "en", "next": here})
    assert language(viewer.get(here, headers=ZH)) == ("en", "en")


def test_the_address_of_the_page_is_not_masked_in_the_form(viewer):
    page = viewer.get("/dead-letters/?q=reason%3Da@b.org").text
    assert 'name="next" value="/dead-letters/?q=reason%3Da@b.org"' in page


def test_a_page_that_answers_a_form_leads_back_to_the_one_before_it(operator, letter):
    letter()
    asked = {"kind": "discard", "scope": "all", "filter": "type=order.created"}
    before = "http://testserver/dead-letters/?q=type%3Dorder.created"
    page = operator.post("/dead-letters/operations/", asked, headers={"Referer": before})
    assert f'name="next" value="{before}"' in page.text


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_the_switch_leads_to_no_other_site(viewer, elsewhere):
    answer = viewer.post(SWITCH, {"language": "zh-hans", "next": elsewhere})
    assert answer["Location"] == "/"


def test_a_language_that_is_not_there_changes_nothing(viewer):
    for unknown in ("xx", "", "../../etc", "de"):
        viewer.post(SWITCH, {"language": unknown, "next": "/"})
        assert language(viewer.get("/")) == ("en", "en")


def test_the_choice_needs_no_account_but_a_token_of_the_form(client):
    page = client.get("/login/?next=/groups/").text
    assert 'name="next" value="/login/?next=/groups/"' in page
    assert [name for name in ("English", "简体中文") if f">{name}</button>" not in page] == []
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(SWITCH, {"language": "zh-hans"}).status_code == 403
    client.post(SWITCH, {"language": "zh-hans", "next": "/login/"})
    assert ">登录</h1>" in client.get("/login/").text


@pytest.mark.parametrize("address", ["/nowhere/", "/dead-letters/999/"])
def test_an_error_page_speaks_the_language_too(viewer, address):
    page = viewer.get(address, headers=ZH)
    assert (page.status_code, *language(page)) == (404, "zh-hans", "zh-hans")


def test_the_api_answers_in_english(reporter):  # noqa: F811
    for body in ('{"a"', "{}", json.dumps({"specversion": "1.0", "id": 1})):
        answer = reporter.post(body, Accept_Language="zh-Hans", Cookie="dlq_language=zh-hans")
        assert (answer.status_code, answer["Content-Language"]) == (422, "en")
        assert answer.json()["detail"].isascii()
    answer = Client().post("/api/v1/failures", "{}", "application/json", headers=ZH)
    assert (answer.status_code, answer["Content-Language"]) == (401, "en")
    assert answer.json()["detail"].isprintable()
    assert not CHINESE.search(answer.text)


@pytest.mark.parametrize(
    "address", ["/metrics", "/healthz", "/readyz", "/api/v1/openapi.json", "/api/v1/none"]
)
def test_what_programs_read_is_english(viewer, address):
    answer = viewer.get(address, headers=ZH)
    assert answer["Content-Language"] == "en"
    assert not CHINESE.search(answer.text)


def test_what_is_stored_stays_english(operator, letter):
    """An operation that was asked for in Chinese: its record, the audit log, and the files made of them."""
    letter()
    chosen = {"kind": "revive", "scope": "all", "filter": "type=order.created"}
    assert "重新投递" in operator.post("/dead-letters/operations/", chosen, headers=ZH).text
    asked = chosen | {"reason": "fixed", "request_key": uuid4(), "expected": 1}
    assert operator.post("/operations/", asked, headers=ZH).status_code == 302
    operation = Operation.objects.get()
    run(operation.pk)
    stored = json.dumps(list(Operation.objects.values()), default=str, ensure_ascii=False)
    stored += json.dumps(list(AuditEntry.objects.values()), default=str, ensure_ascii=False)
    assert "request revive" in stored
    assert "type is order.created" in stored
    assert not CHINESE.search(stored)
    items = operator.get(f"/operations/{operation.pk}/items.csv", headers=ZH)
    assert not CHINESE.search(b"".join(items).decode())
