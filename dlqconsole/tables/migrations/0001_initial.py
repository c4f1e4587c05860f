from django.conf import settings
from django.db import migrations

from dlqconsole.tables.migrating import make_tables


class Migration(migrations.Migration):
    # the tables of accounts and permissions have triggers of ours
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(make_tables)]
