from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "playbooks_pkey": "a playbook by number; each worker's tick goes through all that are on",
    "playbook_entries_pkey": "an entry by number",
    "playbook_entries_once": "each part of what happened asks for one operation, whoever is quicker",
    "playbook_entries_newest": "a playbook's history, newest first; what it used up today",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("playbooks", "0001_initial")]
    operations = [
        say_what_indexes_serve(SERVED),
    ]
