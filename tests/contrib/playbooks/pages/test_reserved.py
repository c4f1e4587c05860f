"""Names of a playbook's fields are taken: no option may have them."""

import re
from pathlib import Path

from dlqconsole.contrib.playbooks.pages.forms import PlaybookForm
from dlqconsole.operations.kinds import rules

ROOT = Path(__file__).parents[4]


def test_every_field_of_a_playbook_is_taken():
    template = ROOT / "dlqconsole/contrib/playbooks/templates/playbooks/form.html"
    fields = {*PlaybookForm().fields, *re.findall(r'name="(\w+)"', template.read_text())}
    assert fields == rules.STANDING_RULE
