"""Each bound, tried from both sides, for the web and for the pipeline."""

import pytest

from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Number, Reader
from dlqconsole.configuration.table import TABLE

NUMBERS = [
    pytest.param(row, reader, id=f"{row.name}-{reader.name.lower()}")
    for row in TABLE
    for reader in (Reader.DJANGO, Reader.PIPELINE)
    if isinstance(row, Number) and reader in row.readers
]


@pytest.mark.parametrize(("row", "reader"), NUMBERS)
def test_the_bounds_themselves_are_allowed(environment, row, reader):
    for value in (row.low, row.high):
        environment[row.name] = str(value)
        assert read_settings(reader).number(row.name) == value


@pytest.mark.parametrize(("row", "reader"), NUMBERS)
def test_one_beyond_is_refused_and_the_sentence_says_all(environment, row, reader):
    for value in (row.low - 1, row.high + 1):
        environment[row.name] = str(value)
        with pytest.raises(BadSettings) as refused:
            read_settings(reader)
        assert refused.value.problems == [f"{row.name} is '{value}'; it must be {row.allowed}."]
        assert f"{row.low:,} and {row.high:,}" in str(refused.value)


@pytest.mark.parametrize("row", [row for row in TABLE if isinstance(row, Number)], ids=lambda row: row.name)
def test_the_default_keeps_its_own_bounds(row):
    assert row.low <= row.default <= row.high
