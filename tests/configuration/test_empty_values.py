"""What is set to nothing counts as not set: `docker compose` hands on empty values."""

import pytest

from dlqconsole.configuration.given import given_text, is_given
from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Number, Reader, Switch, Text, Words
from dlqconsole.configuration.table import BY_NAME, TABLE

from .conftest import ENOUGH


def all_values(reader: Reader) -> dict[str, object]:
    """What a process is given, by name."""
    given = read_settings(reader)
    ask = {Number: given.number, Switch: given.switch, Text: given.text, Words: given.words}
    return {row.name: ask[type(row)](row.name) for row in TABLE if reader in row.readers}


def test_an_empty_value_is_the_default(environment, reader):
    environment |= {row.name: "" for row in TABLE if row.name not in ENOUGH}
    values = all_values(reader)
    for name in values.keys() - ENOUGH.keys():
        default = BY_NAME[name].default
        assert values[name] == (list(default) if isinstance(default, tuple) else default)


@pytest.mark.parametrize("name", sorted(ENOUGH))
@pytest.mark.parametrize("how", ["empty", "absent"])
def test_what_has_no_default_is_asked_for(environment, name, how):
    environment[name] = ""
    if how == "absent":
        del environment[name]
    with pytest.raises(BadSettings) as refused:
        read_settings(Reader.DJANGO)
    (sentence,) = refused.value.problems
    assert sentence.startswith(f"{name} is not set (for example {BY_NAME[name].example})")


def test_each_default_is_read_back_from_its_own_text(environment, reader):
    """What the README shows as the default may be typed."""
    environment["DLQ_DATA_DIR"] = ""
    before = all_values(reader)
    environment |= {row.name: row.default_text for row in TABLE if row.name not in ENOUGH}
    assert all_values(reader) == before


def test_one_setting_as_text(environment):
    assert (given_text("PORT"), is_given("PORT")) == ("8000", False)
    environment["PORT"] = "8001"
    assert (given_text("PORT"), is_given("PORT")) == ("8001", True)
    environment["PORT"] = ""
    assert (given_text("PORT"), is_given("PORT")) == ("8000", False)


@pytest.mark.parametrize("ask", [given_text, is_given])
def test_a_name_that_is_not_in_the_table(ask):
    with pytest.raises(KeyError):
        ask("DLQ_NO_SUCH_SETTING")
