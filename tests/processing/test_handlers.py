"""Handlers are found by the names of their modules, and every mistake is one sentence."""

import pickle
import subprocess
import sys
from itertools import count
from textwrap import dedent

import pytest

from dlqconsole.processing import Event, HandlerSetupError, NoHandler, SchemaViolation, handler, load_handlers

HEAD = "from dlqconsole.processing import handler\n"
numbers = count()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module of this text and return its name; it can be imported during the test."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(text, name=None):
        name = name or f"handlers_under_test_{next(numbers)}"
        path = tmp_path / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD + dedent(text))
        return name

    return write


def event(event_type, data=None):
    return Event(id="1", source="test", type=event_type, data=data)


def test_a_declared_function_handles_its_events(module):
    name = module("""
        @handler("a", schema={"required": ["n"]}, lookups={"names": {1: "one"}})
        def a(event, lookups):
            return {"name": lookups["names"][event.data["n"]]}
    """)
    registry = load_handlers(name)
    assert registry.event_types == ("a",)
    assert registry.handle(event("a", {"n": 1})) == {"name": "one"}
    with pytest.raises(SchemaViolation, match='"n" is missing'):
        registry.handle(event("a", {}))


def test_an_event_type_without_a_handler_is_named():
    with pytest.raises(NoHandler, match="no handler is declared for event type 'b'"):
        load_handlers("").handle(event("b"))


def test_several_modules_make_one_registry_and_one_function_may_have_two_types(module):
    first = module('@handler("a")\n@handler("b")\ndef f(event, lookups): return {}')
    second = module('@handler("c")\ndef f(event, lookups): return {}')
    assert load_handlers(f" {first}, {second},{first} ").event_types == ("a", "b", "c")


def test_a_business_key_is_known_by_its_path(module):
    name = module(
        '@handler("a", business_key="data.order_id")\n@handler("b")\ndef f(event, lookups): return {}'
    )
    assert load_handlers(name).business_keys == {"a": ("data", "order_id")}


def test_a_package_may_collect_the_handlers_of_its_modules(module):
    module('@handler("inner")\ndef f(event, lookups): return {}', "collected.inside")
    module("from . import inside", "collected.__init__")
    other = module("from collected.inside import f")
    assert load_handlers("collected").event_types == ("inner",)
    assert load_handlers(other).event_types == ("inner",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "declares no @handler"),
        ("import nowhere_to_be_found", "needs the module 'nowhere_to_be_found', not installed"),
        ("1 / 0", "importing '.*' failed: ZeroDivisionError: division by zero"),
        ('raise SystemExit("bye")', "'.*' ended the program while it was imported [(]SystemExit: bye[)]"),
        ("def broken(:", "importing '.*' failed: SyntaxError"),
        ('@handler("")\ndef f(event, lookups): ...', "@handler needs the event type as text, not ''"),
        (
            '@handler("a")\ndef f(event, lookups): ...\n@handler("a")\ndef f(event, lookups): ...',
            "event type 'a' has two handlers: .*[.]f and .*[.]f",
        ),
        (
            '@handler("a", business_key="data..id")\ndef f(event, lookups): ...',
            "business_key is a path such as 'data.order_id', not 'data..id'",
        ),
        (
            '@handler("a", schema={"type": 5})\ndef f(event, lookups): ...',
            "[.]f \\('a'\\): not a valid JSON Schema: type: 5",
        ),
    ],
)
def test_a_module_that_cannot_be_used_is_one_sentence(module, text, sentence):
    with pytest.raises(HandlerSetupError, match=sentence):
        load_handlers(module(text))


def test_a_name_that_is_no_module_is_one_sentence():
    with pytest.raises(
        HandlerSetupError, match=r"DLQ_HANDLERS names 'no.such', and there is no module of that name"
    ):
        load_handlers("no.such")


def test_a_module_can_be_mended_and_loaded_again(module):
    name = module("1 / 0")
    with pytest.raises(HandlerSetupError):
        load_handlers(name)
    module('@handler("a")\ndef f(event, lookups): return {"mended": True}', name)
    assert load_handlers(name).handle(event("a")) == {"mended": True}


def test_a_registry_travels_to_a_worker_as_its_modules_names(module, tmp_path):
    name = module('@handler("a")\ndef f(event, lookups): return {"n": 1}')
    pickled = pickle.dumps(load_handlers(name))
    program = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).event_types)"
    path = {"PYTHONPATH": f"{tmp_path}:."}
    done = subprocess.run(
        [sys.executable, "-c", program], input=pickled, env=path, capture_output=True, check=True
    )
    assert done.stdout == b"('a',)\n"


def test_importing_the_package_is_cheap():
    program = (
        "import sys, dlqconsole.processing\n"
        "print(sorted({'jsonschema', 'django', 'pyspark'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": "."}, capture_output=True, check=True
    )
    assert done.stdout == b"[]\n"


def test_the_decorated_function_stays_an_ordinary_function():
    @handler("never.loaded")
    def double(event, lookups):
        return {"n": event * 2}

    assert double(2, {}) == {"n": 4}
