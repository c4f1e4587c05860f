"""Any bytes at all are kept: exactly, and as jsonb only where that says the same."""

import json
import random
from decimal import Decimal
from functools import partial
from itertools import count

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core import messages
from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.settings import limits
from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.pipeline.ingest.reading import origin_of, read_item
from dlqconsole.pipeline.sink.storing import Sink
from dlqconsole.pipeline.sources.files import SourceFile
from dlqconsole.pipeline.sources.lines import FileLine
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import attempt
from tests.pipeline.conftest import database_url, make_work  # noqa: F401 - fixtures
from tests.processing.test_payload_roads import TEXTS
from tests.sizes import sized

pytestmark = pytest.mark.django_db(transaction=True)

LIMIT = 1024 * 1024
ANY_BYTES = st.one_of(
    st.binary(min_size=1, max_size=80), TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))
)
_files = count(1)


@pytest.fixture(autouse=True)
def few_keys(monkeypatch):
    monkeypatch.setattr("dlqconsole.core.settings._of", partial(Limits, payload_keys=100))


@pytest.fixture
def ingested(make_work):  # noqa: F811 - the fixture
    """ingested(payloads) has the pipeline store each as a line of a new file; ids in order."""
    work = make_work()
    sink = Sink(work, partial(attempt, load_handlers(work.handlers)))

    def store(payloads):
        file = origin_of(SourceFile(f"/somewhere/{next(_files)}.jsonl", f"{next(_files)}.jsonl"))
        lines = [FileLine(number, payload, len(payload)) for number, payload in enumerate(payloads, 1)]
        sink.store([read_item(line, file, limits()) for line in lines])
        letters = DeadLetter.objects.filter(source=file.source)
        numbers = dict(letters.values_list("source_key", "pk"))
        return [numbers[str(line.number)] for line in lines]

    yield store
    sink.close()


@pytest.mark.sized
@given(payloads=st.lists(ANY_BYTES, min_size=1, max_size=12))
@example(payloads=[b'{"a":1,"a":2}', b'"\\u0000\\ud800"', b"-0", b"[1E5]", b"1e400", b"\xef\xbb\xbf{}"])
@example(payloads=[b'{"":{},"\\ud800":0,"\\u0000":1,"\\ud800":0}'])
@settings(max_examples=sized(8, 25), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_the_pipeline_stores_is_saved_again_byte_by_byte(ingested, viewer, settings, payloads):
    settings.DLQ_MASKING = False  # digits may look like a telephone number
    for payload, letter_id in zip(payloads, ingested(payloads), strict=True):
        assert viewer.get(f"/dead-letters/{letter_id}/raw").content == payload
        copy = viewer.get(f"/dead-letters/{letter_id}/").context["payload"]
        if copy["state"] == "json":
            assert read(copy["text"]) == read(payload.decode("utf-8-sig", "surrogatepass"))


def read(text):
    """With every digit, and with what no PostgreSQL text can hold replaced.

    Of two keys that are equal then the one that stands last, as jsonb has it. That gets the replaced text, so
    two different keys that cannot be stored are one.
    """
    return cleaned(json.loads(text, parse_float=Decimal, object_pairs_hook=Pairs))


class Pairs(list):
    """An object's keys and values, none merged yet."""


def cleaned(value):
    if isinstance(value, str):
        return "".join("\ufffd" if each == "\x00" or "\ud800" <= each <= "\udfff" else each for each in value)
    if isinstance(value, Pairs):
        return {cleaned(key): cleaned(item) for key, item in value}
    return [cleaned(item) for item in value] if isinstance(value, list) else value


UNSOUND = {
    "a NUL": (b'{"a": "\\u0000"}', "\\u0000 cannot be stored"),
    "half a character": (b'"\\ud800"', "unpaired surrogate"),
    "beyond floats": (b"1e400", "number out of range"),
    "too many digits": (b"7" * 401, "401 digits"),
    "too deep": (b"[" * 65 + b"]" * 65, "64 levels"),
    "a key twice": (b'{"a": 1, "a": 2}', "appears twice"),
    "too many keys": (b"{" + b",".join(b'"%d":1' % n for n in range(101)) + b"}", "more than 100 keys"),
    "too large": (b'"' + b"x" * LIMIT + b'"', "more than 1,048,576"),
    "no UTF-8": (b'"\xff"', "not UTF-8"),
    "NaN": (b"[NaN]", "NaN is not JSON"),
}


@pytest.mark.parametrize("name", UNSOUND)
def test_ingest_keeps_what_is_unsound_raw_and_says_why(ingested, name):
    payload, why = UNSOUND[name]
    letter = DeadLetter.objects.get(pk=ingested([payload])[0])
    assert bytes(letter.payload_raw) == payload
    assert (letter.payload is None) == (name not in ("a NUL", "half a character", "a key twice"))
    assert why in letter.error_reason
    assert letter.status == "QUARANTINED"


@pytest.mark.parametrize("name", UNSOUND)
def test_a_producer_is_told_why_and_nothing_is_sent(name):
    payload, why = UNSOUND[name]
    with pytest.raises(InvalidMessage, match=why.replace("\\", r"\\")):
        messages.send("orders", payload)
    assert not Message.objects.exists()


@pytest.mark.parametrize("name", UNSOUND)
def test_the_command_that_sends_names_the_line(name, monkeypatch):
    payload, why = UNSOUND[name]
    monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": [b'{"fine": 1}\n', payload + b"\n"]}))
    with pytest.raises(CommandError, match=r"^Line 2: .*Nothing was sent") as refused:
        call_command("send", "orders")
    assert why in str(refused.value)
    assert not Message.objects.exists()


@pytest.mark.parametrize("name", UNSOUND)
def test_raw_bytes_on_a_queue_are_buried_as_they_are(name):
    payload, why = UNSOUND[name]
    Message.objects.create(queue="order.created", payload_raw=payload)
    Message.objects.create(queue="order.created", payload={"order_id": 1})
    Consumer(["order.created"]).run(until_empty=True)
    assert not Message.objects.exists()
    letter = DeadLetter.objects.get()
    assert bytes(letter.payload_raw) == payload
    assert why in letter.error_reason
    assert letter.status == "QUARANTINED"


def test_a_name_too_long_for_an_index_stops_neither_the_queue_nor_the_pipeline(ingested):
    lot = random.Random(4)
    name = "".join(chr(lot.randrange(0x4E00, 0x9FFF)) for _ in range(512))  # characters that do not compress
    payload = {"specversion": "1.0", "id": name, "source": name, "type": "order.lost", "data": {}}
    Message.objects.create(queue="order.created", payload=payload)
    Message.objects.create(queue="order.created", payload={"order_id": 1})
    Consumer(["order.created"]).run(until_empty=True)
    assert not Message.objects.exists()
    ids = [DeadLetter.objects.get().pk, *ingested([json.dumps(payload).encode()])]
    for letter in DeadLetter.objects.filter(pk__in=ids):
        assert "more than" in letter.error_reason
        assert letter.status == "QUARANTINED"
