"""The console's connection, as ``django.db`` has them for the default one."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any, overload

from django.conf import settings
from django.db import connections
from django.db import transaction as of_django
from django.utils.connection import ConnectionProxy

if TYPE_CHECKING:
    from django.db import connection as connection
else:

    class _Ours(ConnectionProxy):
        """The connection of DLQ_DATABASE_ALIAS, of the thread that asks."""

        def __init__(self) -> None:
            self.__dict__["_connections"] = connections

        @property
        def _alias(self) -> str:
            return alias()

    connection = _Ours()

_LABEL = "dlq_"
_PLACE = ("ENGINE", "HOST", "PORT", "NAME")


def alias() -> str:
    """Return the name of the console's connection in DATABASES."""
    name: str = settings.DLQ_DATABASE_ALIAS
    return name


class transaction:  # noqa: N801 - it stands for Django's module
    """Transactions of the console's connection."""

    @overload
    @staticmethod
    def atomic() -> AbstractContextManager[None]: ...
    @overload
    @staticmethod
    def atomic[View: Callable[..., Any]](function: View) -> View: ...
    @overload
    @staticmethod
    def atomic(*, savepoint: bool = ..., durable: bool = ...) -> AbstractContextManager[None]: ...
    @staticmethod
    def atomic(function: Any = None, *, savepoint: bool = True, durable: bool = False) -> Any:
        """Do as ``django.db.transaction.atomic``."""
        block = of_django.Atomic(alias(), savepoint, durable)
        return block if function is None else block(function)

    @staticmethod
    def on_commit(function: Callable[[], object], robust: bool = False) -> None:
        """Call the function when the transaction has been committed."""
        of_django.on_commit(function, using=alias(), robust=robust)

    @staticmethod
    def set_rollback(is_wanted: bool) -> None:
        """Have the innermost block rolled back, or not."""
        of_django.set_rollback(is_wanted, using=alias())


class Router:
    """Our models live on our connection; migrate makes our tables by any that leads to the same place."""

    def db_for_read(self, model: Any, **_hints: Any) -> str | None:
        return alias() if _is_ours(model._meta.app_label) else None

    db_for_write = db_for_read

    def allow_relation(self, one: Any, other: Any, **_hints: Any) -> bool | None:
        return True if _is_ours(one._meta.app_label) or _is_ours(other._meta.app_label) else None

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        """Tell whether the migrations may run there, or the model's rows are read there (dumpdata, flush)."""
        if not _is_ours(app_label):
            return None
        return db == alias() if "model" in hints else db in neighbours()


@cache
def neighbours() -> frozenset[str]:
    """Return the connections that lead to the console's database.

    As the settings say it: while a test runner makes its databases, they have the new name one by one.
    """
    own = _place(alias())
    return frozenset(name for name in connections.settings if _place(name) == own)


def _place(name: str) -> tuple[str, ...]:
    return tuple(str(connections.settings[name].get(part, "")) for part in _PLACE)


def _is_ours(label: str) -> bool:
    return label.startswith(_LABEL)
