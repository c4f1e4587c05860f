from pathlib import Path

from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve
from dlqconsole.engine.migrations._sql_file import run_sql_file

SERVED = {
    "scopes_pkey": "a row by number: the forms of Django's admin",
    "scopes_user_id_8486b4f9": "each request: what a person is limited to",
    "scopes_group_id_3188e4c9": "each request: what the person's groups are limited to",
}


class Migration(migrations.Migration):
    """Whoever changes what somebody is limited to is in the audit log, which must be there."""

    dependencies = [("people", "0004_scopes"), ("engine", "0008_locks_and_audit")]
    operations = [
        run_sql_file("0005_scopes_audited", Path(__file__).parent / "sql"),
        say_what_indexes_serve(SERVED),
    ]
