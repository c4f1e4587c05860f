# ruff: noqa: RUF001
"""Words that Python gives to a page are said in Chinese, too; words of others stay as they are."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from dlqconsole.core import messages
from dlqconsole.runs.models import PipelineRun

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]
ZH = {"Accept-Language": "zh-Hans"}


@pytest.fixture(autouse=True)
def language_of_before():
    """A request leaves its language behind, until the next begins."""
    yield
    translation.deactivate()


@pytest.mark.parametrize("listed", ["live", "scheduled", "waiting", "held"])
def test_the_lists_of_a_queue(viewer, listed):
    messages.send("orders", "{}")
    address = f"/queues/orders/messages/?list={listed}"
    in_english = viewer.get(address).context
    words = [str(in_english["about"]), *(str(tab["label"]) for tab in in_english["tabs"])]
    assert len(words) == 5
    page = viewer.get(address, headers=ZH)
    assert [each for each in words if each in page.text] == []


def test_the_parts_of_a_preview_but_event_types_as_they_are(operator, letter):
    for name in ("Read", "Read", "Pages", "Pages", "one", "two", "three", "four", "five", "six"):
        letter(name)
    asked = {"kind": "discard", "scope": "all", "filter": ""}
    page = operator.post("/dead-letters/operations/", asked, headers=ZH)
    ages, types, _categories = page.context["preview"]["cuts"]
    assert [part.label for part in ages["parts"]] == ["不到 1 小时"]
    labels = [part.label for part in types["parts"]]
    assert {*labels[:2]} == {"Read", "Pages"}
    assert labels[-1].endswith(" 个其他")


def test_the_figures_of_a_run_but_those_of_others_as_they_are(viewer):
    counts = {"read": 9, "blank": 1, "enriched": 5, "dead_lettered": 2, "unchanged": 1, "odd_ones": 1}
    end = timezone.now()
    run = PipelineRun.objects.create(
        kind="ingest", status="completed", total=900, done=900, counts=counts,
        started_at=end - timedelta(minutes=1), finished_at=end,
    )  # fmt: skip
    english = ["Read", "Blank", "Enriched", "Dead lettered", "Unchanged", "Odd ones"]

    def named(**headers: dict[str, str]) -> list[str]:
        page = viewer.get(f"/runs/{run.pk}/", **headers).text
        return [each for each in english if f"<dt>{each}</dt>" in page]

    assert named() == english
    assert named(headers=ZH) == ["Odd ones"]
    assert "每秒 15 个事件" in viewer.get(f"/runs/{run.pk}/", headers=ZH).text


def test_the_formats_of_a_report(viewer, letter):
    letter()
    page = viewer.get("/reports/failures/", headers=ZH).text
    assert ("CSV（带 BOM，供 Excel 使用）" in page, "for Excel" in page) == (True, False)


def test_the_palette_speaks_of_places_and_not_of_page_numbers(viewer):
    page = viewer.get("/places", headers=ZH).text
    assert ("页面" in page, "页码" in page) == (True, False)
