"""The file of noted heads is a plain file, and no link."""

from datetime import UTC, datetime

import pytest

from dlqconsole.contrib.sealing.checks import note_head


def test_heads_are_not_noted_through_a_link(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("of somebody else")
    (tmp_path / "heads").symlink_to(elsewhere)
    with pytest.raises(OSError, match="symbolic links"):
        note_head(tmp_path / "heads", "1:aa", datetime.now(UTC))
    assert elsewhere.read_text() == "of somebody else"
