"""Each bound, tried from both sides, for the web and for the pipeline."""

import pytest

from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Number, Reader
from dlqconsole.configuration.table import BY_NAME, IN_ORDER, TABLE

NUMBERS = [
    pytest.param(row, reader, id=f"{row.name}-{reader.name.lower()}")
    for row in TABLE
    for reader in (Reader.DJANGO, Reader.PIPELINE)
    if isinstance(row, Number) and reader in row.readers
]
# of two that belong together the other one is out of the way
WIDE = {low: str(BY_NAME[low].low) for low, _high in IN_ORDER}
WIDE |= {high: str(BY_NAME[high].high) for _low, high in IN_ORDER}


@pytest.mark.parametrize(("row", "reader"), NUMBERS)
def test_the_bounds_themselves_are_allowed(environment, row, reader):
    for value in (row.low, row.high):
        environment |= WIDE | {row.name: str(value)}
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


@pytest.mark.parametrize(("low", "high"), IN_ORDER)
def test_two_that_contradict_each_other_are_refused(environment, low, high):
    environment |= {low: "61", high: "60"}
    with pytest.raises(BadSettings) as refused:
        read_settings(Reader.DJANGO)
    assert refused.value.problems == [f"{low} is 61; it must not be above {high}, which is 60."]
    environment[high] = "61"
    assert read_settings(Reader.DJANGO).number(low) == 61
