"""Django's sessions in the database, read by one plain statement in each request of a signed-in person.

The model takes four times as long to read that row, most of it to compose the same SQL again.
"""

from pathlib import Path
from typing import Any

from django.contrib.sessions.backends import db
from django.utils import timezone

from dlqconsole.core.named_sql import fetch_column, load

sql = load(Path(__file__).parent)

# Django's own limit
_SHORTEST_KEY = 8


class SessionStore(db.SessionStore):
    """Django's own, except for how a session is read and which keys a cookie may hold."""

    def _validate_session_key(self, key: str) -> bool:
        """Accept only keys that Django makes: a NUL in one would be an error of the database's."""
        return bool(key and len(key) >= _SHORTEST_KEY and key.isascii() and key.isalnum())

    def load(self) -> dict[str, Any]:
        """The data of the session; empty if it is over, and then its key is not used again."""
        parameters = {"key": self.session_key, "now": timezone.now()}
        rows = fetch_column(sql("session_store.signed_data"), parameters)
        if not rows:
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(rows[0])
        return data
