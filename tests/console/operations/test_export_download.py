"""The list's menu Export makes an operation; its file is taken whole, or from where a download broke off."""

from uuid import uuid4

import pytest

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages import exporting
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import run
from dlqconsole.processing.formats import FORMATS, parquet, xlsx
from tests.accounts import actor_of
from tests.exported import rows_of, taken_from_the_list

pytestmark = pytest.mark.django_db(transaction=True)
MENU = "/dead-letters/export"


@pytest.fixture(autouse=True)
def no_broker(monkeypatch) -> None:
    monkeypatch.setattr(service, "wake", lambda *_: None)
    monkeypatch.setattr(run, "wake", lambda *_: None)


def form(**fields: object) -> dict[str, object]:
    return {"scope": "all", "filter": "", "format": "csv", "request_key": uuid4()} | fields


@pytest.mark.parametrize("format", FORMATS)
def test_the_file_holds_what_the_list_shows(operator, letter, format):
    wanted = [str(letter("a")) for _ in range(3)]
    letter("b")
    listed = operator.get("/dead-letters/?type=a")
    assert FORMATS[format].label in listed.content.decode()
    rows = rows_of(taken_from_the_list(operator, format, "type=a"), format)
    assert [row["id"] for row in rows] == wanted
    assert len(rows) == listed.context["count"].value


def test_it_is_audited_with_its_filter_and_needs_no_reason(operator, letter):
    letter("a")
    operator.post(MENU, form(filter="type=a"))
    operation = Operation.objects.get()
    assert (operation.kind, operation.reason) == ("export", "export of type is a")
    entry = AuditEntry.objects.get(action="request export")
    assert (entry.actor, entry.detail["filter"]) == (actor_of("operator"), {"q": "type:a"})


def test_a_click_twice_is_one_export(operator, letter):
    letter()
    twice = form()
    assert operator.post(MENU, twice)["Location"] == operator.post(MENU, twice)["Location"]
    assert Operation.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [({"filter": "status=NONE"}, "status"), ({"format": "exe"}, "csv, csv_bom, jsonl, xlsx, parquet")],
)
def test_what_is_wrong_is_said_and_nothing_is_exported(operator, letter, wrong, sentence):
    letter()
    answer = operator.post(MENU, form(**wrong), follow=True)
    assert sentence in answer.content.decode()
    assert not Operation.objects.exists()


def test_a_format_says_before_what_it_takes(operator, letter, monkeypatch):
    monkeypatch.setattr(xlsx, "SHEET_ROWS", 2)
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    letter(), letter()
    page = operator.get("/dead-letters/").content.decode()
    assert "on 2 sheets, as one holds 1 rows" in page
    assert "Parquet needs pyarrow here" in page
    refused = operator.post(MENU, form(format="parquet"), follow=True)
    assert "Parquet needs pyarrow here" in refused.content.decode()
    assert not Operation.objects.exists()


@pytest.fixture
def file(operator, letter, monkeypatch) -> tuple[str, bytes]:
    """The address and the content of a file of many parts."""
    monkeypatch.setattr(exporting, "PART_BYTES", 1)
    monkeypatch.setattr("dlqconsole.operations.pages.file_making._STEP", 1)
    for _ in range(5):
        letter(payload={"text": "x" * 50})
    content = taken_from_the_list(operator)
    return f"/operations/{Operation.objects.get().pk}/export", content


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("bytes=0-0", 0, 0), ("bytes=100-", 100, -1), ("bytes=90-400", 90, 400), ("bytes=-7", -7, -1),
     ("bytes=3-99999999", 3, -1), ("bytes=-99999999", 0, -1)],
)  # fmt: skip
def test_a_part_is_the_bytes_of_the_file_between(operator, file, asked, first, last):
    address, content = file
    size = len(content)
    first, last = first % size, last % size
    for get in (operator.get, operator.head):
        answer = get(address, headers={"Range": asked})
        assert answer.status_code == 206
        assert answer["Content-Range"] == f"bytes {first}-{last}/{size}"
        assert int(answer["Content-Length"]) == last + 1 - first
    answer = operator.get(address, headers={"Range": asked})
    assert b"".join(answer.streaming_content) == content[first : last + 1]


@pytest.mark.parametrize("asked", ["bytes=5-2", "bytes=-", "bytes=0-1,4-5", "lines=1-2", "bytes=a-b"])
def test_what_is_no_range_is_answered_with_the_whole(operator, file, asked):
    address, content = file
    answer = operator.get(address, headers={"Range": asked})
    assert answer.status_code == 200
    assert (answer["Accept-Ranges"], int(answer["Content-Length"])) == ("bytes", len(content))
    assert b"".join(answer.streaming_content) == content


def test_who_has_a_part_of_another_file_gets_this_one_whole(operator, file):
    address, content = file
    tag = operator.head(address)["ETag"]
    for if_range, status in ((tag, 206), ('"another"', 200)):
        answer = operator.get(address, headers={"Range": "bytes=100-", "If-Range": if_range})
        assert answer.status_code == status
    beyond = operator.get(address, headers={"Range": f"bytes={len(content)}-"})
    assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{len(content)}")


def test_a_download_that_goes_on_is_audited_with_its_range(operator, file):
    address, _content = file
    operator.get(address, headers={"Range": "bytes=100-"})
    newest = AuditEntry.objects.filter(action="download export").latest("id")
    assert newest.detail["range"] == "bytes=100-"


def test_the_page_shows_how_far_the_file_has_come(operator, letter):
    operation_id = int(operator.post(MENU, form())["Location"].split("/")[-2])
    Operation.objects.filter(pk=operation_id).update(expected=200, selected=50)
    page = operator.get(f"/operations/{operation_id}/").content.decode()
    assert 'value="25"' in page
