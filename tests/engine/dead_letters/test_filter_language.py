"""The filter language: what it matches, how it is written down, and what it says of a mistake."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.language import reading as language
from dlqconsole.engine.dead_letters.language.tree import Term, Value
from dlqconsole.engine.dead_letters.language.writing import write
from dlqconsole.engine.models import DeadLetter
from tests.sizes import sized

ROWS = [
    ("order.made", None, "PENDING", "", 0, {}),
    ("order.made", "q1", "DISCARDED", "Away: 1", 1, {"n": 7, "s": "x*y"}),
    ("order.paid", "q2", "PENDING", "Away: 1", 2, {"n": -3.5, "s": "10%"}),
    ("order%paid", "q1", "EXHAUSTED", "Refused: 1", 3, {"n": "7", "s": None}),
    ("mail", None, "EXHAUSTED", "", 4, {"n": {"deep": 7}, "s": ["x"]}),
    ("mail", "order.made", "PENDING", "Away: 1", 5, {"n": 9007199254740993, "s": "xy"}),
]
COLUMNS = ("event_type", "queue", "status", "error_reason", "retry_count", "payload")
ORDER = {
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
}  # fmt: skip
# a term in the language, and whether a row matches it
TERMS = [
    ("type:order.made", lambda row: row["event_type"] == "order.made"),
    ("type:order*", lambda row: row["event_type"].startswith("order")),
    ('type:"order*"', lambda row: False),
    ("type:*%*", lambda row: "%" in row["event_type"]),
    ("type:[mail, order.p*]", lambda row: row["event_type"] in ("mail", "order.paid")),
    ("queue:q1", lambda row: queue_of(row) == "q1"),
    ("queue:order.*", lambda row: queue_of(row).startswith("order.")),
    ("has:queue", lambda row: row["queue"] is not None),
    ("has:error", lambda row: row["error_class"] != ""),
    ("status:[pending, DISCARDED]", lambda row: row["status"] in ("PENDING", "DISCARDED")),
    ("error:Away", lambda row: row["error_class"] == "Away"),
    ("error:*e*", lambda row: "e" in row["error_class"]),
    ("key:[k0, K1]", lambda row: row["source_key"] in ("k0", "k1")),
    ("tries:2", lambda row: row["retry_count"] == 2),
    ("tries:>=3", lambda row: row["retry_count"] >= 3),
    ("payload.n:7", lambda row: text_at(row, "n") == "7"),
    ("payload.s:x*", lambda row: isinstance(at(row, "s"), str) and at(row, "s").startswith("x")),
    ('payload.s:"x*y"', lambda row: text_at(row, "s") == "x*y"),
    ("has:payload.s", lambda row: at(row, "s") is not None),
    ("has:payload.n.deep", lambda row: isinstance(at(row, "n"), dict)),
    ("has:note", lambda row: False),
    *(
        (f"payload.n:{sign}{number}", lambda row, sign=sign, number=number: is_so(at(row, "n"), sign, number))
        for sign in ORDER
        for number in (-3.5, 7, 9007199254740992)
    ),
    *(
        (f"payload.n:{text}", lambda row, sign=sign, number=number: is_so(at(row, "n"), sign, number))
        for text, sign, number in (
            (">7e0", ">", 7), (">=.7E1", ">=", 7), ("<1e30", "<", 10**30), ("<=-35e-1", "<=", -3.5),
            (">+5", ">", 5), (">5.", ">", 5), (">1e300", ">", 10**300),
        )
    ),
    ("payload.s:>=x", lambda row: isinstance(at(row, "s"), str) and at(row, "s") >= "x"),
    ("since:2000-01-01", lambda row: True),
    ("until:-1h", lambda row: False),
]  # fmt: skip


def queue_of(row):
    return row["queue"] or row["event_type"]


def at(row, name):
    return row["payload"].get(name)


def text_at(row, name):
    value = at(row, name)
    return value if isinstance(value, str) or value is None else json.dumps(value)


def is_so(value, sign, number):
    return isinstance(value, int | float) and ORDER[sign](value, number)


def negated(pair):
    text, matches = pair
    return f"-({text})", lambda row: not matches(row)


def joined(word, join):
    def both(pairs):
        matches = [each for _text, each in pairs]
        text = word.join(f"({text})" for text, _matches in pairs)
        return text, lambda row: join(each(row) for each in matches)

    return both


EXPRESSIONS = st.recursive(
    st.sampled_from(TERMS),
    lambda inner: st.one_of(
        inner.map(negated),
        st.lists(inner, min_size=2, max_size=3).map(joined(" ", all)),
        st.lists(inner, min_size=2, max_size=3).map(joined(" OR ", any)),
    ),
    max_leaves=5,
)


@pytest.fixture
def rows(letter):
    given = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
    for number, row in enumerate(given):
        letter(**row, source=f"s{number}", source_key=f"k{number % 3}")
    columns = ("id", "event_type", "queue", "status", "error_class", "retry_count", "source_key")
    there = DeadLetter.objects.order_by("id").values(*columns)
    return {row["id"]: row | {"payload": each["payload"]} for row, each in zip(there, given, strict=True)}


def found(text):
    return set(DeadLetterFilter.parse({"q": text}).queryset().values_list("pk", flat=True))


@pytest.mark.parametrize(("text", "matches"), TERMS, ids=[text for text, _matches in TERMS])
def test_each_term_and_its_opposite_match_what_they_say(rows, text, matches):
    right = {number for number, row in rows.items() if matches(row)}
    assert (found(text), found(f"-{text}")) == (right, rows.keys() - right)


@settings(max_examples=sized(60, 400), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(expression=EXPRESSIONS)
def test_any_expression_matches_what_plain_python_says(rows, expression):
    text, matches = expression
    right = {number for number, row in rows.items() if matches(row)}
    parsed = DeadLetterFilter.parse({"q": text})
    assert set(parsed.queryset().values_list("pk", flat=True)) == right, parsed.text
    assert summaries.count_matching(parsed).value == len(right)
    again = DeadLetterFilter.parse(parsed.canonical())
    assert (again, again.text) == (parsed, parsed.text)


@settings(max_examples=300)
@given(text=st.text(alphabet='ab:*-"\\()[], OR<>.payloadtypekey\n', max_size=40))
def test_any_text_is_a_filter_or_a_mistake_at_its_place(text):
    parsed = read(text)
    if isinstance(parsed, InvalidFilter):
        assert (len(parsed.problems), -1 <= parsed.at <= len(parsed.text)) == (1, True)
    else:
        again = DeadLetterFilter.parse(parsed.canonical())
        assert (again, again.text) == (parsed, parsed.text)


VALUES = st.builds(
    lambda pieces: Value(tuple(pieces)),
    st.lists(st.text(alphabet='ab\\"*()[], <>:', min_size=1, max_size=6), min_size=1, max_size=3),
)


@given(value=VALUES)
def test_a_value_reads_back_as_it_was_written(value):
    term = Term("reason", (value,))
    assert language.read(write(term), language.Keys(("reason",))) == term


def read(text):
    try:
        return DeadLetterFilter.parse({"q": text})
    except InvalidFilter as error:
        return error


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("status:pending type:a", "type:a status:PENDING"),
        ("(type:b OR type:a) OR type:a", "type:a OR type:b"),
        ("-(-type:a)", "type:a"),
        ("NOT type:a AND queue:q", "queue:q -type:a"),
        ('reason:"timed out"  key:[b,a, b]', 'reason:"timed out" key:[a, b]'),
        ('"timed out"', "timed out"),
        ("timed out type:a", 'type:a "timed out"'),
        ("Error: order (12) is: gone", "Error: order (12) is: gone"),
        ("queue:orders:17 x", 'queue:orders:17 x'),
        ('payload."a b":1', 'payload."a b":1'),
        *(
            (f"payload.n:>{text}", f"payload.n:>{number}")
            for text, number in (
                ("1e3", "1000"), ("+1.0E+3", "1000"), ("1000.", "1000"), (".50", "0.5"), ("-5e-1", "-0.5"),
                ("-0.0", "0"), ("1e300", "1" + "0" * 300), ("007", "007"), ("1e", "1e"), ("e3", "e3"),
            )
        ),
        (r"reason:c:\temp", r'reason:"c:\\temp"'),
        (r'reason:"c:\temp"', r'reason:"c:\\temp"'),
        (r"reason:c:\temp\ x\(1\)", r'reason:"c:\\temp x(1)"'),
        (r"reason:[c:\a, \"b\,\]]", r'reason:["\"b,]", "c:\\a"]'),
        ("reason:c:\\", 'reason:"c:\\\\"'),
        (r"source:c:\temp\\*\*", r"source:c:\\temp\\*\*"),
    ],
)  # fmt: skip
def test_there_is_one_way_to_write_it(text, canonical):
    assert DeadLetterFilter.parse({"q": text}).text == canonical


def test_parameters_add_terms():
    with_facets = DeadLetterFilter.parse({"q": "-status:DISCARDED", "type": "a", "payload.b": "1"})
    assert with_facets.text == "type:a payload.b:1 -status:DISCARDED"


@pytest.mark.parametrize(
    ("text", "at", "sentence"),
    [
        ("type:a stauts:PENDING", 7, "There is no key stauts; did you mean status?"),
        ("status:PENDNG", 7, "did you mean PENDING?"),
        ("type:a (status:PENDING", 7, "This parenthesis is never closed."),
        ("type:a)", 6, "This closing parenthesis has no opening one."),
        ('type:"a', 5, "These quotes are never closed."),
        ("key:[a, b", 4, "This list is never closed: write [a, b]."),
        ("status: PENDING", 7, "status needs a value right behind the colon, such as status:…"),
        ("type:a OR", 9, "A condition is missing here."),
        ("type:a or type:b", 7, "Write OR in capitals, or “or” in quotes to search for it."),
        ("type:a timed out or type:b", 7, "Write OR in capitals, or “timed out or” in quotes"),
        ("type:>a", 6, "type has no order"),
        ("status:P*", 7, "status takes whole values"),
        ("tries:>x", 7, "tries must be a number"),
        ("has:type", 4, "has takes queue"),
        ("payload.n:>1e301", 11, "numbers of at most 300 digits on each side of the point"),
        ("payload.n:<-1.5e-300", 11, "numbers of at most 300 digits"),
        ("-" * 20 + "type:a", 12, "at most 12 deep"),
        ("type:a " * 61, 420, "at most 60 conditions"),
        ("type:a " + "x" * 2000, 2000, "the limit is 2,000"),
    ],
)
def test_a_mistake_is_shown_at_its_place(text, at, sentence):
    with pytest.raises(InvalidFilter) as refused:
        DeadLetterFilter.parse({"q": text})
    assert sentence in str(refused.value)
    assert (refused.value.text, refused.value.at) == (text.strip(), at)
