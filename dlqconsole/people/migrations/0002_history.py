from pathlib import Path

from django.db import migrations

from dlqconsole.engine.migrations._index_comments import drop_unasked, say_what_indexes_serve
from dlqconsole.engine.migrations._sql_file import run_sql_file

SERVED = {
    "role_grants_pkey": "a row by number; nothing of ours asks for it",
    "role_grants_now": "what a person may do now, and since when: approvals; one row a role",
    "account_names_pkey": "the history of names, oldest first",
    "account_names_now": "the name that an account has now; one row an account",
    "personal_tokens_pkey": "a token by number: its page, and its revocation",
    "personal_tokens_sha256_key": "who shows a token",
    "personal_tokens_user": "the tokens of a person",
}


class Migration(migrations.Migration):
    """Triggers of Django's own tables, which must be there."""

    dependencies = [("people", "0001_initial"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [
        run_sql_file("0002_history", Path(__file__).parent / "sql"),
        say_what_indexes_serve(SERVED),
        drop_unasked("personal_tokens_sha256_2117085f_like"),
    ]
