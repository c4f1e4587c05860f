from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("engine", "0012_rollups")]
    operations = []
