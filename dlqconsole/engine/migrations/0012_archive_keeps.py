from django.db import migrations, models

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    """Each archived message says until when it is kept."""

    dependencies = [("engine", "0011_unhandled_indexes")]
    operations = [
        run_sql_file("0012_archive_keeps"),
        migrations.AddField("archivedmessage", "keep_until", models.DateTimeField(), preserve_default=False),
    ]
