"""The statement within ``dead_letters_due``, as a query of its own: its plan can be looked at."""

import re

from dlqconsole.core.schema import FOLDER

_PARAMETERS = {
    "dead_letters_due.lanes": "%(lanes)s::jsonb",
    "dead_letters_due.but": "%(but)s::bigint[]",
    "dead_letters_due.most_come_backs": "%(most_come_backs)s::integer",
}


def claim_statement() -> str:
    """Return it with the parameters of ``claims.claim_due``."""
    schema = (FOLDER / "schedule.sql").read_text(encoding="utf-8")
    function = schema.split("CREATE FUNCTION dead_letters_due(")[1]
    statement = function.split("RETURN QUERY\n")[1].split(";\n")[0]
    for name, parameter in _PARAMETERS.items():
        statement = re.sub(rf"(?<![\w.]){re.escape(name)}\b", parameter, statement)
    return statement.strip()
