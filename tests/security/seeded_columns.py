"""Personal data in every column of every table of ours that can hold text: found from the catalog.

A new column is filled like the others, and what shows it unmasked fails ``test_masked_everywhere``. A column
that is only ever written by our code, with words of ours, is named in ``OURS``.
"""

import json
from collections.abc import Iterator

from django.db import Error, connection, transaction

# what must be seen nowhere; each is a whole value that somebody could use
SECRETS = {
    "e-mail": "ada.lovelace@example.org",
    "US": "078-05-1120",
    "MX": "BOXW310820HNERXN09",
    "IT": "RCCMNL83S18D969H",
    "BR": "390.533.447-05",
    "KR": "971013-9019902",
    "card": "4111 1111 1111 1111",
    "iban": "DE89370400440532013000",
    "phone": "+49 30 1234567",
    "phone in brackets": "+1 (415) 555-2678",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "stripe": "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "github": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "pem": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    "password": "correct-horse-battery",
}
_WRITTEN = SECRETS | {
    "pem": f"-----BEGIN PRIVATE KEY-----\n{SECRETS['pem']}\n-----END PRIVATE KEY-----",
    "password": f"password={SECRETS['password']}",
}
# the e-mail stands first: it fits into every column
TEXT = ", ".join(_WRITTEN.values())
OBJECT = {"contact": SECRETS["e-mail"], "password": SECRETS["password"], "remark": TEXT}

# words of our own: states, kinds, names of rows that addresses are made of
OURS = {
    "*.status", "*.kind", "*.outcome", "*.scope", "*.error_category", "*.said_category", "*.category",
    "*.trigger", "*.transport", "*.system", "*.visibility", "*.partition", "*.retention", "*.was",
    "*.actor", "*.approver", "*.cancelled_by",  # user:7
    "account_names.name",  # the audit says who it was
    "queues.name", "reports.name", "shedlock.name", "lock_tokens.name",  # parts of addresses, and of locks
    "dlq_events.payload_raw", "message_queue.payload_raw",  # where there are bytes, they stand for the JSON
}  # fmt: skip


def seed_every_column() -> list[str]:
    """Fill them, as ``table.column``. Triggers stay away: they would refuse what a person could never do."""
    filled = []
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table, column, kind, length in _columns(cursor):
            if f"{table}.{column}" in OURS or f"*.{column}" in OURS:
                continue
            try:
                with transaction.atomic():
                    cursor.execute(
                        f'UPDATE "{table}" SET "{column}" = {_value(column, kind)}', _bound(kind, length)
                    )
                    if cursor.rowcount:
                        filled.append(f"{table}.{column}")
            except Error:
                continue  # a CHECK or a unique key does not allow it
        cursor.execute("SET LOCAL session_replication_role = origin")
    return filled


def _columns(cursor) -> Iterator[tuple[str, str, str, int | None]]:
    cursor.execute(
        """
        SELECT c.table_name, c.column_name, c.data_type, c.character_maximum_length
        FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
        WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'
            AND c.data_type IN ('text', 'character varying', 'jsonb', 'json', 'bytea', 'ARRAY')
            AND NOT starts_with(c.table_name, 'django_') AND NOT starts_with(c.table_name, 'auth_')
        ORDER BY c.table_name, c.ordinal_position"""
    )
    return iter(cursor.fetchall())


def _value(column: str, kind: str) -> str:
    if kind in ("jsonb", "json"):
        # what is an object keeps its own keys: pages read them
        return (
            f'CASE WHEN jsonb_typeof("{column}"::jsonb) = \'object\' THEN "{column}"::jsonb || %s::jsonb'
            f' ELSE "{column}" END'
        )
    if kind == "ARRAY":
        return "ARRAY[%s]"
    return "convert_to(%s, 'UTF8')" if kind == "bytea" else "%s"


def _bound(kind: str, length: int | None) -> list[str]:
    return [json.dumps(OBJECT) if kind in ("jsonb", "json") else whole(TEXT, length)]


def whole(text: str, length: int | None) -> str:
    """As many values as fit, none of them cut."""
    if length is None or len(text) <= length:
        return text
    return text[: text.rfind(", ", 0, length)]
