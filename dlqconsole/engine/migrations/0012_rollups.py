from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("engine", "0011_classification")]
    operations = []
