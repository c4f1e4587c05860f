# ruff: noqa: RUF001
"""What we store in English is said in the reader's language; a text of somebody else stays as it is."""

import re

import pytest
from django.utils import translation

from dlqconsole.engine.dead_letters import editing
from dlqconsole.hosting.stored_text import PATTERNS, stored_text
from tools.messages import of_python, of_sql, stored_sentences

SENTENCES = PATTERNS.read_text(encoding="utf-8").splitlines()
CHINESE = re.compile(r"[\u4e00-\u9fff]")
FIELD = re.compile(r"\{(\w+)(?::([^}]*))?\}")
# a value for each form
VALUES = {"d": "12", ",": "1,204", "s": "order.created", "": "Ann's text {0}"}


@pytest.fixture(autouse=True)
def chinese():
    with translation.override("zh-hans"):
        yield


def example(pattern: str) -> str:
    """The sentence as a program stores it."""
    return FIELD.sub(lambda field: within(field[1]) or VALUES[field[2] or ""], pattern)


def within(name: str) -> str:
    """A sentence that another holds; none where the value is no sentence."""
    return {"state_sentence": "open"}.get(name, "is PENDING") if name.endswith("_sentence") else ""


def test_the_list_has_what_python_and_sql_mark():
    assert stored_sentences() == SENTENCES, "run: python -m tools messages"


@pytest.mark.parametrize("pattern", SENTENCES)
def test_each_is_said_in_chinese_with_its_values(pattern):
    said = FIELD.sub(
        lambda field: stored_text(within(field[1])) or VALUES[field[2] or ""], translation.gettext(pattern)
    )
    assert CHINESE.search(said) or pattern in ("1 %", "10 %")
    assert stored_text(example(pattern)) == said
    with translation.override("en"):
        assert stored_text(example(pattern)) == example(pattern)


@pytest.mark.parametrize("pattern", [each for each in SENTENCES if each.startswith("{")])
def test_none_begins_with_any_text_and_has_few_words_of_its_own(pattern):
    """It would take a text of somebody else for one of ours."""
    first = FIELD.match(pattern)
    assert first[2] or first[1].endswith("_sentence") or len(FIELD.sub("", pattern).split()) >= 4


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (
            "changed since the list was made: it was PENDING, it is REVIVED: revived by ann (operation 5)",
            "列表生成后已更改：原为 PENDING，现为 REVIVED：ann 已重新投递（操作 5）",
        ),
        (
            "Halted: nothing of what was moved was handled within 60 s. The queue a.b is paused. The rest was"
            " not moved.",
            "已停住：已移动的在 60 秒内没有一条得到处理。队列 a.b 已暂停。其余的没有移动。",
        ),
        (
            "failures: 8 rows for 2 days, also in /data/failures; daily: no day is open",
            "failures：2 天，共 8 行，也写入 /data/failures；daily：没有待计算的日期",
        ),
        (
            "9 of 9 events (100 %), 1,180 enriched, 24 dead letters",
            "9 个事件中的 9 个（100 %），1,180 个已增补，24 条死信",
        ),
        ("Not JSON, expecting value at line 1, column 5 (byte 4)",
         "不是 JSON（expecting value），位于第 1 行第 5 列（字节 4）"),
    ],
)  # fmt: skip
def test_sentences_within_sentences(kept, said):
    assert stored_text(kept) == said


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ValueError: it no longer exists",
        "no longer exists, says billing",
        "the event type is unknown",
        "Halted: too hot. The rest was not moved.",
        "changed since operation twelve",
        "9 of 10 events went missing",
        "billing; no longer exists",
    ],
)
def test_a_text_of_somebody_else_stays_as_it_is(text):
    assert stored_text(text) == text


def test_the_patterns_of_a_module_and_of_a_statement():
    module = "from dlqconsole.processing.inputs.sentences import stored\nA = stored('{n:d} ' 'are gone')"
    assert [message.text for message in of_python(module)] == ["{n:d} are gone"]
    statement = (
        "SELECT /*stored*/ 'it''s gone', format(/*stored: number:d, actor*/ '%%s by %s.', 1, 'b'), 'no'"
    )
    assert [*of_sql(statement)] == ["it's gone", "{number:d} by {actor}."]


def test_a_page_says_the_mistake_of_a_payload_in_chinese(operator, letter):
    """What the reader of payloads found is a sentence of ours within another."""
    one = letter()
    form = {"version": editing.current(one).version, "payload": '{"a": 1,}', "step": "check"}
    answer = operator.post(f"/dead-letters/{one}/edit/", form, headers={"Accept-Language": "zh-Hans"})
    assert (
        "不是 JSON（illegal trailing comma before end of object），位于第 1 行第 8 列"
        in answer.content.decode()
    )
