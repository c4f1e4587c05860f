"""docs/archive.md says how long everything is kept: each setting of it, with the length that holds."""

import re
from pathlib import Path

from dlqconsole.configuration.settings import FIELDS, NAMES
from dlqconsole.retries.run_records import KEPT_DAYS

TEXT = (Path(__file__).parents[3] / "docs/archive.md").read_text()
LENGTHS = TEXT[TEXT.index("## How long everything is kept") : TEXT.index("## Personal data")]


def test_each_length_is_the_one_that_holds():
    told = re.findall(r"^\| (.+?) \| (.+?) \| `(DLQ_\w+)` = `(\d+)` \|$", LENGTHS, re.MULTILINE)
    for _what, words, name, default in told:
        assert FIELDS[name].default == int(default), name
        assert words.startswith(f"{default} days" if int(default) else ("for ever", "never")), name
    lasting = {name for name in NAMES if re.fullmatch(r"DLQ_\w+_DAYS", name)}
    assert {name for _what, _words, name, _default in told} == lasting
    assert f"| runs of the schedule | {KEPT_DAYS} days |" in LENGTHS
