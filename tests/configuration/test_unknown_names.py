"""A mistyped setting is told at the start: DLQ_MASKD_KEYS masks nothing."""

from dlqconsole.configuration.reading import warn_of_unknown_names


def test_a_mistyped_name_is_told_and_its_value_is_not(monkeypatch, capsys):
    monkeypatch.setenv("DLQ_MASKD_KEYS", "iban")
    monkeypatch.setenv("DLQ_MASKED_KEYS", "iban")
    warn_of_unknown_names()
    assert capsys.readouterr().err == "'DLQ_MASKD_KEYS' is no setting and is ignored.\n"
