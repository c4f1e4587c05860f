from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("engine", "0009_dead_letter_stories")]
    operations = []
