"""Every mistake is named, in the order of the table, so that nobody mends them one start at a time."""

import pytest

from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Number, Reader, Switch
from dlqconsole.configuration.table import TABLE


def test_all_are_named(environment, reader):
    wrong = [row.name for row in TABLE if isinstance(row, Number | Switch) and reader in row.readers]
    environment |= dict.fromkeys(wrong, "wrong")
    with pytest.raises(BadSettings) as refused:
        read_settings(reader)
    assert [sentence.split()[0] for sentence in refused.value.problems] == wrong
    assert str(refused.value) == " ".join(refused.value.problems)


def test_a_mistake_in_what_another_process_reads_is_its_own_affair(environment):
    environment["DLQ_LEASE_SECONDS"] = "wrong"
    assert read_settings(Reader.PIPELINE).number("DLQ_HANDLER_TIMEOUT") == 30


def test_what_a_process_does_not_read_it_cannot_ask_for(environment):
    with pytest.raises(KeyError):
        read_settings(Reader.PIPELINE).number("DLQ_LEASE_SECONDS")


def test_a_setting_of_another_type_cannot_be_asked_for(environment):
    given = read_settings(Reader.DJANGO)
    for ask in (given.switch, given.text, given.words):
        with pytest.raises(KeyError, match="DLQ_LEASE_SECONDS is no"):
            ask("DLQ_LEASE_SECONDS")
