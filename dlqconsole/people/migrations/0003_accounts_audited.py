from pathlib import Path

from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    """Triggers of Django's own tables, which write to the audit log."""

    dependencies = [("people", "0002_history"), ("engine", "0008_locks_and_audit")]
    operations = [run_sql_file("0003_accounts_audited", Path(__file__).parent / "sql")]
