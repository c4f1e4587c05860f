from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("engine", "0010_failure_rules")]
    operations = []
