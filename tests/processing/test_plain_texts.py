"""The quick look never lets through what the exact walk would have masked."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dlqconsole.processing.masking import Masker, plain_texts
from tests.sizes import sized

usual, with_more, with_odd = Masker(), Masker(["orderRef", "flightNo"]), Masker(["7", "T"])

KEYS = [
    "email",
    "e_mail",
    "E-Mail",
    "p_a_n",
    "pin",
    "p:in",
    'my "email" x',
    "user password",
    "密码",
    "tin",
    "nip",
    "id",
    "event_name",
    "email_verified",
    "a",
    "",
    "\\pin",
    "10",
    "orderRef",
    "phone",
    "note",
    "T10",
    "pass_word",
    "pan2026-11-21T10",
    "x\npin",
    "ip_address",
    "token count",
]
VALUES = [
    "4111 1111 1111 1111",
    "4111111111111111",
    "v1234 4111 1111 1111 1111",
    "378282246310005",
    "3782 822463 10005",
    "4111-1111-1111-1111",
    "joe@example.org",
    "joe%40example.org",
    "+49 30 123-4567",
    "11010519491231002X",
    "123-45-6789",
    "DE89 3704 0044 0532 0130 00",
    "GB82WEST12345698765432",
    "postgres://joe:pw@db/x",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x",
    "AKIAIOSFODNN7EXAMPLE",
    "Bearer abc123.def",
    "Basic YWJjOmRlZg==",
    "-----BEGIN PRIVATE KEY-----",
    "RCCMNL83S18D969H",
    "BOXW310820HNERXN09",
    "971013-9019902",
    "390.533.447-05",
    "756.9217.0769.85",
    "85.07.30-033 28",
    "2 95 10 99 126 111 93",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0123456789_abcdefghij",
    "xoxb-123456789012-abcdefABCDEF",
    "sk-proj-abcdefghij0123456789ABCD",
    "2026-11-21T10:00:00Z",
    "2026-11-21 10:00:00",
    "1779984000123",
    "5032345678901234567",
    "left-pad@1.3.0",
    "x",
    "1.10",
    "FR14-2004-1010-0505-0001-3M02-606",
    "4111.1111.1111.1111",
    "<pin>5</pin>",
    '{"name":"password","value":"x"}',
    '[["ssn", 5]]',
    "('Authorization', 'x')",
    "--password x",
    "-u bob:x",
    "npm_abcdefghijABCDEFGHIJ0123456789abcdef",
]
JOINTS = [
    ":",
    "=",
    ": ",
    " = ",
    "=>",
    "\t: ",
    '":"',
    "':'",
    '\\":\\"',
    "\n",
    " ",
    ",",
    "\\n",
    "\\t:",
    '": ',
    "'",
    '"',
    "{",
    "}",
    "[",
    "\\",
    ".",
    "-",
    "+",
    "n",
    "t",
    "/",
    "\\/",
    "@",
]

words = st.sampled_from(KEYS) | st.sampled_from(VALUES) | st.text(max_size=6)
free = st.lists(words | st.sampled_from(JOINTS), max_size=9).map("".join)
NUMBERS = st.sampled_from([4111111111111111, 13812345678])
trees = st.recursive(
    st.none() | st.booleans() | st.integers(0, 10**19) | free | NUMBERS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | free, inner, max_size=3)
        | inner.map(json.dumps)
        | inner.map(lambda tree: json.dumps(tree, ensure_ascii=False, indent=1))
    ),
    max_leaves=8,
)


def agree(text: str) -> None:
    for each in (usual, with_more, with_odd):
        if each._is_plain(text):
            assert each._walk(text, 0) == text
            assert each._exact_text(text) == text
        assert each.json(text) == each._walk(text, 0)
        assert each.text(text) == each._exact_text(text)


def escaped(text: str, place: int) -> str:
    """With one character written as JSON allows it, too."""
    place %= len(text) or 1
    return f"{text[:place]}\\u{ord(text[place]):04x}{text[place + 1 :]}" if text.isascii() and text else text


@pytest.mark.sized
@settings(max_examples=sized(200, 600))
@given(trees, st.booleans(), st.integers(0, 500))
@example({"\u0065mail": "x"}, True, 2)
@example({"a": json.dumps({"pin": 5})}, True, 0)
@example({"a": json.dumps({"b": json.dumps({"x\npin": 5})})}, False, 0)
def test_json_is_masked_as_by_the_walk_alone(tree, ascii_only, place):
    text = json.dumps(tree, ensure_ascii=ascii_only)
    agree(text)
    agree(json.dumps(tree, ensure_ascii=ascii_only, indent=1, separators=(" ,", " : ")))
    agree(escaped(text, place))
    agree(text.replace("/", "\\/"))


@pytest.mark.sized
@settings(max_examples=sized(200, 600))
@given(free)
@example("\\npin=5")
@example("\\\\t: pin\\t: 5")
@example("v1234 4111 1111 1111 1111")
@example("at 2026-11-21T10:00:00 pin: 3")
def test_text_is_masked_as_by_the_walk_alone(text):
    agree(text)


@pytest.mark.parametrize("one", ["pin12", "cvv2", "12_34", "mail56"])
def test_among_many_numbered_keys_one_is_seen(one):
    keys = [*(f"k{number}" for number in range(150)), one]
    agree(json.dumps(dict.fromkeys(keys, 5)))


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("around", ['"{}"', '["\\n{}\\n"]', '{{"a": "x {}, y"}}', "n{}"])
def test_the_quick_look_sees_every_kind_of_value(value, around):
    agree(around.format(value))


@pytest.mark.parametrize(
    "text",
    [
        '{"order_id": 1234567890123456789, "at": "2026-11-21T10:00:00.123Z", "price": 1.10, "from": "PVG"}',
        '{"id": "550e8400-e29b-41d4-a716-446655440000", "since": "2026-11-21 10:00:00", "ts": 1779984000123}',
        "java.lang.IllegalStateException: no answer\n\tat com.example.Foo.bar(Foo.java:1234)\n\t@3f2a",
    ],
)
def test_usual_texts_pass_by_the_quick_look(text):
    assert usual._is_plain(text)


@pytest.mark.parametrize("around", ['{{"a": {}]', "[{}}}", '{{"a": [{}}}', "{}]", "[{}"])
def test_what_only_looks_like_json_is_masked_as_text(around):
    text = around.format('"joe@example.org"')
    assert usual.json(text) == around.format('"‹email›"')
    agree(text)


def test_keys_that_were_harmless_are_forgotten_and_looked_at_again(monkeypatch):
    monkeypatch.setattr(plain_texts, "_REMEMBERED", 2)
    masker = Masker()
    for number in range(9):
        assert masker.json(f'{{"k{number}": 1, "p{number}": 2}}') == f'{{"k{number}": 1, "p{number}": 2}}'
        assert masker.json('{"email": "joe"}') == '{"email": "‹email›"}'
    assert len(masker._is_plain.__self__._harmless) <= 5
