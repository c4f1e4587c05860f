"""The value of a secret is never said, whatever is wrong with it or beside it."""

import pytest

from dlqconsole.configuration import reading
from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Number, Reader
from dlqconsole.configuration.table import TABLE

HIDDEN = "hunter2"
SECRETS = [row for row in TABLE if row.secret and Reader.DJANGO in row.readers]
WRONG = [
    HIDDEN,
    f"//{HIDDEN}",
    f"{HIDDEN}://u@h/d",
    f"postgres://u:{HIDDEN}@h:{HIDDEN}/d",
    f"postgres://u:{HIDDEN}[@h/d",
    f"mysql://u:{HIDDEN}@h",
    f"mysql://u:{HIDDEN}@h:x{HIDDEN}/d",
    f"mysql://u:p@h/d?{HIDDEN}={HIDDEN}",
]


@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize("row", SECRETS, ids=lambda row: row.name)
def test_a_wrong_secret_is_not_echoed(environment, row, value):
    environment |= {row.name: value, "DLQ_LEASE_SECONDS": "0"}
    with pytest.raises(BadSettings) as refused:
        read_settings(Reader.DJANGO)
    assert HIDDEN not in str(refused.value)
    assert "DLQ_LEASE_SECONDS" in str(refused.value)


def test_a_secret_number_would_not_be_echoed_either(environment, monkeypatch):
    row = Number(name="DLQ_PIN", meaning="for this test", default=1, low=1, high=9, secret=True)
    monkeypatch.setattr(reading, "TABLE", (row,))
    environment["DLQ_PIN"] = "31337"
    with pytest.raises(BadSettings) as refused:
        read_settings(Reader.DJANGO)
    assert str(refused.value) == "DLQ_PIN cannot be used. It must be a whole number between 1 and 9."


def test_what_may_hold_a_password_is_marked_secret():
    telling = ("_URL", "SECRET", "TOKEN", "PASSWORD", "AUDIT_KEY")
    assert [row.name for row in TABLE if row.secret != any(word in row.name for word in telling)] == []
